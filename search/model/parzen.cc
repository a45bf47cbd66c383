#include "search/model/parzen.h"

#include <algorithm>
#include <cmath>

#include "base/portable_math.h"

namespace nightshift::search {

namespace {

// Of an ordered parameter's list for one point in one dimension, half of Optuna's; and not below
// this many positions, so that neighbours always keep some weight. On recorded spaces twice the
// width loses 3 % at 50 evaluations and 5 % at 400.
constexpr double kWidth = 0.1;
constexpr double kLeastWidth = 0.7;

// x^-exponent for x >= 1, portably.
double power(double x, double exponent) {
  return base::portable_exp(exponent * base::portable_log(x));
}

}  // namespace

Parzen::Parzen(const ParameterSpace& space, const OneHot& kinds, std::vector<Digits> points)
    : space_(&space), points_(std::move(points)) {
  std::vector<std::size_t> free;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.parameters()[p].values.size() > 1) free.push_back(p);
  }
  const double count = static_cast<double>(points_.size()) + 1;
  const double narrowing = power(count, -1.0 / (static_cast<double>(free.size()) + 4));
  for (const std::size_t p : free) {
    const std::size_t values = space.parameters()[p].values.size();
    const bool ordered = kinds.kind(p) != ParameterKind::kChoice;
    Kernel& kernel = kernels_.emplace_back(make_kernel(p, values, ordered, kWidth * narrowing));
    for (const Digits& point : points_) {
      double& sum = kernel.sums[point[p]];
      if (sum == 0) sum = sum_around(kernel, point[p]);
    }
    uniform_ /= static_cast<double>(values);
  }
}

Parzen::Kernel Parzen::make_kernel(std::size_t parameter, std::size_t values, bool ordered,
                                   double width) {
  Kernel kernel{parameter, {}, std::vector<double>(values)};
  const double sigma = std::max(kLeastWidth, width * static_cast<double>(values - 1));
  for (std::size_t distance = 0; distance < values; ++distance) {
    const double z = static_cast<double>(distance) / sigma;
    kernel.weights.push_back(ordered         ? base::portable_exp(-0.5 * z * z)
                             : distance == 0 ? 1 - width
                                             : width / static_cast<double>(values - 1));
  }
  return kernel;
}

double Parzen::sum_around(const Kernel& kernel, std::uint32_t centre) {
  double sum = 0;
  for (std::size_t distance = centre; distance > 0; --distance) sum += kernel.weights[distance];
  const std::size_t above = kernel.weights.size() - centre;
  for (std::size_t distance = 0; distance < above; ++distance) sum += kernel.weights[distance];
  return sum;
}

double Parzen::density(std::span<const std::uint32_t> digits) const {
  double sum = uniform_;
  for (const Digits& point : points_) {
    double product = 1;
    for (const Kernel& kernel : kernels_) {
      product *= kernel.weight(point[kernel.parameter], digits[kernel.parameter]);
    }
    sum += product;
  }
  return sum / (static_cast<double>(points_.size()) + 1);
}

std::uint32_t Parzen::draw_digit(const Kernel& kernel, std::uint32_t centre, base::Rng& rng) const {
  const double drawn = rng.uniform();
  const auto last = static_cast<std::uint32_t>(kernel.weights.size() - 1);
  double below = 0;
  for (std::uint32_t digit = 0; digit < last; ++digit) {
    below += kernel.weight(centre, digit);
    if (below > drawn) return digit;
  }
  return last;
}

Parzen::Digits Parzen::draw(base::Rng& rng) const {
  const std::uint64_t which = rng.below(points_.size() + 1);
  if (which == points_.size()) return space_->digits(space_->sample(rng));
  const Digits& centre = points_[which];
  Digits digits = centre;
  for (const Kernel& kernel : kernels_) {
    digits[kernel.parameter] = draw_digit(kernel, centre[kernel.parameter], rng);
  }
  return led_back(std::move(digits), centre, rng);
}

Parzen::Digits Parzen::led_back(Digits digits, const Digits& centre, base::Rng& rng) const {
  std::vector<std::size_t> different;
  for (std::size_t p = 0; p < digits.size(); ++p) {
    if (digits[p] != centre[p]) different.push_back(p);
  }
  rng.shuffle(different);
  while (!different.empty() && !space_->index_of_digits(digits)) {
    digits[different.back()] = centre[different.back()];
    different.pop_back();
  }
  return digits;
}

}  // namespace nightshift::search
