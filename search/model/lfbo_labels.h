#pragma once

#include <cstddef>
#include <vector>

namespace nightshift::search {

// One observation that worked, for labelling: logarithm of its score and its standard error.
struct LabelledCost {
  double cost = 0;
  double error = 0;
};

// Classes for likelihood-free optimisation (Song et al. 2022): class 1 is below the boundary,
// weighted by how far below, so that the forest's probability ranks by expected improvement rather
// than by its chance alone. With noise an observation is both, by the chance of each, and then has
// two rows.
struct LfboRows {
  std::vector<std::size_t> observation;  // position in the costs
  std::vector<double> labels, weights;
};

// Half of a good row's weight is the same for all of them, half goes by its margin; on average they
// weigh 1, like the others.
LfboRows lfbo_rows(const std::vector<LabelledCost>& costs, double boundary);

}  // namespace nightshift::search
