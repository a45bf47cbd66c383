#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/study_outline.h"

namespace nightshift::tools {

// How a batch or a study stands, as `nightshift status` tells it. All pure.

struct BatchView {
  const scheduler::BatchRecord& record;
  const std::string& folder;  // as the user would type it
  double now = 0;             // Unix seconds
  std::string job = {};       // of Slurm: its line; empty where there is none
  // By study, why its journal cannot be told from; empty where it can. None: nobody has looked.
  std::vector<std::string> unread = {};
};
struct StudyView {
  const scheduler::StudyOutline& outline;
  const std::string& folder;
};

// What goes on, queue, claims, devices, studies, why some did not end well, how to go on. Rows are
// cut at `columns`; npos: at none.
std::string batch_status_text(const BatchView& view, std::size_t columns);
std::string study_status_text(const StudyView& view);

// For lists of several: folder, what it is, state, how far it is, what was found.
std::vector<std::string> batch_status_row(const BatchView& view);
std::vector<std::string> study_status_row(const StudyView& view);

// The members that scripts rest on:
//   folder, name, state (not begun | running | cut off | interrupted | completed), process,
//   started, deadline, reason,
//   queue {waiting, running, paused, interrupted, completed, failed, cancelled, not begun},
//   claims {own, joint}, trials {done, measured, failed},
//   time {given, whole (of a run that serves all studies), left [study]} or null,
//   devices [{device, model, study, activity, busy_seconds}],
//   studies [{name, folder, problem, state, reason, since, began, ended, activity,
//             trials {done, measured, failed}, accepted, best, incumbent, elapsed, limit,
//             budget_used, claim {ratio, interval, confidence, p, level, joint} or
//             null,
//             unread (why its journal cannot be told from) or null}]
// Times are Unix seconds, durations seconds, scores candidate over baseline; what is not known is
// null.
nlohmann::ordered_json batch_status_json(const BatchView& view);
// folder, problem, state (running | completed | interrupted | failed), process, reason, begun,
// trials {done, measured, skipped, failed, in_flight}, accepted (duels won), best, elapsed,
// hold_out {ratio, interval, p, accepted, reason} or null
nlohmann::ordered_json study_status_json(const StudyView& view);

}  // namespace nightshift::tools
