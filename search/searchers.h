#pragma once

#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// One function a file; the catalogue in searcher.cc joins them.
using SearcherFactory = std::unique_ptr<Searcher>(const ParameterSpace&, const SearcherSettings&);
SearcherFactory make_auto_searcher;
SearcherFactory make_exhaustive_searcher;
SearcherFactory make_random_searcher;
SearcherFactory make_pattern_searcher;

}  // namespace nightshift::search
