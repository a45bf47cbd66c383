#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

// One score for each objective; lower is better in all of them. Points that are compared have the
// same number of objectives.
using ObjectivePoint = std::vector<Score>;

// `a` is nowhere above `b`, and in at least one objective below it by more than `sigmas` combined
// standard errors. With 0 this is Pareto dominance of the values. Where only noise separates two
// points, neither dominates; no two points ever dominate each other, nor do several in a circle.
bool dominates(const ObjectivePoint& a, const ObjectivePoint& b, double sigmas);

// Alike in every objective, to the bit.
bool equal_values(const ObjectivePoint& a, const ObjectivePoint& b);

// Positions of the points that no other dominates, ascending.
std::vector<std::size_t> pareto_front(std::span<const ObjectivePoint> points, double sigmas);

// All positions by layers (Deb et al., NSGA-II, IEEE Trans. Evolutionary Computation 2002): the
// front, the front of the rest, and so on. O(objectives * points^2).
std::vector<std::vector<std::size_t>> non_dominated_fronts(std::span<const ObjectivePoint> points,
                                                           double sigmas);

// For each position in `front`, how far its neighbours lie apart, summed over the objectives, each
// scaled by its spread over the front; infinite at the ends (the same paper).
std::vector<double> crowding_distance(std::span<const ObjectivePoint> points,
                                      std::span<const std::size_t> front);

}  // namespace nightshift::search
