#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

struct RecheckTables {
  std::size_t runs = 50;  // rechecks of 50 winners, and claims, a row
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  double seconds = 0.1;  // of an evaluation, for the minutes that are printed
};
// Prints how many verdicts are right, wrong and open, for each model of noise.
void recheck_table(const std::vector<NoiseModel>& models, const RecheckTables& options);
void verify_table(const std::vector<NoiseModel>& models, const RecheckTables& options);

}  // namespace nightshift::bench
