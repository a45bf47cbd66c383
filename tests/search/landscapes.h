#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

// Spaces and costs that the tests of searchers share.

// Parameters p0, p1, ... of values 0 to side - 1.
inline ParameterSpace grid(int dimensions, int side, std::vector<Expression> constraints = {}) {
  std::vector<Parameter> parameters;
  for (int k = 0; k < dimensions; ++k) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(k);
    for (int v = 0; v < side; ++v) parameter.values.emplace_back(std::int64_t{v});
    parameters.push_back(std::move(parameter));
  }
  return ParameterSpace(std::move(parameters), std::move(constraints));
}

using CostFunction = std::function<double(const std::vector<std::uint32_t>&)>;

// 1 at (5, 2, 6, 1), rising along the axes, with a ridge at every other value of the first.
inline double bowl(const std::vector<std::uint32_t>& d) {
  constexpr std::array<double, 4> kOptimum = {5, 2, 6, 1};
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += std::abs(d[k] - kOptimum[k]);
  return 1 + 0.1 * sum + (d[0] % 2 == 0 ? 0.15 : 0);
}

// The bowl with bumps of half a step everywhere, so that many places are local optima.
inline double rugged(const std::vector<std::uint32_t>& d) {
  const double bumps = std::sin(5.0 * d[0] + 3.0 * d[1]) + std::cos(7.0 * d[2] + 2.0 * d[3]);
  const bool optimum = d == std::vector<std::uint32_t>{5, 2, 6, 1};
  return bowl(d) + (optimum ? 0 : 0.05 * (bumps + 2));
}

// The best cost among the first `evaluations`, told in order with up to `outstanding` due.
inline double best_after(Searcher& searcher, const ParameterSpace& space, const CostFunction& cost,
                         int evaluations, std::size_t outstanding = 1) {
  double best = 1e300;
  std::deque<ConfigurationIndex> due;
  for (int told = 0; told < evaluations; ++told) {
    if (due.size() < outstanding) {
      for (const ConfigurationIndex i : searcher.ask(outstanding - due.size())) due.push_back(i);
    }
    if (due.empty()) return best;
    const double its_cost = cost(space.digits(due.front()));
    searcher.tell(due.front(), {Score{its_cost, 0}});
    best = std::min(best, its_cost);
    due.pop_front();
  }
  return best;
}

inline int differing(const ParameterSpace& space, ConfigurationIndex a, ConfigurationIndex b) {
  const std::vector<std::uint32_t> x = space.digits(a);
  const std::vector<std::uint32_t> y = space.digits(b);
  int count = 0;
  for (std::size_t k = 0; k < x.size(); ++k) count += x[k] != y[k] ? 1 : 0;
  return count;
}

inline ConfigurationIndex at(const ParameterSpace& space,
                             const std::vector<std::uint32_t>& digits) {
  return *space.index_of_digits(digits);
}

// Asks for the samples with which a run begins and tells all of them the same bad cost.
inline void spend_samples(Searcher& searcher, std::size_t count, double cost) {
  for (const ConfigurationIndex i : searcher.ask(count)) searcher.tell(i, {Score{cost, 0}});
}

}  // namespace nightshift::search
