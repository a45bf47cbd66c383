#include "search/searcher_catalogue.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "search/searchers/searchers.h"
#include "search/searchers/starts_first.h"

namespace nightshift::search {

namespace {

// What a searcher makes of SearcherSettings::earlier.
enum class Earlier : std::uint8_t {
  kLearns,         // reads it itself
  kProposedFirst,  // does not know it: the best of it are proposed before its own
};

struct Entry {
  SearcherInfo info;
  SearcherFactory* make;
  Earlier earlier = Earlier::kLearns;
};

constexpr std::size_t kProposed = 5;  // of an earlier study, where they are proposed first

constexpr auto kEntries = std::to_array<Entry>({
    {{"auto", "Gaussian process over what matters on hardware (default)"}, make_auto_searcher},
    {{"gaussian-process", "the same without beliefs about hardware"},
     make_gaussian_process_searcher},
    {{"ucb-pattern", "Gaussian process on neighbours of the best, by optimistic bounds"},
     make_ucb_pattern_searcher},
    {{"pattern", "multi-start pattern search: follows the neighbours of the best"},
     make_pattern_searcher,
     Earlier::kProposedFirst},
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
     make_low_discrepancy_searcher,
     Earlier::kProposedFirst},
    {{"lfbo-pattern", "forest that knows good from bad, on neighbours of the best"},
     make_lfbo_pattern_searcher},
    {{"lfbo-tree", "the same, on neighbours along the forest's decision paths"},
     make_lfbo_tree_searcher},
    {{"pattern-published", "Helion's PatternSearch of 2026, a reference"},
     make_pattern_published_searcher,
     Earlier::kProposedFirst},
    {{"pattern-published-quick", "the same with its preset for little effort"},
     make_pattern_published_quick_searcher,
     Earlier::kProposedFirst},
    {{"lfbo-pattern-published", "Helion's LFBOPatternSearch of 2026, a reference"},
     make_lfbo_pattern_published_searcher,
     Earlier::kProposedFirst},
    {{"lfbo-pattern-published-quick", "the same with its preset for little effort"},
     make_lfbo_pattern_published_quick_searcher,
     Earlier::kProposedFirst},
    {{"lfbo-tree-published", "Helion's LFBOTreeSearch of 2026, a reference"},
     make_lfbo_tree_published_searcher,
     Earlier::kProposedFirst},
    {{"lfbo-tree-published-quick", "the same with its preset for little effort"},
     make_lfbo_tree_published_quick_searcher,
     Earlier::kProposedFirst},
    {{"differential-evolution-forest", "differential evolution whose trials a forest sifts"},
     make_differential_evolution_forest_searcher},
    {{"tpe", "tree-structured Parzen estimator over all parameters together"}, make_tpe_searcher},
    {{"random", "every configuration equally likely, none twice"},
     make_random_searcher,
     Earlier::kProposedFirst},
    {{"exhaustive", "every configuration in the order of the space"},
     make_exhaustive_searcher,
     Earlier::kProposedFirst},
});

// The best of the earlier trials, the very best first; failures are no hints.
std::vector<ConfigurationIndex> best_of(std::vector<KnownTrial> earlier) {
  std::erase_if(earlier, [](const KnownTrial& t) { return !t.observation.score; });
  std::ranges::stable_sort(earlier, {},
                           [](const KnownTrial& t) { return t.observation.score->value; });
  std::vector<ConfigurationIndex> best;
  for (const KnownTrial& trial : earlier) {
    if (best.size() < kProposed) best.push_back(trial.configuration);
  }
  return best;
}

std::vector<ConfigurationIndex> first_proposals(const Entry& entry,
                                                const SearcherSettings& settings) {
  std::vector<ConfigurationIndex> first = settings.starts;
  if (entry.earlier == Earlier::kProposedFirst) {
    const std::vector<ConfigurationIndex> best = best_of(settings.earlier);
    first.insert(first.end(), best.begin(), best.end());
  }
  return first;
}

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
    return starts_first(entry->make(space, settings), space, first_proposals(*entry, settings));
  }
  std::string known;
  for (const Entry& e : kEntries) known += (known.empty() ? "" : ", ") + std::string(e.info.name);
  throw std::invalid_argument("there is no searcher '" + std::string(name) + "'; there are " +
                              known);
}

}  // namespace nightshift::search
