#include "search/model/targets.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nightshift::search {

namespace {
constexpr double kSlopeAbove = 0.2;
}

Flattening::Flattening(const std::vector<double>& values) {
  if (values.empty()) return;
  std::vector<double> sorted = values;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  median_ = *middle;
}

double Flattening::operator()(double value) const {
  return value > median_ ? median_ + kSlopeAbove * (value - median_) : value;
}

std::vector<double> flattened(std::vector<double> values) {
  const Flattening flattening(values);
  for (double& v : values) v = flattening(v);
  return values;
}

std::vector<std::size_t> best_and_others(const std::vector<double>& values, std::size_t count,
                                         base::Rng& rng) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= count) return order;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  for (std::size_t i = count / 2; i < count; ++i) {
    std::swap(order[i], order[i + rng.below(order.size() - i)]);
  }
  order.resize(count);
  return order;
}

}  // namespace nightshift::search
