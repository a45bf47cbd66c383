#pragma once

#include <cstddef>
#include <vector>

namespace nightshift::search {

// Which few of many configurations a table keeps: k-median over shapes. The default is always
// there and is not counted.

// ln(candidate / default) of choosing a candidate on a shape (careful_cost()), by shape, then by
// candidate; that of the default, candidate 0, is 0.
struct ChoiceCosts {
  std::vector<std::vector<double>> costs;
  std::vector<double> weights;  // of the shapes, greater than 0
};

// A table of k configurations.
struct KeptConfigurations {
  std::vector<std::size_t> kept;      // ascending, without the default
  std::vector<std::size_t> of_shape;  // the best of those kept, or 0
  double geometric_mean = 1;          // of candidate / default over the shapes, weighted
  double of_best = 1;                 // the same of these over the best of all candidates
  double worst = 1;                   // of these over the best of all, on the worst shape
  std::size_t beyond_slack = 0;       // shapes that lose more than the slack to the best of all
};

// One for each k from 0 to `most`, or until another configuration brings nothing: greedily, and
// then by exchange, each of those kept with each other, until no exchange makes the weighted mean
// smaller (Teitz and Bart 1968). `slack`: a share, 0.03.
std::vector<KeptConfigurations> curve_of_kept(const ChoiceCosts& choice, std::size_t most,
                                              double slack);

// The place in the curve of the smallest k whose mean loses at most a third of the slack to the best
// of all and that has no shape beyond it; where none has, of the smallest k within 0.1 % of the
// largest one.
std::size_t enough_of(const std::vector<KeptConfigurations>& curve, double slack);

}  // namespace nightshift::search
