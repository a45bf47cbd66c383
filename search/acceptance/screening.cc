#include "search/acceptance/screening.h"

#include <algorithm>
#include <cmath>

namespace nightshift::search {
namespace {

constexpr std::size_t kFewest = 8;  // that tell how far true scores scatter

}  // namespace

void Screening::add(double effect, double error) {
  if (!std::isfinite(effect) || !std::isfinite(error) || !(error > 0)) return;
  const double weight = 1 / (error * error);
  weights_ += weight;
  weighted_ += weight * effect;
  weighted_squares_ += weight * effect * effect;
  squared_weights_ += weight * weight;
  ++count_;
}

Prior Screening::prior() const {
  if (count_ < kFewest) return {};
  const double mean = weighted_ / weights_;
  const double q = std::max(0.0, weighted_squares_ - weights_ * mean * mean);
  const double spread = weights_ - squared_weights_ / weights_;
  if (!(spread > 0)) return {};
  return {mean, std::max(0.0, (q - static_cast<double>(count_ - 1)) / spread)};
}

Shrunken Screening::shrunken(double effect, double error) const {
  return shrink(effect, error, prior());
}

}  // namespace nightshift::search
