#include "search/searcher_catalogue.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "search/searchers/searchers.h"
#include "search/searchers/starts_first.h"

namespace nightshift::search {

namespace {

struct Entry {
  SearcherInfo info;
  SearcherFactory* make;
};

constexpr auto kEntries = std::to_array<Entry>({
    {{"auto", "Gaussian process over what matters on hardware (default)"}, make_auto_searcher},
    {{"gaussian-process", "the same without beliefs about hardware"},
     make_gaussian_process_searcher},
    {{"ucb-pattern", "Gaussian process on neighbours of the best, by optimistic bounds"},
     make_ucb_pattern_searcher},
    {{"pattern", "multi-start pattern search: follows the neighbours of the best"},
     make_pattern_searcher},
    {{"annealing", "simulated annealing: walks in small steps, less and less uphill, and restarts"},
     make_annealing_searcher},
    {{"hill-climbing", "takes the first better neighbour, and restarts at a local optimum"},
     make_hill_climbing_searcher},
    {{"genetic", "genetic algorithm: crosses and mutates the best of a small population"},
     make_genetic_searcher},
    {{"differential-evolution", "moves the best along the differences of others"},
     make_differential_evolution_searcher},
    {{"particle-swarm", "particles that are drawn to their own and the common best"},
     make_particle_swarm_searcher},
    {{"nsga2", "genetic algorithm for several objectives: keeps the trade-offs"},
     make_nsga2_searcher},
    {{"portfolio", "annealing, genetic and differential evolution, whichever gains most"},
     make_portfolio_searcher},
    {{"low-discrepancy", "spread evenly over the space and towards its ends, none twice"},
     make_low_discrepancy_searcher},
    {{"lfbo-pattern", "forest that knows good from bad, on neighbours of the best"},
     make_lfbo_pattern_searcher},
    {{"lfbo-tree", "the same, on neighbours along the forest's decision paths"},
     make_lfbo_tree_searcher},
    {{"lfbo-pattern-published", "Helion's LFBOPatternSearch of 2026, a reference"},
     make_lfbo_pattern_published_searcher},
    {{"lfbo-pattern-published-quick", "the same with its preset for little effort"},
     make_lfbo_pattern_published_quick_searcher},
    {{"lfbo-tree-published", "Helion's LFBOTreeSearch of 2026, a reference"},
     make_lfbo_tree_published_searcher},
    {{"lfbo-tree-published-quick", "the same with its preset for little effort"},
     make_lfbo_tree_published_quick_searcher},
    {{"differential-evolution-forest", "differential evolution whose trials a forest sifts"},
     make_differential_evolution_forest_searcher},
    {{"tpe", "tree-structured Parzen estimator over all parameters together"}, make_tpe_searcher},
    {{"random", "every configuration equally likely, none twice"}, make_random_searcher},
    {{"exhaustive", "every configuration in the order of the space"}, make_exhaustive_searcher},
});

}  // namespace

const std::vector<SearcherInfo>& searcher_catalogue() {
  static const std::vector<SearcherInfo> catalogue = [] {
    std::vector<SearcherInfo> infos;
    for (const Entry& entry : kEntries) infos.push_back(entry.info);
    return infos;
  }();
  return catalogue;
}

std::unique_ptr<Searcher> make_searcher(std::string_view name, const ParameterSpace& space,
                                        const SearcherSettings& settings) {
  const auto entry =
      std::ranges::find_if(kEntries, [&](const Entry& e) { return e.info.name == name; });
  if (entry != kEntries.end()) {
    return starts_first(entry->make(space, settings), space, settings.starts);
  }
  std::string known;
  for (const Entry& e : kEntries) known += (known.empty() ? "" : ", ") + std::string(e.info.name);
  throw std::invalid_argument("there is no searcher '" + std::string(name) + "'; there are " +
                              known);
}

}  // namespace nightshift::search
