#include "search/table/carried_over.h"

#include <algorithm>
#include <cmath>

namespace nightshift::search {
namespace {

// ln(candidate / default); nullopt where it does not run.
std::optional<double> log_cost(const std::vector<CellEstimate>& cells, std::size_t candidate) {
  if (candidate == 0) return 0;
  if (candidate >= cells.size()) return std::nullopt;
  const CellEstimate& cell = cells[candidate];
  if (!cell.usable || !std::isfinite(cell.mean) || !std::isfinite(cell.error)) return std::nullopt;
  return cell.mean;
}

}  // namespace

CarriedOver carried_over(const std::vector<MatrixColumn>& columns, const MatrixEstimates& estimates,
                         const std::vector<std::size_t>& own,
                         const std::vector<std::optional<std::size_t>>& other) {
  CarriedOver result;
  double weights = 0, others = 0, owns = 0;
  double worst = 0;
  for (std::size_t s = 0; s < columns.size() && s < other.size(); ++s) {
    if (!other[s]) continue;
    ++result.shapes;
    const auto cost = log_cost(estimates[s], *other[s]);
    const auto own_cost = log_cost(estimates[s], own[s]);
    if (!cost || !own_cost) continue;
    const double weight = columns[s].shape.weight;
    weights += weight;
    others += weight * *cost;
    owns += weight * *own_cost;
    const double loss = *cost - *own_cost;
    worst = result.ran++ == 0 ? loss : std::max(worst, loss);
    if (loss <= std::log1p(kAsGood)) ++result.as_good;
  }
  if (result.ran == 0) return result;
  result.of_default = std::exp(others / weights);
  result.own_of_default = std::exp(owns / weights);
  result.worst = std::exp(worst);
  return result;
}

}  // namespace nightshift::search
