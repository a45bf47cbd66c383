#pragma once

#include <cstddef>
#include <cstdint>

#include "search/acceptance.h"

namespace nightshift::bench {

// Studies of a simulated compressor under a budget of time: 144 configurations that trade time,
// which has noise, for size, which has none; many are worse than another in both. How many rows of
// the front that is handed over would a long measurement take out, and how many are missing, with
// and without rounds of the front?
struct FrontTables {
  std::size_t studies = 200;  // a cell
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  search::AcceptanceSettings acceptance;
};
void front_table(const FrontTables& tables);

}  // namespace nightshift::bench
