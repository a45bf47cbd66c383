#pragma once

#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// One method a file; the catalogue in search/searcher_catalogue.cc joins them.
using SearcherFactory = std::unique_ptr<Searcher>(const ParameterSpace&, const SearcherSettings&);
SearcherFactory make_auto_searcher;
SearcherFactory make_exhaustive_searcher;
SearcherFactory make_random_searcher;
SearcherFactory make_gaussian_process_searcher;
SearcherFactory make_ucb_pattern_searcher;
SearcherFactory make_pattern_searcher;
SearcherFactory make_annealing_searcher;
SearcherFactory make_nsga2_searcher;
SearcherFactory make_portfolio_searcher;
SearcherFactory make_hill_climbing_searcher;
SearcherFactory make_low_discrepancy_searcher;
SearcherFactory make_differential_evolution_searcher;
SearcherFactory make_particle_swarm_searcher;
SearcherFactory make_genetic_searcher;
SearcherFactory make_lfbo_pattern_searcher;
SearcherFactory make_lfbo_tree_searcher;
SearcherFactory make_pattern_published_searcher;
SearcherFactory make_pattern_published_quick_searcher;
SearcherFactory make_lfbo_pattern_published_searcher;
SearcherFactory make_lfbo_pattern_published_quick_searcher;
SearcherFactory make_lfbo_tree_published_searcher;
SearcherFactory make_lfbo_tree_published_quick_searcher;
SearcherFactory make_differential_evolution_forest_searcher;
SearcherFactory make_tpe_searcher;

}  // namespace nightshift::search
