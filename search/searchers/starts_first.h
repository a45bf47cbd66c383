#pragma once

#include <memory>
#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

// Proposes `starts` in their order, then what `searcher` proposes; it is told of all. Those that
// are no configurations of the space, or listed twice, are left out.
std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const std::vector<ConfigurationIndex>& starts);

}  // namespace nightshift::search
