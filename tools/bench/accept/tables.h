#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

struct TableRuns {
  std::size_t runs = 200;  // tables a row
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};
// Prints, for each model of noise, how often a table of 40 shapes is made of 8 candidates that are
// all equal to the default, and what tables of candidates with real gains come to: what they claim,
// what is true, and how many shapes got what is slower than the default by more than 1 %.
void shape_tables(const std::vector<NoiseModel>& models, const TableRuns& options);

}  // namespace nightshift::bench
