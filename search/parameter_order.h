#pragma once

#include <cstdint>
#include <vector>

#include "search/term.h"

namespace nightshift::search {

// In which order the parameters of one group are set, so that few states lie between: constraints
// over few combinations first, those that are begun before new ones, and what is needed longest
// last. `checks`: the parameters of each. Greedy from several beginnings; what is as good stays in
// the order of `parameters`.
std::vector<std::uint32_t> order_parameters(const std::vector<std::uint32_t>& parameters,
                                            const std::vector<std::vector<std::uint32_t>>& checks,
                                            const Domains& domains);

}  // namespace nightshift::search
