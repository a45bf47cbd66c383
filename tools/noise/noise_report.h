#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "search/acceptance/noise_profile.h"
#include "search/objective.h"
#include "tools/document/document.h"
#include "tools/noise/machine_fitness.h"

namespace nightshift::tools {

// What came out of `noise`, for people and for scripts. All pure.
struct DeviceNoise {
  std::string device;  // Device::key()
  std::string model;
  std::vector<search::NoiseEvaluation> evaluations;
  search::NoiseProfile profile;
  std::string lost;  // why it is incomplete; empty where it is not
  int disturbed = 0;
  double empty_seconds = 0;  // of what does nothing, measured likewise; 0 = not known
};
struct NoiseReport {
  std::string problem;
  search::Objective objective;  // whose figure was measured
  std::vector<DeviceNoise> devices;
  search::NoiseAdvice advice;
  double seconds = 0;
  bool asks_machine = false;            // false of recordings, which no machine disturbs
  std::vector<Disturber> machine = {};  // what speaks against measuring on it
  std::string empty = {};               // what does nothing: "an empty kernel"
};

Document document_of(const NoiseReport& report);
// The lines to paste into a problem file; TOML.
std::string advice_toml(const search::NoiseAdvice& advice);

// The one object that `noise --json` prints: problem, objective {name, unit}, seconds,
//   recommended {min_improvement, max_pairs, samples, process_per_trial},
//   machine [{name, found, change}], empty (what empty_seconds is of),
//   devices [{device, model, lost, disturbed, empty_seconds, evaluations, launches {count, median, sd, robust_sd,
//   shape,
//     outliers {mild, severe}, autocorrelation, ljung_box_p},
//     drift {step_before, step, step_t, per_minute, per_minute_error},
//     levels {launch_sd, evaluation_sd, process_sd, process_robust_sd, process_p,
//     evaluation_seconds,
//       process_seconds}, pair_sd,
//     aa [{pairs, paired {error, high, false_share}, blocks {places, error, high, false_share}}],
//     detectable [{gain, pairs, seconds}], values}]
// Scatter and steps are of logarithms: 0.01 is 1 %. What is not finite is null.
nlohmann::ordered_json noise_json(const NoiseReport& report);

}  // namespace nightshift::tools
