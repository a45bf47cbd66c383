#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nightshift::bench {

// The performance score by evaluations, after the methodology of Willemsen et al. ("A methodology
// for comparing optimization algorithms for auto-tuning", Future Generation Computer Systems 2024)
// as its package autotuning_methodology 1.1.0 calculates it. 0 is random search, 1 the optimum.
//
// `values` are those of the configurations that worked, best first, lower is better.

// The median of sorted values.
double median_of_sorted(std::span<const double> values);

// What random search without replacement has found after `m` >= 1 evaluations, by calculation: the
// value at rank min(N-1, round(m (N+1) / (m+1))), counted from 0 at the worst; halves round to
// even.
double calculated_random(std::span<const double> values, std::size_t m);

// Evaluations after which random search has come the part `share` (0.95) of the way from the median
// to the optimum: with i the first rank, from the worst, at or below that value,
// ceil(i / (N + 1 - i)).
std::size_t evaluations_to_share(std::span<const double> values, double share);

// The exact expectation of what uniform drawing without replacement has found after m evaluations,
// when `failures` of the configurations fail: the sum over k of P(values[k] is the best so far) *
// gain[k], and P(nothing worked yet) * before.
double expected_of_random(std::span<const double> gain, std::size_t failures, std::size_t m,
                          double before);

// One space's score over the evaluations 1 .. min(budget, max(95 % budget, 20)): the mean of
// (random - curve) / (random - optimum). Evaluations by which the calculated random search itself
// has found the optimum, as happens in small spaces, are left out.
class EvaluationScore {
 public:
  EvaluationScore(std::span<const double> values, std::size_t budget);

  std::size_t evaluations() const { return weights_.size(); }
  // Where a run that has not succeeded yet is taken to stand: the median, where the calculated
  // random search begins. (The methodology leaves such runs out, which favours failing.)
  double before_success() const { return median_; }
  // `curve[i]` is the value after i + 1 evaluations; one that ends early keeps its last value, an
  // empty one stands at before_success().
  double of(std::span<const double> curve) const;
  // What of() is expected to be for uniform drawing. Not 0: the calculated random search is a rank,
  // not an expectation, and far-off values pull the expectation down where the budget is short.
  double expected_for_random(std::span<const double> values, std::size_t failures) const;

 private:
  double median_;
  std::vector<double> random_;   // by evaluation
  std::vector<double> weights_;  // 1 / (random - optimum) / count; 0 where left out
};

}  // namespace nightshift::bench
