#pragma once

#include <variant>

#include "search/problem.h"
#include "search/problem/command_backend.h"

namespace nightshift::search {

// How often a program that is started per trial is started for one evaluation where the problem
// leaves CommandBackend::runs open (0): as often as SamplingPlan::max_seconds has room for, once at
// least and so often at most. Five runs of a program of a second are a quarter of a budget of 20 s.
inline constexpr int kMostRunsByTime = 5;
// Of a first baseline at least, so that one run that finds nothing in caches does not count.
inline constexpr int kFewestRunsOfBaseline = 3;

// What an evaluation's condition is called that has the number of its runs.
inline constexpr const char* kRunsCondition = "runs";

inline bool has_runs_by_time(const Problem& problem) {
  const auto* command = std::get_if<CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == CommandBackend::Mode::kPerTrial &&
         command->runs == 0;
}

}  // namespace nightshift::search
