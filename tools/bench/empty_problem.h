#pragma once

#include <cstdint>
#include <string>

#include "search/problem.h"

namespace nightshift::bench {

// Of so many trials drawn at random from 64^4 configurations of x0 to x3, which nothing has to be
// built for.
inline search::Problem empty_problem(std::uint64_t trials) {
  search::Problem problem;
  problem.name = "empty";
  problem.backend = search::CommandBackend{};
  for (int i = 0; i < 4; ++i) {
    search::Parameter p;
    p.name = "x" + std::to_string(i);
    for (std::int64_t v = 0; v < 64; ++v) p.values.emplace_back(v);
    problem.parameters.push_back(p);
  }
  problem.budget.trials = trials;
  problem.scheduling.searcher = "random";
  problem.scheduling.rebaseline_trials = 0;
  return problem;
}

}  // namespace nightshift::bench
