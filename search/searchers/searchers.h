#pragma once

#include <memory>
#include <vector>

#include "search/options/searcher_option.h"
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

// Their options; a searcher that has none is not named here.
using SearcherOptions = std::vector<SearcherOption>();
SearcherOptions auto_options;
SearcherOptions gaussian_process_options;
SearcherOptions ucb_pattern_options;
SearcherOptions pattern_options;
SearcherOptions annealing_options;
SearcherOptions nsga2_options;
SearcherOptions portfolio_options;
SearcherOptions hill_climbing_options;
SearcherOptions low_discrepancy_options;
SearcherOptions differential_evolution_options;
SearcherOptions particle_swarm_options;
SearcherOptions genetic_options;
SearcherOptions lfbo_pattern_options;
SearcherOptions lfbo_tree_options;
SearcherOptions pattern_published_options;
SearcherOptions pattern_published_quick_options;
SearcherOptions lfbo_pattern_published_options;
SearcherOptions lfbo_pattern_published_quick_options;
SearcherOptions lfbo_tree_published_options;
SearcherOptions lfbo_tree_published_quick_options;
SearcherOptions differential_evolution_forest_options;
SearcherOptions tpe_options;

}  // namespace nightshift::search
