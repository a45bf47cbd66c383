#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"

namespace nightshift::tools {

// The numbers that the report shows, as text and as a page. All pure.

// Explored configurations in the order in which they ended. Scores are candidate over baseline,
// lower is better.
struct Convergence {
  struct Ended {
    std::optional<double> score;  // absent where it failed or is no candidate
    std::optional<double> best;   // so far, this one included
    std::uint64_t best_trial = 0;
    bool failed = false;
  };
  std::vector<Ended> ended;
  // A duel that was won after so many had ended, and the score of the winner as it was explored.
  struct Accepted {
    std::size_t after = 0;
    double score = 1;
  };
  std::vector<Accepted> accepted;
  // What a hold-out has shown on new data of the trial that was accepted last, over the baseline.
  struct Confirmed {
    std::uint64_t trial = 0;
    double ratio = 1;
    search::Interval interval;
  };
  std::optional<Confirmed> confirmed;
};
Convergence convergence_of(const scheduler::History& history);

// The failures of one kind, of all jobs.
struct FailureKind {
  std::uint64_t count = 0;
  const scheduler::TrialRecord* example = nullptr;  // the first by id
};
std::map<std::string, FailureKind> failures_of(const scheduler::History& history);
// The same of explored configurations that were measured and are beyond a limit.
FailureKind beyond_limits_of(const scheduler::History& history);

// What one device did.
struct DeviceFacts {
  struct Baseline {
    double at = 0;     // Unix seconds
    double value = 0;  // of the primary objective
    // The first of a run or a rebaseline, which scores are relative to; else an evaluation within a
    // confirmation.
    bool reference = true;
  };
  std::uint64_t trials = 0;
  double busy = 0;  // seconds of checking and measuring
  std::vector<Baseline> baselines;

  std::vector<double> references() const;
  // Last over first reference, less one; nullopt before there are two, or where the first is 0.
  std::optional<double> drift() const;
};
std::map<std::string, DeviceFacts> devices_of(const scheduler::History& history);

}  // namespace nightshift::tools
