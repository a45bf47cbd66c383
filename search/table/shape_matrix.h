#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "search/table/table_shape.h"

namespace nightshift::search {

// Candidates by shapes. A candidate is a position in a list of configurations; the first, 0, is the
// default: what a program does without a table. All figures are ln(candidate / default) of the
// judged cost, so that 0 is the default and lower is better.

// What was measured of one candidate on one shape.
struct MatrixCell {
  std::vector<double> effects;   // one a block, against the default of that block
  bool same_as_default = false;  // the same machine code: nothing to measure
  bool failed = false;           // it is outside of the shape's space, not built, wrong, or crashed
};
struct MatrixColumn {
  TableShape shape;
  std::vector<MatrixCell> cells;  // by candidate; that of the default is not looked at
};

// What is believed of a candidate on a shape.
struct CellEstimate {
  double mean = 0;
  double error = 0;  // standard error; infinite where nothing was measured
  bool usable = true;
};
// By shape, then by candidate.
using MatrixEstimates = std::vector<std::vector<CellEstimate>>;

// As measured. The variance of a block is that of all cells of the shape together: three blocks of
// one cell say nothing of their own scatter.
MatrixEstimates measured_estimates(const std::vector<MatrixColumn>& columns);

// Each drawn towards its candidate's mean over all shapes by as much as its own error says
// (search/statistics/shrinkage.h), since the best of many noisy cells is mostly luck.
MatrixEstimates shrunken_estimates(const std::vector<MatrixColumn>& columns);

// What choosing a candidate on a shape is thought to gain, as a cost: a gain of less than one
// standard error is none, a loss counts as it is, and what cannot be used costs kUnusable.
inline constexpr double kUnusable = 1e6;
double careful_cost(const CellEstimate& estimate);

}  // namespace nightshift::search
