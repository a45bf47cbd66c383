#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/acceptance.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

// Nights of `nightshift serve`: one client proposes candidates, one after the other, each judged
// against what was kept before by a study of its own, at the levels of a night. Prints for each
// model of noise, once where no candidate is better than the incumbent and once where a tenth is,
// by 0.5 to 5 %: in how many nights something was kept that is no better, what was kept of what is
// better, and how far the gains that were told are from the true ones.
struct NightTables {
  std::size_t nights = 200;  // a row
  int proposals = 500;       // a night
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  search::AcceptanceSettings acceptance;  // but for its level
};
void night_table(const std::vector<NoiseModel>& models, const NightTables& tables);

}  // namespace nightshift::bench
