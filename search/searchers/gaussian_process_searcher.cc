#include "search/options/option_table.h"
#include "search/searchers/model_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

namespace {

OptionTable<ModelSearchOptions> table_of(const ModelSearchOptions& usual) {
  using Its = ModelSearchOptions;
  return {
      usual,
      {{"start_trials", &Its::starts, "trials before the model decides", 1, 10'000},
       {"start_candidates", &Its::start_candidates,
        "drawn for each of them, of which the one farthest from the known is tried", 1, 1'000},
       {"roles", &Its::roles, "the first trials go by what usually works on hardware"},
       {"guess_trials", &Its::guess_trials,
        "how long that counts: its weight is this over the trials", 0, 1'000},
       {"optimistic", &Its::optimistic,
        "candidates are weighed by an optimistic bound, not by expected improvement"},
       {"confidence", &Its::confidence, "deviations that this bound lies below the mean", 0, 100},
       {"only_neighbours", &Its::only_neighbours,
        "candidates are what is around the best few, not all of the space"},
       {"most_gain", &Its::most_gain,
        "gain that expected improvement looks for at first, as a logarithm: the more, the wider",
        0.001, 10},
       {"gain_trials", &Its::gain_trials, "later it looks for this over the trials", 0.01, 1'000},
       {"gain_share", &Its::gain_share, "or this share of the lead over the first trials, if less",
        0, 10},
       {"refit_growth", &Its::refit_growth, "of the trials, between two fits of the kernel", 1,
        100},
       {"sweeps", &Its::sweeps, "of a fit over the kernel's settings", 1, 100},
       {"max_fitted", &Its::max_fitted, "trials that the kernel is fitted to", 10, 1'000},
       {"max_modelled", &Its::max_modelled, "trials that the model holds: its time grows with them",
        10, 1'000}}};
}

const OptionTable<ModelSearchOptions>& auto_table() {
  static const OptionTable<ModelSearchOptions> table = table_of({});
  return table;
}

const OptionTable<ModelSearchOptions>& process_table() {
  static const OptionTable<ModelSearchOptions> table = [] {
    ModelSearchOptions usual;
    usual.roles = false;
    usual.starts = 3;
    return table_of(usual);
  }();
  return table;
}

const OptionTable<ModelSearchOptions>& pattern_table() {
  static const OptionTable<ModelSearchOptions> table = [] {
    ModelSearchOptions usual;
    usual.optimistic = true;
    usual.only_neighbours = true;
    usual.roles = false;
    usual.starts = 8;
    return table_of(usual);
  }();
  return table;
}

}  // namespace

// The default is the search by a Gaussian process with everything that we know: on recorded spaces
// it is ahead of every other searcher of the catalogue after any number of trials.
std::unique_ptr<Searcher> make_auto_searcher(const ParameterSpace& space,
                                             const SearcherSettings& settings) {
  return make_model_searcher(space, settings, auto_table().with(settings.options));
}

// Expected improvement without any belief in powers of two: what `auto` gains by that is the
// difference between the two.
std::unique_ptr<Searcher> make_gaussian_process_searcher(const ParameterSpace& space,
                                                         const SearcherSettings& settings) {
  return make_model_searcher(space, settings, process_table().with(settings.options));
}

// After Helion's UCBPatternSearch (a branch of 2025 that was never merged): only what is around the
// best few trials is weighed, by an optimistic bound two deviations below the mean. Unlike there
// the model takes in every trial at once.
std::unique_ptr<Searcher> make_ucb_pattern_searcher(const ParameterSpace& space,
                                                    const SearcherSettings& settings) {
  return make_model_searcher(space, settings, pattern_table().with(settings.options));
}

std::vector<SearcherOption> auto_options() { return auto_table().described(); }
std::vector<SearcherOption> gaussian_process_options() { return process_table().described(); }
std::vector<SearcherOption> ucb_pattern_options() { return pattern_table().described(); }

}  // namespace nightshift::search
