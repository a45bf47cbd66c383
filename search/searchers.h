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
SearcherFactory make_lfbo_pattern_searcher;
SearcherFactory make_lfbo_tree_searcher;
SearcherFactory make_lfbo_pattern_published_searcher;
SearcherFactory make_lfbo_pattern_published_quick_searcher;
SearcherFactory make_lfbo_tree_published_searcher;
SearcherFactory make_lfbo_tree_published_quick_searcher;
SearcherFactory make_differential_evolution_forest_searcher;
SearcherFactory make_tpe_searcher;

}  // namespace nightshift::search
