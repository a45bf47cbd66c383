#include "search/statistics/e_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nightshift::search {

namespace {

constexpr double kLog2 = 0.6931471805599453;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ln(1 + tanh(y)) = ln 2 - ln(1 + e^(-2y)), in a form that overflows nowhere.
double log_factor(double y) {
  return kLog2 - std::max(0.0, -2 * y) - std::log1p(std::exp(-2 * std::abs(y)));
}

}  // namespace

void TanhEProcess::add(double difference) {
  if (!std::isfinite(difference)) {
    log_products_.fill(-kInfinity);
    return;
  }
  double y = difference - margin_;
  for (double& sum : log_products_) {
    sum += log_factor(y);
    y *= 2;
  }
}

double TanhEProcess::log_e() const {
  const double largest = *std::ranges::max_element(log_products_);
  if (largest == -kInfinity) return largest;
  double sum = 0;
  for (const double log_product : log_products_) sum += std::exp(log_product - largest);
  return largest + std::log(sum / kScales);
}

double log_e_value(std::span<const double> differences, double margin) {
  TanhEProcess process(margin);
  for (const double d : differences) process.add(d);
  return process.log_e();
}

double e_process_lower_bound(std::span<const double> differences, double alpha) {
  if (!(alpha > 0 && alpha < 1)) return -kInfinity;
  const double threshold = -std::log(alpha);
  if (!(static_cast<double>(differences.size()) * kLog2 > threshold)) return -kInfinity;
  const auto [smallest, largest] = std::ranges::minmax(differences);
  // Every factor is 2 to the last bit this far below all differences, and 1 or less at the largest.
  constexpr double kSaturated = 64;
  double low = smallest - kSaturated;
  double high = largest;
  if (!(log_e_value(differences, low) >= threshold)) return -kInfinity;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    (log_e_value(differences, middle) >= threshold ? low : high) = middle;
  }
}

}  // namespace nightshift::search
