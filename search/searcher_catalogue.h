#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "search/options/searcher_option.h"
#include "search/searcher.h"

namespace nightshift::search {

struct SearcherInfo {
  std::string_view name;
  std::string_view summary;  // one line for --help
  std::vector<SearcherOption> options = {};
};
const std::vector<SearcherInfo>& searcher_catalogue();

// nullptr where there is none of that name.
const SearcherInfo* find_searcher(std::string_view name);

// Throws std::invalid_argument that lists the known names, or says which option is not one. The
// space outlives the searcher.
std::unique_ptr<Searcher> make_searcher(std::string_view name, const ParameterSpace& space,
                                        const SearcherSettings& settings);

}  // namespace nightshift::search
