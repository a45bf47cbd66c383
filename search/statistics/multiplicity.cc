#include "search/statistics/multiplicity.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::search {

namespace {

double valid(double p) { return p >= 0 && p <= 1 ? p : 1; }

std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return valid(p[i]); });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, left * valid(p[order[rank]])));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace nightshift::search
