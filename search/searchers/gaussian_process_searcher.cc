#include "search/searchers/model_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

// The default is the search by a Gaussian process with everything that we know: on recorded spaces
// it is ahead of every other searcher of the catalogue after any number of trials.
std::unique_ptr<Searcher> make_auto_searcher(const ParameterSpace& space,
                                             const SearcherSettings& settings) {
  return make_model_searcher(space, settings, {});
}

// Expected improvement without any belief in powers of two: what `auto` gains by that is the
// difference between the two.
std::unique_ptr<Searcher> make_gaussian_process_searcher(const ParameterSpace& space,
                                                         const SearcherSettings& settings) {
  ModelSearchOptions options;
  options.roles = false;
  options.starts = 3;
  return make_model_searcher(space, settings, options);
}

// After Helion's UCBPatternSearch (a branch of 2025 that was never merged): only what is around the
// best few trials is weighed, by an optimistic bound two deviations below the mean. Unlike there
// the model takes in every trial at once.
std::unique_ptr<Searcher> make_ucb_pattern_searcher(const ParameterSpace& space,
                                                    const SearcherSettings& settings) {
  ModelSearchOptions options;
  options.acquisition = ModelSearchOptions::Acquisition::kConfidenceBound;
  options.candidates = ModelSearchOptions::Candidates::kPattern;
  options.roles = false;
  options.starts = 8;
  return make_model_searcher(space, settings, options);
}

}  // namespace nightshift::search
