#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/journal/history.h"

namespace nightshift::scheduler {

// How a study stands, in short: what `status` tells of one. The database counts; of trials only the
// check sums are looked at, and those of a study that runs are not.
struct StudyOutline {
  History history;  // without trials and events
  // Configurations that were explored and have ended.
  std::uint64_t evaluations = 0;  // unique ones
  std::uint64_t measured = 0, skipped = 0, failed = 0;
  std::uint64_t in_flight = 0;  // trials of any job
  std::optional<double> best;   // lowest score of them; 1 = baseline, lower is better
  double last_sign = 0;         // when it last wrote something, Unix seconds
};

// Reads a study without changing it, also while it runs. Throws JournalError as load_history()
// does.
StudyOutline load_outline(const std::string& folder);

}  // namespace nightshift::scheduler
