#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

struct DuelTables {
  std::size_t runs = 2000;  // duels a cell
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::string rule;                       // rules whose name contains it
  search::AcceptanceSettings acceptance;  // where devices disagree
};
// Prints how often each rule accepts a candidate that is as fast, slower, or faster, and by how many
// evaluations.
void duel_table(const std::vector<NoiseModel>& models, const DuelTables& tables);
// How often a candidate is accepted that is not the same on one of four devices.
void disagreement_table(const std::vector<NoiseModel>& models, const DuelTables& tables);

}  // namespace nightshift::bench
