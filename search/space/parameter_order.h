#pragma once

#include <cstdint>
#include <vector>

#include "search/expression/term_graph.h"

namespace nightshift::search {

// A check as far as the order matters.
struct CheckShape {
  std::vector<std::uint32_t> parameters;
  double most_states = 0;  // that can lie between its parameters at any time; 0 = no bound known
};

// In which order the parameters of one group are set, so that few states lie between: constraints
// over few combinations first, those that are begun before new ones, and what is needed longest
// last. Greedy from several beginnings; what is as good stays in
// the order of `parameters`.
std::vector<std::uint32_t> order_parameters(const std::vector<std::uint32_t>& parameters,
                                            const std::vector<CheckShape>& checks,
                                            const Domains& domains);

}  // namespace nightshift::search
