#include "search/table/table_claims.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/distributions.h"
#include "search/statistics/signed_rank.h"

namespace nightshift::search {
namespace {

constexpr std::size_t kFewestPairs = 8;  // of all shapes together

struct Moments {
  double mean = 0, variance = 0;  // of the mean
};
Moments moments_of(const std::vector<double>& effects) {
  const auto n = static_cast<double>(effects.size());
  const double mean = std::accumulate(effects.begin(), effects.end(), 0.0) / n;
  double squares = 0;
  for (const double effect : effects) squares += (effect - mean) * (effect - mean);
  return {mean, std::max(squares / (n - 1), kDifferenceVariance) / n};
}

bool is_evidence(const HoldOutShape& shape) {
  return shape.effects.size() >= 2 &&
         std::ranges::all_of(shape.effects, [](double d) { return std::isfinite(d); });
}

// The weighted mean, its error and its degrees of freedom.
struct Pooled {
  double mean = 0, error = 0, freedom = 0;
  std::vector<double> means;  // of the shapes with another choice
};
Pooled pooled(std::span<const HoldOutShape> shapes) {
  Pooled all;
  double total = 0, variance = 0, squares = 0;
  for (const HoldOutShape& shape : shapes) total += shape.weight;
  for (const HoldOutShape& shape : shapes) {
    if (shape.effects.empty()) continue;
    const Moments own = moments_of(shape.effects);
    const double share = shape.weight / total;
    const double part = share * share * own.variance;
    all.means.push_back(own.mean);
    all.mean += share * own.mean;
    variance += part;
    squares += part * part / static_cast<double>(shape.effects.size() - 1);
  }
  all.error = std::sqrt(variance);
  all.freedom = variance * variance / squares;
  return all;
}

}  // namespace

double level_in_turn(double level, std::size_t shapes, std::size_t shown) {
  return level / static_cast<double>(std::max<std::size_t>(1, shapes - std::min(shown, shapes)));
}

TableClaim judge_table(std::span<const HoldOutShape> shapes, double level, bool rises) {
  TableClaim claim;
  bool good = true;
  for (const HoldOutShape& shape : shapes) {
    if (shape.effects.empty()) continue;
    good = good && is_evidence(shape);
    claim.pairs += shape.effects.size();
    ++claim.shapes;
  }
  if (claim.shapes == 0) {
    claim.reason = "every shape keeps the default";
    return claim;
  }
  if (!good || claim.pairs < kFewestPairs) {
    claim.interval = {0, std::numeric_limits<double>::infinity()};
    claim.reason = "too few pairs to say anything";
    return claim;
  }
  const Pooled all = pooled(shapes);
  const double half = student_upper_quantile(level, all.freedom) * all.error;
  claim.ratio = std::exp(-all.mean);
  claim.interval = {std::exp(-all.mean - half), std::exp(-all.mean + half), 1 - 2 * level};
  claim.p_value = student_upper_tail(all.mean / all.error, all.freedom);
  claim.signed_rank_p = signed_rank_p(all.means);
  claim.accepted = claim.p_value <= level;
  claim.reason = "the table is " + as_gain(all.mean, rises) +
                 " than the default over all shapes, " + as_p(claim.p_value);
  return claim;
}

}  // namespace nightshift::search
