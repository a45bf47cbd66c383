#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/configuration.h"
#include "search/expression.h"
#include "search/options/searcher_option.h"

namespace nightshift::search {

// What scores are relative to.
enum class Normalisation : std::uint8_t {
  kMatrix,  // the baseline of the same device, interpolated in time between its measurements
  kEach,    // the baseline measured right before each trial
  kGiven,   // a figure that the user gives
  kNone,    // the study's first baseline, whatever the device
};

// How much is searched. kNone: the baseline and the starts alone. kQuick: kQuickTrials
// configurations at most, and no more than kQuickStall in a row without a new best.
enum class Effort : std::uint8_t { kNone, kQuick, kFull };
inline constexpr std::uint64_t kQuickTrials = 60;
inline constexpr std::uint64_t kQuickStall = 25;

struct SchedulingSettings {
  std::string searcher = "auto";
  GivenOptions options;  // of the searcher
  Effort effort = Effort::kFull;
  std::uint64_t seed = 1;
  std::vector<Configuration> starts;      // tried first; complete
  std::vector<std::string> starts_files;  // that some of `starts` are from, absolute
  std::vector<std::string> warm_start;    // folders of earlier studies, absolute
  // What a configuration is thought to cost, up to a factor, for each case of a [cuda] problem:
  // over parameters and SM_COUNT.
  std::vector<Expression> expected;
  int multiprocessors = 0;  // SM_COUNT of `expected`; 0 = of the study's first GPU
  int outstanding = 0;      // trials between ask and tell; 0 = chosen from devices and builders
  int builders = 0;         // builder processes; 0 = chosen from the cores that are free
  Normalisation normalisation = Normalisation::kMatrix;
  double given_baseline = 0;        // for kGiven, in the primary objective's unit; > 0
  int rebaseline_trials = 16;       // the baseline again after so many trials there; 0 = never
  double rebaseline_seconds = 120;  // or so many seconds; 0 = never
  bool process_per_trial = false;   // isolation = "per-trial"
  int hot_spares = -1;       // evaluators of each device that stand ready beside the one that
                             // measures; -1 = chosen by what starting one costs
  int cores_per_device = 1;  // of Target::kCores: cores that a device has; 0 = all that we may use
  bool fill_with_devices = false;  // of Target::kCores: as many devices as the cores suffice for,
                                   // not one
};

}  // namespace nightshift::search
