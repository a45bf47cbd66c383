#include "search/statistics/e_process.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

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
  for (int j = 0; j < scales_; ++j) {
    log_products_[static_cast<std::size_t>(j)] += log_factor(y);
    y *= 2;
  }
}

double TanhEProcess::log_e() const {
  const std::span<const double> used =
      std::span(log_products_).first(static_cast<std::size_t>(scales_));
  const double largest = *std::ranges::max_element(used);
  if (largest == -kInfinity) return largest;
  double sum = 0;
  for (const double log_product : used) sum += std::exp(log_product - largest);
  return largest + std::log(sum / scales_);
}

}  // namespace nightshift::search
