#pragma once

#include <vector>

#include "search/inert/inert_parameters.h"
#include "search/model/anova_kernel.h"
#include "search/model/prior.h"
#include "search/model/unseen.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// The configurations among which a model chooses.
struct CandidatePool {
  std::vector<ConfigurationIndex> indices;
  std::vector<Levels> levels;
  std::vector<float> log_plausibility;
  std::vector<std::uint64_t> keys;  // see InertParameters; empty where nothing is inert
  bool is_whole_space = false;

  bool empty() const { return indices.empty(); }
};

// All unseen configurations where the space is small. Otherwise the unseen ones around `centres`
// (one parameter changed, then two and three at random), and with `everywhere` as many again drawn
// by plausibility; where the space is not counted a few draws and what is around them. What it
// takes does not grow with the lists of values. Of those that differ in inert parameters alone the
// first one counts, unless it is known already.
//
// Rejected: twice more around those of them that it is worth most to try. In spaces of 59,000 to
// 324,000 configurations, modelled after trials of seven kernels, 400 trials found no more that
// way.
CandidatePool gather_candidates(const ParameterSpace& space, const Aspects& aspects,
                                const ProposalPrior& guess, const Unseen& unseen,
                                const InertParameters& inert,
                                const std::vector<ConfigurationIndex>& centres, bool everywhere,
                                base::Rng& rng);

}  // namespace nightshift::search
