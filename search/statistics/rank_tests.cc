#include "search/statistics/rank_tests.h"

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

constexpr std::size_t kExactPairs = 2500;       // n m of Mann and Whitney
constexpr std::size_t kExactDifferences = 200;  // of Wilcoxon

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

// The signs of doubled ranks: the chance of each sum of those that are positive.
std::vector<double> chances_of_signs(const std::vector<std::size_t>& doubled) {
  std::vector<double> chances(sum_of_first(doubled, doubled.size()) + 1, 0);
  chances[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : doubled) {
    reached += rank;
    for (std::size_t s = reached + 1; s-- > 0;) {
      chances[s] = (chances[s] + (s >= rank ? chances[s - rank] : 0)) / 2;
    }
  }
  return chances;
}

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

double hodges_lehmann_shift(std::span<const double> x, std::span<const double> y) {
  if (!usable(x, y)) return 0;
  std::vector<double> differences;
  differences.reserve(x.size() * y.size());
  for (const double a : x) {
    for (const double b : y) differences.push_back(a - b);
  }
  return median_of(differences);
}

double cliffs_delta(std::span<const double> x, std::span<const double> y) {
  if (!usable(x, y)) return 0;
  const auto pairs = static_cast<double>(x.size() * y.size());
  return 2 * u_of(joint_ranks(x, y), x.size()) / pairs - 1;
}

WilcoxonSignedRank wilcoxon_signed_rank(std::span<const double> differences) {
  WilcoxonSignedRank result;
  if (!all_finite(differences)) return result;
  std::vector<double> signs, sizes;
  for (const double d : differences) {
    if (d == 0) continue;
    signs.push_back(d);
    sizes.push_back(std::abs(d));
  }
  result.n = sizes.size();
  if (result.n == 0) return result;
  const Ranks ranks = ranks_of(sizes);
  std::size_t positive = 0;
  for (std::size_t i = 0; i < result.n; ++i) positive += signs[i] > 0 ? ranks.doubled[i] : 0;
  const auto n = static_cast<double>(result.n);
  result.w_plus = static_cast<double>(positive) / 2;
  result.w_minus = n * (n + 1) / 2 - result.w_plus;
  if (result.n <= kExactDifferences) {
    const Tails tails = tails_of(chances_of_signs(ranks.doubled), positive);
    result.exact = true;
    result.p_greater = tails.high;
    result.p_two_sided = both(std::min(tails.low, tails.high));
    return result;
  }
  const double sd = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48);
  const double distance = result.w_plus - n * (n + 1) / 4;
  result.p_greater = normal_upper_tail((distance - 0.5) / sd);
  result.p_two_sided = both(normal_upper_tail((std::abs(distance) - 0.5) / sd));
  return result;
}

double hodges_lehmann_centre(std::span<const double> differences) {
  if (!all_finite(differences)) return 0;
  std::vector<double> means;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      means.push_back(differences[i] + (differences[j] - differences[i]) / 2);
    }
  }
  return median_of(means);
}

SignTest sign_test(std::size_t positives, std::size_t n, double confidence) {
  SignTest result;
  if (n == 0 || positives > n) return result;
  const auto k = static_cast<double>(positives), count = static_cast<double>(n);
  result.p_greater = binomial_upper_tail(k - 1, count, 0.5);
  result.p_two_sided = both(std::min(result.p_greater, binomial_cdf(k, count, 0.5)));
  const double tail = (1 - confidence) / 2;
  if (positives > 0) result.share.low = beta_quantile(tail, k, count - k + 1);
  if (positives < n) result.share.high = beta_quantile(1 - tail, k + 1, count - k);
  return result;
}

SignTest sign_test(std::span<const double> differences, double confidence) {
  if (!all_finite(differences)) return {};
  const auto positive = std::ranges::count_if(differences, [](double d) { return d > 0; });
  const auto negative = std::ranges::count_if(differences, [](double d) { return d < 0; });
  return sign_test(static_cast<std::size_t>(positive),
                   static_cast<std::size_t>(positive + negative), confidence);
}

}  // namespace nightshift::search
