#include "evaluator/cuda/launch/small_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/element_type.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::ElementType;

constexpr double kLeastLost = 0.5, kMostLost = 1.5;  // error over element, of one that is lost
constexpr double kShare = 0.9;                       // of the elements up to a size
constexpr double kMid = 1.0 / 8;  // of the root mean square: the largest that tell of the rounding
constexpr double kLevel = 1.0 / 64;  // of the largest that is lost
constexpr double kOwnDigits = 2;     // roundings of an element's own size that are no matter
constexpr int kFewestBits = 14;      // of a number that is more than what rounding left
// Below so many smallest normal numbers zero is an answer, as hardware may flush.
constexpr double kFlushed = 4;

struct Digits {
  int bits, least_exponent;
};
Digits digits_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return {53, -1022};
    case ElementType::kFloat32:
      return {24, -126};
    case ElementType::kFloat16:
      return {11, -14};
    case ElementType::kBfloat16:
      return {8, -126};
    case ElementType::kFloat8E4M3:
      return {4, -6};
    default:
      return {3, -14};
  }
}

// The upper end of the octave of `size`.
double end_of_octave(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, exponent);
}

}  // namespace

SmallElements::SmallElements(SupportKernels& support, const DeviceVector& got,
                             const DeviceVector& expected, double rms)
    : support_(support), got_(got), expected_(expected), rms_(rms) {
  const Digits digits = digits_of(got.type);
  rounding_ = std::ldexp(1.0, -digits.bits);
  floor_ = kFlushed * std::ldexp(1.0, digits.least_exponent);
  end_ = std::nextafter(kMid * rms, std::numeric_limits<double>::infinity());
}

SmallElements::Which SmallElements::sized(double least, double below) const {
  Which which;
  which.least = least;
  which.below = std::min(below, end_);
  which.least_lost = kLeastLost;
  which.most_lost = kMostLost;
  return which;
}

SmallElements::Counts SmallElements::of(double least, double below) const {
  return support_.count_small(got_, expected_, sized(least, below));
}

// Above the largest that is lost are none, so from its octave down to where their share is enough.
double SmallElements::highest_lost() const {
  Counts counts = of(floor_, end_);
  while (counts.lost >= kFewest) {
    const double below = end_of_octave(counts.largest);
    counts = of(floor_, below);
    if (static_cast<double>(counts.lost) >= kShare * static_cast<double>(counts.elements)) {
      return below;
    }
    counts = of(floor_, below / 2);
  }
  return 0;
}

// `last`: up to where there are kEnough, or the end.
bool SmallElements::has_next_larger(double highest, double& last) const {
  const std::uint64_t all = highest < end_ ? of(highest, end_).elements : 0;
  if (all < kFewest) return false;
  last = end_;
  if (all < kEnough) return true;
  for (last = 2 * highest; of(highest, last).elements < kEnough;) last *= 2;
  return true;
}

// Three quarters are off by less where a quarter is not.
bool SmallElements::is_rounding(double highest, double last, double largest) const {
  Which next = sized(highest, last);
  next.own = kOwnDigits * rounding_;
  next.beyond = kLevel * largest;
  const Counts counts = support_.count_small(got_, expected_, next);
  return counts.beyond >= counts.elements - 3 * counts.elements / 4;
}

bool SmallElements::stand_alone(double highest) const {
  if (rounding_ > std::ldexp(1.0, 4 - 2 * kFewestBits)) return false;  // no bits to tell by
  Which told = sized(std::max(floor_, rounding_ * rms_ / 2), highest);
  const std::uint64_t lost = support_.count_small(got_, expected_, told).lost;
  told.bits = kFewestBits;
  return lost >= kFewest && 2 * support_.count_small(got_, expected_, told).lost >= lost;
}

std::optional<std::uint64_t> SmallElements::lost() const {
  if (!search::is_floating(got_.type) || !std::isfinite(end_) || end_ <= floor_)
    return std::nullopt;
  const double highest = highest_lost();
  if (highest == 0) return std::nullopt;
  const Counts counts = of(floor_, highest);
  double last = 0;
  const bool are_left_out = has_next_larger(highest, last)
                                ? !is_rounding(highest, last, counts.largest)
                                : stand_alone(highest);
  if (!are_left_out) return std::nullopt;
  return counts.largest_at;
}

int SmallElements::bits_of(ElementType type) { return digits_of(type).bits; }

std::string SmallElements::words() {
  return "it and " + std::to_string(kFewest - 1) +
         " others or more of the smallest have lost half of themselves, where larger ones have no "
         "such error; element_gate says what an element may be off by";
}

}  // namespace nightshift::evaluator::cuda
