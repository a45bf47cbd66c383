#pragma once

#include <cstddef>
#include <cstdint>

#include "search/acceptance.h"

namespace nightshift::bench {

// Duels that end at the early look (search::judge_landslide), and what a whole claim of such a duel
// and a short hold-out comes to, where noise is much wilder than a device's: heavy tails, modes by
// the evaluation and by the process, magnitudes that tie.
struct LandslideTables {
  std::size_t runs = 2000;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  search::AcceptanceSettings acceptance;
};
void landslide_table(const LandslideTables& tables);

}  // namespace nightshift::bench
