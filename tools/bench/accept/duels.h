#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

// One rule that decides whether a candidate is better, and how many evaluations that took.
struct Decision {
  bool accepted = false;
  int evaluations = 0;  // of both sides
};

// The project's own duel on devices that see these effects, one each.
Decision duel(const NoiseModel& model, const std::vector<double>& effects,
              const search::AcceptanceSettings& settings, std::uint64_t seed);

// What other tools and people do, on one device.
struct Rival {
  std::string name;
  Decision (*decide)(NoisyDevice& device, double effect);
};
const std::vector<Rival>& rivals();

// Share of accepted duels and mean of evaluations, over runs.
struct Cell {
  double accepted = 0, accepted_error = 0;  // 0..1, standard error
  double evaluations = 0, evaluations_error = 0;
};
Cell cell_of(const std::vector<Decision>& decisions);

}  // namespace nightshift::bench
