#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/recorded_space.h"
#include "search/acceptance.h"
#include "search/configuration.h"
#include "tools/bench/accept/studies.h"

namespace nightshift::bench {

// Studies of a program that is compiled and run, under a budget of time: a recorded space whose
// medians are the true times, evaluations that scatter, and a clock that they advance.
struct ShortCase {
  const problems::RecordedSpace* recording = nullptr;  // of a time
  search::Configuration baseline;                      // one of the recorded configurations
  std::vector<search::Configuration> starts;           // tried first
  double noise = 0.12;    // standard deviation of the logarithm of an evaluation
  double budget = 600;    // seconds
  double evaluation = 1;  // seconds of an evaluation of the baseline; others in proportion
  double overhead = 0.3;  // seconds of every evaluation: compiling, starting
  std::string searcher = "auto";
  search::AcceptanceSettings acceptance;
  int idle = 0;  // further parameters of three values that do nothing
};

struct ShortResult {
  bool claimed = false;
  double ratio = 1;       // claimed time over the baseline's
  double true_ratio = 1;  // of what was claimed; 1 where nothing was
  int evaluations = 0;    // all of them
  int explored = 0;
  // Where a duel was won: parameters in which its winner differs from the baseline, those that went
  // back, and the true time of what is handed over, over the winner's.
  int changed = 0, went_back = 0;
  double finished_ratio = 1;
  int finishing = 0;  // evaluations of finishing rounds
  DuelCount duels;
  double longest_duel = 0;  // share of the budget that the evaluations of one duel took
};

// A whole study by the real Tuner.
ShortResult short_study(const ShortCase& c, std::uint64_t seed);

// The median of what was recorded of a configuration; nullopt where it did not work.
std::optional<double> recorded_time(const problems::RecordedSpace& recording,
                                    const search::Configuration& configuration);

}  // namespace nightshift::bench
