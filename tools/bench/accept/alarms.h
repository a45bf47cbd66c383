#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

struct AlarmTables {
  std::size_t runs = 200;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};

// Prints how often a device's baselines are said to have moved where nothing has (share of runs
// with an alarm within 50 and 100 baselines, mean run length up to 5,000), and after how many
// baselines a step of the level is found. Baselines are as far apart as in a study.
void alarm_table(const std::vector<NoiseModel>& models, const AlarmTables& tables);

}  // namespace nightshift::bench
