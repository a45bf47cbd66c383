#pragma once

#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// Variants of the search by a Gaussian process.
struct ModelSearchOptions {
  enum class Acquisition { kExpectedImprovement, kConfidenceBound };
  enum class Candidates {
    kEverywhere,  // the whole space, or a sample of it with what is around the best
    kPattern,     // only what is around the best few
  };
  Acquisition acquisition = Acquisition::kExpectedImprovement;
  Candidates candidates = Candidates::kEverywhere;
  bool roles = true;  // begins with what usually works on hardware (see ProposalPrior)
  int starts = 1;     // trials before the model decides
};

// Bayesian optimisation (Mockus, 1978; Jones et al., 1998) on constrained lists of values; see the
// source for what is ours. Nothing waits for anything: what is outstanding makes the model less
// uncertain there, and no better or worse.
std::unique_ptr<Searcher> make_model_searcher(const ParameterSpace& space,
                                              const SearcherSettings& settings,
                                              const ModelSearchOptions& options);

}  // namespace nightshift::search
