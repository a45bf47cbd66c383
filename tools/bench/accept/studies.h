#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "search/acceptance.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

// What true effects the candidates of a study have; the rest are equal to the baseline.
enum class Effects : std::uint8_t {
  kNone,   // all are equal
  kMixed,  // 7 % are better, by 1 to 6 %
  kSmall,  // 7 % are better, by 0.5 to 2 %
};

struct StudyCase {
  const NoiseModel* model = nullptr;
  Effects effects = Effects::kNone;
  std::vector<double> given;  // not empty: the effects, one for each candidate
  int candidates = 400;
  int devices = 1;
  search::AcceptanceSettings acceptance;
  double spread = 0;  // the last device is slower than the first by so much, the rest between
  // Each other device becomes slower by so much over the study, the rest faster.
  double own_drift = 0;
  double worse_on_last = 0;  // on the last device each candidate that is better is worse by so much
  double drift_at_half = 0;  // the device becomes slower by so much in mid-study (0.05 = 5 %)
};

// What the duels of a study cost.
struct DuelCount {
  int duels = 0;
  int pairs = 0;  // of all duels, over all devices
};
DuelCount duels_of(const scheduler::History& history);

struct StudyResult {
  bool claimed = false;     // an improvement over the baseline
  bool chose = false;       // anything but the baseline
  double claimed_gain = 0;  // in logarithms; of claims
  double true_gain = 0;     // of what was chosen
  double best_gain = 0;     // of the best candidate there was
  int evaluations = 0;      // all of them
  DuelCount duels;          // of nightshift alone
};

// A whole study by the real Tuner with random search on simulated devices.
StudyResult tuned(const StudyCase& c, std::uint64_t seed);
// Medians of five for every candidate against a stored median of five, the best five measured again
// 100 + 100 times and gated by Welch's test at 5 % with d > 0.2; the best of those that pass.
StudyResult gated(const StudyCase& c, std::uint64_t seed);

}  // namespace nightshift::bench
