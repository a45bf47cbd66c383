#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/journal/batch_record.h"

namespace nightshift::scheduler {

// The joint claim of a batch: which of its studies' hold-outs hold together. By study; nullopt: it
// claims nothing.
//
// Holm's correction over all studies, those without a claim included, at the strictest level of
// those that claim something: the chance that the batch claims an improvement where there is none
// is at most that level, however the studies depend on each other
// (search/statistics/multiplicity.h).
std::vector<bool> hold_jointly(const std::vector<std::optional<BatchClaim>>& claims);

// How a batch stands.
enum class BatchState : std::uint8_t {
  kNotBegun,     // it was made, and no run has begun
  kRunning,      // a process is at it
  kCutOff,       // the last run did not say how it ended: it was killed
  kInterrupted,  // the last run was stopped, or its time was over: studies are left
  kCompleted,    // every study has ended
};
constexpr std::array<std::string_view, 5> kBatchStates{"not begun", "running", "cut off",
                                                       "interrupted", "completed"};
constexpr std::string_view name_of(BatchState state) {
  return kBatchStates[static_cast<std::size_t>(state)];
}

// What a batch comes to, computed from its record alone: `status`, `watch` and `report` tell the
// same since they all ask here.
struct BatchSummary {
  BatchState state = BatchState::kNotBegun;
  std::array<std::size_t, kBatchStudyStates.size()> studies{};  // by BatchStudyState
  std::vector<bool> holds;                                      // by study, see hold_jointly()
  std::size_t claims = 0;   // studies whose own hold-out shows an improvement
  std::size_t holding = 0;  // of these, over the whole batch
  std::uint64_t trials = 0, measured = 0, failed = 0;  // of all studies
  std::size_t devices_at_work = 0;
  // As the last run said it last, but for studies that have a result since; nullopt: its time serves
  // all that it began with.
  std::optional<BatchShortage> shortage;
  // From the beginning of the first run to the end of the last one, or to `now` while it runs. Unix
  // seconds.
  double began = 0, ended = 0;

  std::size_t count(BatchStudyState which) const {
    return studies[static_cast<std::size_t>(which)];
  }
};
// `now`: Unix seconds, of a batch that runs.
BatchSummary summarise(const BatchRecord& record, double now);

}  // namespace nightshift::scheduler
