#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nightshift::search {

// Many p-values: what they say together, and what each says among the others. A p outside [0, 1],
// or NaN, counts as 1: no evidence.

struct CombinedP {
  double statistic = 0;
  double p = 1;
};
// -2 sum of ln p, chi-squared with 2 k degrees of freedom (Fisher 1932). One p of 0: p = 0. None:
// p = 1.
CombinedP fisher(std::span<const double> p);
// sum of w z / sqrt(sum of w^2), z = the normal quantile of 1 - p (Stouffer 1949); without weights
// all are 1. p values of 0 and 1 together, weights that are negative, not finite, all zero or not
// as many as p: nothing is shown.
CombinedP stouffer(std::span<const double> p, std::span<const double> weights = {});
// Every hypothesis must fall (Berger 1982): the largest p. Needs no correction. None: 1.
double intersection_union(std::span<const double> p);

// Adjusted p-values, in the order given: reject where at most alpha. Holm (1979) keeps the chance
// of any error, Benjamini and Hochberg (1995) the expected share of errors among what is rejected.
std::vector<double> holm(std::span<const double> p);
std::vector<double> benjamini_hochberg(std::span<const double> p);

// What part of alpha the j-th of an endless sequence of hypotheses may spend, j = 1, 2, ...:
// alpha 6 / (pi^2 j^2); together they spend alpha. 0 for j = 0.
double online_level(double alpha, std::size_t j);

// e-LOND (Xu and Ramdas 2024): accepts while hypotheses come one by one, and the expected share of
// false ones among the accepted stays below alpha, however their e-values depend on each other.
// The j-th is accepted where E >= 1 / (online_level(alpha, j) (accepted before + 1)).
class ELond {
 public:
  explicit ELond(double alpha) : alpha_(alpha) {}

  // True: accepted. NaN is not.
  bool add(double log_e);
  double log_threshold() const;  // that the next log_e must reach
  std::size_t seen() const { return seen_; }
  std::size_t accepted() const { return accepted_; }

 private:
  double alpha_;
  std::size_t seen_ = 0, accepted_ = 0;
};

}  // namespace nightshift::search
