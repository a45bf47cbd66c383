#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "search/pareto.h"

namespace nightshift::search {

using Corner = std::array<double, 3>;  // values of up to three objectives; missing ones are 0

// The area below `reference` that corners dominate in the first two objectives.
inline double dominated_area(std::vector<Corner> corners, const Corner& reference) {
  std::ranges::sort(corners);
  double sum = 0;
  double lowest = reference[1];
  for (const Corner& c : corners) {
    if (c[1] >= lowest) continue;
    sum += (reference[0] - c[0]) * (lowest - c[1]);
    lowest = c[1];
  }
  return sum;
}

// The volume between the values of `points` and `reference` that some point dominates; points
// beyond the reference count for nothing. One, two or three objectives; throws
// std::invalid_argument for others. The measure by which searches for a front are held to account.
inline double hypervolume(std::span<const ObjectivePoint> points,
                          std::span<const double> reference) {
  if (reference.empty() || reference.size() > 3) {
    throw std::invalid_argument("hypervolume is for one, two or three objectives");
  }
  Corner limit = {1, 1, 1};
  std::ranges::copy(reference, limit.begin());
  std::vector<Corner> corners;
  for (const ObjectivePoint& point : points) {
    Corner corner = {0, 0, 0};
    bool inside = true;
    for (std::size_t k = 0; k < reference.size(); ++k) {
      corner[k] = point[k].value;
      inside = inside && corner[k] < limit[k];
    }
    if (inside) corners.push_back(corner);
  }
  std::ranges::sort(corners, {}, [](const Corner& c) { return c[2]; });
  // Slices along the third objective: between two corners all of the lower ones count.
  double volume = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double top = i + 1 < corners.size() ? corners[i + 1][2] : limit[2];
    if (top <= corners[i][2]) continue;
    const auto below = corners.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    volume += (top - corners[i][2]) * dominated_area({corners.begin(), below}, limit);
  }
  return volume;
}

}  // namespace nightshift::search
