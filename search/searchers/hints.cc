#include "search/searchers/hints.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::search {

namespace {

constexpr std::size_t kHints = 5;

}  // namespace

std::vector<ConfigurationIndex> hints_of(const std::vector<KnownTrial>& earlier) {
  std::vector<KnownTrial> known;
  for (const KnownTrial& trial : earlier) {
    if (trial.observation.score && !trial.observation.censored) known.push_back(trial);
  }
  std::ranges::stable_sort(known, {},
                           [](const KnownTrial& trial) { return trial.observation.score->value; });
  std::vector<ConfigurationIndex> hints;
  for (const KnownTrial& trial : known) {
    if (hints.size() < kHints) hints.push_back(trial.configuration);
  }
  return hints;
}

}  // namespace nightshift::search
