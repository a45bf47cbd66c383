#include "search/statistics/power.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/statistics/distributions.h"

namespace nightshift::search {

namespace {

std::size_t rounded_up(double size, std::size_t least) {
  if (!(size < static_cast<double>(kMostPairs))) return kMostPairs;  // NaN too
  return std::max(least, static_cast<std::size_t>(std::ceil(std::max(0.0, size))));
}

double sd_of_difference(double cv) { return std::sqrt(2 * std::log1p(cv * cv)); }

double power_of(double alpha, double n, double noncentrality) {
  return noncentral_student_upper_tail(student_upper_quantile(alpha, n - 1), n - 1, noncentrality);
}

}  // namespace

std::size_t paired_sample_size_normal(double alpha, double power, double cv, double gain) {
  if (!(gain > 0)) return kMostPairs;
  const double z = normal_upper_quantile(alpha) + normal_quantile(power);
  const double ratio = z * sd_of_difference(cv) / std::log1p(gain);
  return rounded_up(ratio * ratio, 1);
}

std::size_t paired_sample_size(double alpha, double power, double cv, double gain) {
  if (!(gain > 0) || !std::isfinite(cv)) return kMostPairs;
  if (cv == 0) return 2;
  const double sd = sd_of_difference(cv);
  const double effect = std::log1p(gain);
  const auto enough = [&](std::size_t n) { return paired_power(alpha, n, sd, effect) >= power; };
  std::size_t few = 1;
  std::size_t many = std::max<std::size_t>(2, paired_sample_size_normal(alpha, power, cv, gain));
  while (many < kMostPairs && !enough(many)) {
    few = many;
    many = std::min(kMostPairs, many + many / 8 + 1);
  }
  while (many - few > 1) {
    const std::size_t middle = few + (many - few) / 2;
    (enough(middle) ? many : few) = middle;
  }
  return many;
}

double paired_power(double alpha, std::size_t n, double sd_difference, double effect) {
  if (n < 2 || !(sd_difference > 0)) return 0;
  const auto count = static_cast<double>(n);
  return power_of(alpha, count, effect / sd_difference * std::sqrt(count));
}

double detectable_effect(double alpha, double power, std::size_t n, double sd_difference) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLargest = 1e4;
  if (n < 2) return kInfinity;
  const auto count = static_cast<double>(n);
  double low = -40, high = 40;  // noncentrality
  while (high < kLargest && !(power_of(alpha, count, high) >= power)) high *= 2;
  if (high >= kLargest) return kInfinity;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high * sd_difference / std::sqrt(count);
    (power_of(alpha, count, middle) < power ? low : high) = middle;
  }
}

std::size_t hold_out_pairs(double sd_pair, double gain, std::size_t devices, double alpha,
                           double power, std::size_t fewest, std::size_t most) {
  constexpr double kShareOfGain = 0.7;
  if (!(gain > 0) || devices == 0) return most;
  const double z = normal_upper_quantile(alpha) + normal_quantile(power);
  const double ratio = z * sd_pair / (kShareOfGain * gain);
  return std::clamp(rounded_up(ratio * ratio / static_cast<double>(devices), 1), fewest, most);
}

std::size_t repetitions(double cost_outer, double cost_inner, double sd_inner, double sd_outer) {
  return rounded_up(std::sqrt(cost_outer / cost_inner) * (sd_inner / sd_outer), 1);
}

}  // namespace nightshift::search
