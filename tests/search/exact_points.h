#pragma once

#include <vector>

#include "search/pareto.h"

namespace nightshift::search {

// Without noise.
inline ObjectivePoint exact(const std::vector<double>& values) {
  ObjectivePoint point;
  for (const double v : values) point.push_back({v, 0});
  return point;
}

inline std::vector<ObjectivePoint> exact_points(const std::vector<std::vector<double>>& rows) {
  std::vector<ObjectivePoint> points;
  for (const auto& row : rows) points.push_back(exact(row));
  return points;
}

}  // namespace nightshift::search
