#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/model/aspects.h"

namespace nightshift::search {

// A configuration as a model sees it: its level in each aspect.
using Levels = std::vector<std::uint8_t>;

// How alike two configurations are, as a product over the aspects (the ANOVA kernel of Stitson et
// al., 1999, normalised):
//
//   k(x, x') = product over a of (1 + r_a s_a(x_a, x'_a)) / (1 + r_a)
//
// Multiplied out it is a sum over all subsets of aspects: a mean, an effect of each aspect, of each
// pair and so on, so that what one parameter does alone is learnt from few trials. r_a >= 0 is the
// aspect's relevance; s_a is Matern 3/2 with its length for ordered aspects, equality for others.
// Levels are few, so the kernel is a table for each aspect.
class AnovaKernel {
 public:
  explicit AnovaKernel(const Aspects& aspects);

  struct Scale {
    double log_relevance = 0;
    double log_length = 0.3;  // the coordinates of an aspect lie in [0, 1]
  };

  std::size_t aspects() const { return tables_.size(); }
  double operator()(const Levels& a, const Levels& b) const;  // in (0, 1]; 1 where equal
  // Factors of the aspect's `level` against each of its levels.
  std::span<const float> factors(std::size_t aspect, std::uint8_t level) const;
  double noise() const;  // variance of an observation relative to the process's

  // Moves scales and noise uphill in the posterior density of what was observed (a log-normal prior
  // keeps unknown ones at rest), by `sweeps` rounds of random steps, one aspect at a time.
  // `variances` are those of the targets, on top of noise(); targets have any unit.
  void fit(const std::vector<Levels>& points, std::span<const double> targets,
           std::span<const double> variances, int sweeps, base::Rng& rng);

 private:
  class Ascent;
  std::vector<float> table_of(std::size_t aspect, const Scale& scale) const;

  const Aspects* aspects_;
  std::vector<Scale> scales_;
  std::vector<std::vector<float>> tables_;  // levels x levels
  double log_noise_;
};

}  // namespace nightshift::search
