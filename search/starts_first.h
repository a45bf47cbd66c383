#pragma once

#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// `searcher`, which proposes settings.starts before all else, in their order; what is told of
// meanwhile or lies outside the space is left out. The searcher hears of a start when it is told.
std::unique_ptr<Searcher> starts_first(std::unique_ptr<Searcher> searcher,
                                       const ParameterSpace& space,
                                       const SearcherSettings& settings);

}  // namespace nightshift::search
