#include "search/searchers/model_searcher.h"
#include "search/searchers/searchers.h"

namespace nightshift::search {

// The default is the search by a Gaussian process with everything that we know: on recorded spaces
// it is ahead of every other searcher of the catalogue after any number of trials.
std::unique_ptr<Searcher> make_auto_searcher(const ParameterSpace& space,
                                             const SearcherSettings& settings) {
  return make_model_searcher(space, settings, {});
}

}  // namespace nightshift::search
