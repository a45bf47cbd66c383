#include "search/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "search/statistics/distributions.h"
#include "search/statistics/strata.h"
#include "search/statistics/summary.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kExactPairs = 2500;  // n m

// Twice the ranks, which are whole numbers where ties share their mean rank, and what ties take
// from the variance: the sum of t^3 - t.
struct Ranks {
  std::vector<std::size_t> doubled;
  double ties = 0;
};

Ranks ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  Ranks ranks;
  ranks.doubled.resize(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const auto t = static_cast<double>(end - begin);
    ranks.ties += t * t * t - t;
    for (std::size_t i = begin; i < end; ++i) ranks.doubled[order[i]] = begin + end + 1;
    begin = end;
  }
  return ranks;
}

bool usable(std::span<const double> x, std::span<const double> y) {
  return !x.empty() && !y.empty() && all_finite(x) && all_finite(y);
}

Ranks joint_ranks(std::span<const double> x, std::span<const double> y) {
  std::vector<double> all(x.begin(), x.end());
  all.insert(all.end(), y.begin(), y.end());
  return ranks_of(all);
}

std::size_t sum_of_first(const std::vector<std::size_t>& values, std::size_t n) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += values[i];
  return sum;
}

double u_of(const Ranks& ranks, std::size_t n) {
  const auto count = static_cast<double>(n);
  return static_cast<double>(sum_of_first(ranks.doubled, n)) / 2 - count * (count + 1) / 2;
}

// The chance of each sum of a random choice of n of the doubled ranks. chances[k] is for k out of
// the ranks seen so far, each choice equally likely, so that nothing overflows and all terms are
// positive.
std::vector<double> chances_of_sums(const std::vector<std::size_t>& doubled, std::size_t n) {
  std::vector<std::size_t> sorted = doubled;
  std::ranges::sort(sorted, std::greater());
  const std::size_t largest = sum_of_first(sorted, n);
  std::vector<std::vector<double>> chances(n + 1, std::vector<double>(largest + 1, 0));
  chances[0][0] = 1;
  for (std::size_t seen = 1; seen <= doubled.size(); ++seen) {
    const std::size_t rank = doubled[seen - 1];
    for (std::size_t k = std::min(seen, n); k > 0; --k) {
      const double taken = static_cast<double>(k) / static_cast<double>(seen);
      for (std::size_t s = 0; s <= largest; ++s) {
        const double with = s >= rank ? chances[k - 1][s - rank] : 0;
        chances[k][s] = (1 - taken) * chances[k][s] + taken * with;
      }
    }
  }
  return std::move(chances[n]);
}

struct Tails {
  double low = 0, high = 0;  // P(sum <= at), P(sum >= at)
};

Tails tails_of(const std::vector<double>& chances, std::size_t at) {
  Tails tails;
  for (std::size_t s = 0; s < chances.size(); ++s) {
    if (s <= at) tails.low += chances[s];
    if (s >= at) tails.high += chances[s];
  }
  return {std::min(1.0, tails.low), std::min(1.0, tails.high)};
}

double both(double smaller_tail) { return std::min(1.0, 2 * smaller_tail); }

}  // namespace

MannWhitney mann_whitney_exact(std::span<const double> x, std::span<const double> y) {
  if (!usable(x, y)) return {};
  if (x.size() > y.size()) {  // the same by choosing the fewer
    MannWhitney other = mann_whitney_exact(y, x);
    std::swap(other.p_less, other.p_greater);
    other.u = static_cast<double>(x.size()) * static_cast<double>(y.size()) - other.u;
    return other;
  }
  const Ranks ranks = joint_ranks(x, y);
  const Tails tails =
      tails_of(chances_of_sums(ranks.doubled, x.size()), sum_of_first(ranks.doubled, x.size()));
  return {u_of(ranks, x.size()), both(std::min(tails.low, tails.high)), tails.low, tails.high,
          true};
}

MannWhitney mann_whitney_normal(std::span<const double> x, std::span<const double> y,
                                bool continuity) {
  if (!usable(x, y)) return {};
  const Ranks ranks = joint_ranks(x, y);
  const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  MannWhitney result;
  result.u = u_of(ranks, x.size());
  if (!(variance > 0)) return result;
  const double sd = std::sqrt(variance);
  const double distance = result.u - n * m / 2;
  const double half = continuity ? 0.5 : 0;
  result.p_greater = normal_upper_tail((distance - half) / sd);
  result.p_less = normal_upper_tail((-distance - half) / sd);
  result.p_two_sided = both(std::min(result.p_greater, result.p_less));
  return result;
}

MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y) {
  if (!usable(x, y)) return {};
  const bool exact = x.size() * y.size() <= kExactPairs && joint_ranks(x, y).ties == 0;
  return exact ? mann_whitney_exact(x, y) : mann_whitney_normal(x, y);
}

}  // namespace nightshift::search
