#include "search/table/shape_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/statistics/shrinkage.h"

namespace nightshift::search {
namespace {

bool is_measured(const MatrixCell& cell) {
  return !cell.failed && !cell.same_as_default && !cell.effects.empty();
}

double mean_of_blocks(const MatrixCell& cell) {
  return std::accumulate(cell.effects.begin(), cell.effects.end(), 0.0) /
         static_cast<double>(cell.effects.size());
}

// Of one block, within cells; infinite where no cell has two blocks.
double block_variance(const MatrixColumn& column) {
  double squares = 0, freedom = 0;
  for (const MatrixCell& cell : column.cells) {
    if (!is_measured(cell) || &cell == column.cells.data()) continue;
    const double mean = mean_of_blocks(cell);
    for (const double effect : cell.effects) squares += (effect - mean) * (effect - mean);
    freedom += static_cast<double>(cell.effects.size()) - 1;
  }
  return freedom > 0 ? squares / freedom : std::numeric_limits<double>::infinity();
}

CellEstimate estimate_of(const MatrixCell& cell, double variance) {
  if (cell.failed) return {0, std::numeric_limits<double>::infinity(), false};
  if (cell.same_as_default) return {};
  if (cell.effects.empty()) return {0, std::numeric_limits<double>::infinity(), true};
  return {mean_of_blocks(cell), std::sqrt(variance / static_cast<double>(cell.effects.size())),
          true};
}

}  // namespace

MatrixEstimates measured_estimates(const std::vector<MatrixColumn>& columns) {
  MatrixEstimates estimates;
  for (const MatrixColumn& column : columns) {
    const double variance = block_variance(column);
    std::vector<CellEstimate>& row = estimates.emplace_back();
    for (const MatrixCell& cell : column.cells) row.push_back(estimate_of(cell, variance));
    if (!row.empty()) row.front() = {};
  }
  return estimates;
}

MatrixEstimates shrunken_estimates(const std::vector<MatrixColumn>& columns) {
  MatrixEstimates estimates = measured_estimates(columns);
  const std::size_t candidates = columns.empty() ? 0 : columns.front().cells.size();
  for (std::size_t c = 1; c < candidates; ++c) {
    std::vector<double> effects, errors;
    for (std::size_t s = 0; s < columns.size(); ++s) {
      const CellEstimate& cell = estimates[s][c];
      if (!is_measured(columns[s].cells[c]) || !(cell.error > 0) || std::isinf(cell.error))
        continue;
      effects.push_back(cell.mean);
      errors.push_back(cell.error);
    }
    const Prior prior = prior_of(effects, errors);
    for (std::size_t s = 0; s < columns.size(); ++s) {
      CellEstimate& cell = estimates[s][c];
      if (!is_measured(columns[s].cells[c]) || std::isinf(cell.error)) continue;
      const Shrunken drawn = shrink(cell.mean, cell.error, prior);
      cell.mean = drawn.mean;
      cell.error = drawn.sd;
    }
  }
  return estimates;
}

double careful_cost(const CellEstimate& estimate) {
  if (!estimate.usable) return kUnusable;
  if (!std::isfinite(estimate.error)) return std::max(estimate.mean, 0.0);
  const bool gains = estimate.mean + estimate.error < 0;
  return gains ? estimate.mean : std::max(estimate.mean, 0.0);
}

}  // namespace nightshift::search
