#include "search/acceptance/night_levels.h"

#include <algorithm>

namespace nightshift::search {

double night_level(double total, std::uint64_t number, std::uint64_t expected) {
  constexpr double kShared = 0.9;
  expected = std::max<std::uint64_t>(expected, 1);
  if (number <= expected) return total * kShared / static_cast<double>(expected);
  const auto beyond = static_cast<double>(number - expected);
  return total * (1 - kShared) / (beyond * (beyond + 1));
}

}  // namespace nightshift::search
