#include "search/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nightshift::search {

bool dominates(const ObjectivePoint& a, const ObjectivePoint& b, double sigmas) {
  bool clearly = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double gain = b[k].value - a[k].value;
    if (gain < 0) return false;
    const double noise = std::hypot(a[k].standard_error, b[k].standard_error);
    clearly = clearly || gain > sigmas * noise;
  }
  return clearly;
}

bool equal_values(const ObjectivePoint& a, const ObjectivePoint& b) {
  return std::ranges::equal(a, b, {}, &Score::value, &Score::value);
}

std::vector<std::size_t> pareto_front(std::span<const ObjectivePoint> points, double sigmas) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool dominated = std::ranges::any_of(
        points, [&](const ObjectivePoint& p) { return dominates(p, points[i], sigmas); });
    if (!dominated) front.push_back(i);
  }
  return front;
}

std::vector<std::vector<std::size_t>> non_dominated_fronts(std::span<const ObjectivePoint> points,
                                                           double sigmas) {
  std::vector<std::size_t> dominators(points.size());
  std::vector<std::vector<std::size_t>> dominated(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (!dominates(points[i], points[j], sigmas)) continue;
      dominated[i].push_back(j);
      ++dominators[j];
    }
  }
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (dominators[i] == 0) front.push_back(i);
  }
  std::vector<std::vector<std::size_t>> fronts;
  while (!front.empty()) {
    std::vector<std::size_t> next;
    for (const std::size_t i : front) {
      for (const std::size_t j : dominated[i]) {
        if (--dominators[j] == 0) next.push_back(j);
      }
    }
    std::ranges::sort(next);
    fronts.push_back(std::exchange(front, std::move(next)));
  }
  return fronts;
}

std::vector<double> crowding_distance(std::span<const ObjectivePoint> points,
                                      std::span<const std::size_t> front) {
  std::vector<double> distance(front.size(), 0);
  const std::size_t objectives = front.empty() ? 0 : points[front[0]].size();
  std::vector<std::size_t> order(front.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t k = 0; k < objectives; ++k) {
    const auto value = [&](std::size_t i) { return points[front[i]][k].value; };
    std::ranges::stable_sort(order, {}, value);
    distance[order.front()] = distance[order.back()] = std::numeric_limits<double>::infinity();
    const double spread = value(order.back()) - value(order.front());
    if (spread <= 0) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i) {
      distance[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / spread;
    }
  }
  return distance;
}

}  // namespace nightshift::search
