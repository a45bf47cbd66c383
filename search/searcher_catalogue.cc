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
  std::string_view name, summary;
  SearcherFactory* make;
  SearcherOptions* options;
  Earlier earlier = Earlier::kLearns;
};

std::vector<SearcherOption> no_options() { return {}; }  // of its own

constexpr std::size_t kProposed = 5;  // of an earlier study, where they are proposed first

constexpr auto kEntries = std::to_array<Entry>({
    {"auto", "Gaussian process over what matters on hardware (default)", make_auto_searcher,
     auto_options},
    {"gaussian-process", "the same without beliefs about hardware", make_gaussian_process_searcher,
     gaussian_process_options},
    {"ucb-pattern", "Gaussian process on neighbours of the best, by optimistic bounds",
     make_ucb_pattern_searcher, ucb_pattern_options},
    {"pattern", "multi-start pattern search: follows the neighbours of the best",
     make_pattern_searcher, pattern_options, Earlier::kProposedFirst},
    {"annealing", "simulated annealing: walks in small steps, less and less uphill, and restarts",
     make_annealing_searcher, annealing_options},
    {"hill-climbing", "takes the first better neighbour, and restarts at a local optimum",
     make_hill_climbing_searcher, hill_climbing_options},
    {"genetic", "genetic algorithm: crosses and mutates the best of a small population",
     make_genetic_searcher, genetic_options},
    {"differential-evolution", "moves the best along the differences of others",
     make_differential_evolution_searcher, differential_evolution_options},
    {"particle-swarm", "particles that are drawn to their own and the common best",
     make_particle_swarm_searcher, particle_swarm_options},
    {"nsga2", "genetic algorithm for several objectives: keeps the trade-offs", make_nsga2_searcher,
     nsga2_options},
    {"portfolio", "annealing, genetic and differential evolution, whichever gains most",
     make_portfolio_searcher, portfolio_options},
    {"low-discrepancy", "spread evenly over the space and towards its ends, none twice",
     make_low_discrepancy_searcher, low_discrepancy_options, Earlier::kProposedFirst},
    {"lfbo-pattern", "forest that knows good from bad, on neighbours of the best",
     make_lfbo_pattern_searcher, lfbo_pattern_options},
    {"lfbo-tree", "the same, on neighbours along the forest's decision paths",
     make_lfbo_tree_searcher, lfbo_tree_options},
    {"pattern-published", "Helion's PatternSearch of 2026, a reference",
     make_pattern_published_searcher, pattern_published_options, Earlier::kProposedFirst},
    {"pattern-published-quick", "the same with its preset for little effort",
     make_pattern_published_quick_searcher, pattern_published_quick_options,
     Earlier::kProposedFirst},
    {"lfbo-pattern-published", "Helion's LFBOPatternSearch of 2026, a reference",
     make_lfbo_pattern_published_searcher, lfbo_pattern_published_options, Earlier::kProposedFirst},
    {"lfbo-pattern-published-quick", "the same with its preset for little effort",
     make_lfbo_pattern_published_quick_searcher, lfbo_pattern_published_quick_options,
     Earlier::kProposedFirst},
    {"lfbo-tree-published", "Helion's LFBOTreeSearch of 2026, a reference",
     make_lfbo_tree_published_searcher, lfbo_tree_published_options, Earlier::kProposedFirst},
    {"lfbo-tree-published-quick", "the same with its preset for little effort",
     make_lfbo_tree_published_quick_searcher, lfbo_tree_published_quick_options,
     Earlier::kProposedFirst},
    {"differential-evolution-forest", "differential evolution whose trials a forest sifts",
     make_differential_evolution_forest_searcher, differential_evolution_forest_options},
    {"tpe", "tree-structured Parzen estimator over all parameters together", make_tpe_searcher,
     tpe_options},
    {"random", "every configuration equally likely, none twice", make_random_searcher, no_options,
     Earlier::kProposedFirst},
    {"exhaustive", "every configuration in the order of the space", make_exhaustive_searcher,
     no_options, Earlier::kProposedFirst},
});

// What every searcher takes.
const SearcherOption& near_baseline_option() {
  static const SearcherOption option = {
      "near_baseline",
      SearcherOption::Kind::kCount,
      0,
      1'000,
      std::int64_t{0},
      "trials that change one or two parameters of the baseline, every other one at first: for a "
      "baseline that is good already"};
  return option;
}

std::vector<SearcherOption> options_of(const Entry& entry) {
  std::vector<SearcherOption> options = entry.options();
  options.push_back(near_baseline_option());
  return options;
}

// The searcher, as it is told to begin.
std::unique_ptr<Searcher> beginning(const Entry& entry, const ParameterSpace& space,
                                    const SearcherSettings& settings) {
  std::unique_ptr<Searcher> searcher = entry.make(space, settings);
  const auto given = std::ranges::find(settings.options, near_baseline_option().name,
                                       &GivenOptions::value_type::first);
  if (given == settings.options.end() || as_number(given->second) == 0) return searcher;
  if (!settings.baseline) {
    throw std::invalid_argument(
        "search.options.near_baseline wants a baseline that is a configuration of the space; this "
        "one is another program, or a constraint excludes it");
  }
  return near_baseline(std::move(searcher), space, *settings.baseline,
                       static_cast<std::size_t>(as_number(given->second)), settings.seed);
}

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
    for (const Entry& entry : kEntries) {
      infos.push_back({entry.name, entry.summary, options_of(entry)});
    }
    return infos;
  }();
  return catalogue;
}

const SearcherInfo* find_searcher(std::string_view name) {
  const std::vector<SearcherInfo>& all = searcher_catalogue();
  const auto found = std::ranges::find(all, name, &SearcherInfo::name);
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<Searcher> make_searcher(std::string_view name, const ParameterSpace& space,
                                        const SearcherSettings& settings) {
  const auto entry = std::ranges::find(kEntries, name, &Entry::name);
  if (entry != kEntries.end()) {
    check_options(name, find_searcher(name)->options, settings.options);
    if (settings.starts_only) return starts_first(nullptr, space, settings.starts);
    return starts_first(beginning(*entry, space, settings), space,
                        first_proposals(*entry, settings));
  }
  std::string known;
  for (const Entry& e : kEntries) known += (known.empty() ? "" : ", ") + std::string(e.name);
  throw std::invalid_argument("there is no searcher '" + std::string(name) + "'; there are " +
                              known);
}

}  // namespace nightshift::search
