#include "search/statistics/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/statistics/distributions.h"

namespace nightshift::search {
namespace {

// Of the sizes in ascending order, twice each: means of two ranks are whole numbers then.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& sizes) {
  std::vector<std::size_t> ranks(sizes.size());
  for (std::size_t first = 0; first < sizes.size();) {
    std::size_t end = first + 1;
    while (end < sizes.size() && sizes[end] == sizes[first]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[i] = first + 1 + end;
    first = end;
  }
  return ranks;
}

double exact_p(const std::vector<std::size_t>& ranks, std::size_t positive) {
  std::size_t all = 0;
  for (const std::size_t rank : ranks) all += rank;
  std::vector<double> chance(all + 1, 0.0);  // of each sum of the ranks so far
  chance[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = all + 1; sum-- > 0;) {
      chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
    }
  }
  double p = 0;
  for (std::size_t sum = all + 1; sum-- > positive;) p += chance[sum];
  return std::min(p, 1.0);
}

double normal_p(const std::vector<std::size_t>& ranks, std::size_t positive) {
  double mean = 0, variance = 0;
  for (const std::size_t doubled : ranks) {
    const double rank = static_cast<double>(doubled) / 2;
    mean += rank / 2;
    variance += rank * rank / 4;
  }
  const double above = static_cast<double>(positive) / 2 - mean - 0.5;
  return normal_upper_tail(above / std::sqrt(variance));
}

}  // namespace

double signed_rank_p(std::span<const double> differences) {
  std::vector<double> ordered;
  for (const double d : differences) {
    if (!std::isfinite(d)) return 1;
    if (d != 0) ordered.push_back(d);
  }
  if (ordered.empty()) return 1;
  const auto size = [](double d) { return std::abs(d); };
  std::ranges::sort(ordered, {}, size);
  std::vector<double> sizes(ordered.size());
  std::ranges::transform(ordered, sizes.begin(), size);
  const std::vector<std::size_t> ranks = doubled_ranks(sizes);
  std::size_t positive = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) positive += ordered[i] > 0 ? ranks[i] : 0;
  return ranks.size() > kMostExactRanks ? normal_p(ranks, positive) : exact_p(ranks, positive);
}

int fewest_for_signed_rank(double level) {
  constexpr int kMost = 64;
  for (int n = 1; n < kMost; ++n) {
    if (std::ldexp(1.0, -n) <= level) return n;
  }
  return kMost;
}

}  // namespace nightshift::search
