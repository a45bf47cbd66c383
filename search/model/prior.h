#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/model/unseen.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// What is believed of a configuration before anything was measured.
class ProposalPrior {
 public:
  // The user's weights where a parameter has them. Elsewhere, with `roles`, a value that is no
  // power of two counts a twentieth where a list mixes both: blocks, tiles and unrollings that
  // divide the hardware's widths are seldom worse.
  ProposalPrior(const ParameterSpace& space, bool roles);

  // In (0, 1]: how likely the configuration is among the good ones, relative to the likeliest.
  double plausibility(std::span<const std::uint32_t> digits) const;

  // An unseen configuration, marked seen, drawn by plausibility; nullopt when none is left.
  std::optional<ConfigurationIndex> draw(Unseen& unseen, base::Rng& rng) const;

 private:
  friend class PriorSampler;

  const ParameterSpace* space_;
  std::vector<std::vector<double>> weights_;  // by parameter and digit; empty: all 1
};

// Unseen configurations drawn by plausibility, one after another and none marked; what it refers to
// outlives it.
class PriorSampler {
 public:
  PriorSampler(const ProposalPrior& guess, const Unseen& unseen, base::Rng& rng)
      : guess_(guess), unseen_(unseen), rng_(rng) {}

  // nullopt where none was found in reasonable time. Where draws are in vain time and again, since
  // plausible configurations are too rare to be met, it settles for the most plausible of a few; so
  // it does in a space that is not counted, where each draw is a search.
  std::optional<ConfigurationIndex> next();

 private:
  const ProposalPrior& guess_;
  const Unseen& unseen_;
  base::Rng& rng_;
  int in_vain_ = 0;  // in a row
};

}  // namespace nightshift::search
