#pragma once

#include <memory>
#include <string>

#include "search/searcher.h"

namespace nightshift::bench {

// A searcher by its name, with options where colons follow: "auto:near_baseline=8:roles=false". Throws
// std::invalid_argument for a name, an option or a value that there is not.
std::unique_ptr<search::Searcher> named_searcher(const std::string& name,
                                                 const search::ParameterSpace& space,
                                                 search::SearcherSettings settings);

}  // namespace nightshift::bench
