#pragma once

#include <cstdint>
#include <vector>

#include "search/acceptance.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

struct StudyTables {
  std::size_t studies = 200;  // a row
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  search::AcceptanceSettings acceptance;
};
// Prints of whole studies how often they claim a gain that is none, how true their claims are, and
// what they cost.
void study_table(const std::vector<NoiseModel>& models, const StudyTables& tables);
// The same of studies over nodes that differ, and drift each on its own.
void node_table(const std::vector<NoiseModel>& models, const StudyTables& tables);

}  // namespace nightshift::bench
