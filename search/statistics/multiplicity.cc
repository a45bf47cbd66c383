#include "search/statistics/multiplicity.h"

#include <algorithm>
#include <cmath>

#include "search/statistics/distributions.h"

namespace nightshift::search {

namespace {

constexpr double kSixOverPiSquared = 0.6079271018540267;

double valid(double p) { return p >= 0 && p <= 1 ? p : 1; }

std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return valid(p[i]); });
  return order;
}

}  // namespace

CombinedP fisher(std::span<const double> p) {
  if (p.empty()) return {};
  double sum = 0;
  for (const double each : p) sum += std::log(valid(each));
  const double statistic = sum == 0 ? 0 : -2 * sum;
  return {statistic, chi_squared_upper_tail(statistic, 2 * static_cast<double>(p.size()))};
}

CombinedP stouffer(std::span<const double> p, std::span<const double> weights) {
  if (p.empty() || (!weights.empty() && weights.size() != p.size())) return {};
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (!(weight >= 0) || !std::isfinite(weight)) return {};
    if (weight == 0) continue;
    sum += weight * normal_upper_quantile(valid(p[i]));
    squares += weight * weight;
  }
  if (squares == 0 || std::isnan(sum)) return {};
  const double z = sum / std::sqrt(squares);
  return {z, normal_upper_tail(z)};
}

double intersection_union(std::span<const double> p) {
  double largest = 0;
  for (const double each : p) largest = std::max(largest, valid(each));
  return p.empty() ? 1 : largest;
}

std::vector<double> holm(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, left * valid(p[order[rank]])));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const double share = static_cast<double>(order.size()) / static_cast<double>(rank);
    smallest = std::min(smallest, share * valid(p[order[rank - 1]]));
    adjusted[order[rank - 1]] = smallest;
  }
  return adjusted;
}

double online_level(double alpha, std::size_t j) {
  if (j == 0) return 0;
  const auto place = static_cast<double>(j);
  return alpha * kSixOverPiSquared / (place * place);
}

double ELond::log_threshold() const {
  return -std::log(online_level(alpha_, seen_ + 1) * static_cast<double>(accepted_ + 1));
}

bool ELond::add(double log_e) {
  const bool accept = log_e >= log_threshold();
  ++seen_;
  accepted_ += accept ? 1 : 0;
  return accept;
}

}  // namespace nightshift::search
