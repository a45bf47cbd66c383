#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "search/searcher.h"

namespace nightshift::search {

struct SearcherInfo {
  std::string_view name;
  std::string_view summary;  // one line for --help
};
const std::vector<SearcherInfo>& searcher_catalogue();

// Throws std::invalid_argument that lists the known names. The space outlives the searcher.
std::unique_ptr<Searcher> make_searcher(std::string_view name, const ParameterSpace& space,
                                        const SearcherSettings& settings);

}  // namespace nightshift::search
