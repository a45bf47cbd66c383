#pragma once

#include <cstddef>
#include <memory>

#include "search/searcher.h"

namespace nightshift::search {

// How the search by a Gaussian process is done. Chosen on recorded spaces of four kernels, each
// setting by the spaces of the other kernels; they lie on plateaus.
struct ModelSearchOptions {
  bool optimistic = false;       // lower confidence bound in place of expected improvement
  bool only_neighbours = false;  // of the best few, else the whole space or a sample of it
  bool roles = true;             // begins with what usually works on hardware (see ProposalPrior)
  std::size_t starts = 1;        // trials before the model decides
  std::size_t start_candidates = 6;  // of which the one farthest from the known is tried
  double refit_growth = 1.15;        // of the trials, between two fits of the kernel
  std::size_t sweeps = 3;            // of a fit
  std::size_t max_fitted = 120;      // trials that the kernel is fitted to
  std::size_t max_modelled = 200;    // trials that the model holds after a rebuild
  double guess_trials = 5;           // how long guesses count: their weight is 5 / trials
  double most_gain = 0.15;           // logarithm of the gain that a trial is to bring
  double gain_trials = 2.5;          // and how it falls with their number
  double gain_share = 0.15;          // of the best's lead over the first trials, at most
  double confidence = 2;             // deviations below the mean, for confidence bounds
};

// Bayesian optimisation (Mockus, 1978; Jones et al., 1998) on constrained lists of values; see the
// source for what is ours. Nothing waits for anything: what is outstanding makes the model less
// uncertain there, and no better or worse.
std::unique_ptr<Searcher> make_model_searcher(const ParameterSpace& space,
                                              const SearcherSettings& settings,
                                              const ModelSearchOptions& options);

}  // namespace nightshift::search
