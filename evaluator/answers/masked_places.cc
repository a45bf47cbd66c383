#include "evaluator/answers/masked_places.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nightshift::evaluator {
namespace {

constexpr int kMostSizes = 4;
constexpr double kMostShare = 1.0 / 256;  // of the mask, that the others are
constexpr int kFiner = 7;                 // bits below the last digit of the mask
constexpr int kLeastExponent = -1074;     // of a double

// What a sum with `size` in so many digits leaves is a multiple of it.
double grid_of(double size, int digits) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::max(exponent - digits - kFiner, kLeastExponent));
}

// The rest beside what is as large as `size`, which is the smallest masked one.
std::optional<MaskedPlaces> beside(const AskSizes& below, std::uint64_t all, double size,
                                   double largest, int digits) {
  MaskedPlaces found;
  found.from = std::sqrt(largest) * std::sqrt(size);  // where no rounding takes either
  found.rest = below(found.from, grid_of(size, digits));
  found.count = all - found.rest.count;
  if (found.rest.count == 0 || 2 * found.rest.fine < found.rest.count) return std::nullopt;
  return found;
}

// `slack`: of what is as large as the largest.
std::optional<MaskedPlaces> found_within(const AskSizes& below, const SizesBelow& whole,
                                         double slack, int digits, double share) {
  SizesBelow rest = whole;
  for (int sizes = 0; sizes < kMostSizes && rest.count >= kFewestMasked; ++sizes) {
    const double size = rest.largest;
    const SizesBelow smaller = below(size * (1 - slack), 0);
    if (rest.count - smaller.count < kFewestMasked) return std::nullopt;
    rest = smaller;
    if (rest.largest <= share * size) {
      return beside(below, whole.count, size, rest.largest, digits);
    }
  }
  return std::nullopt;
}

SizesBelow sizes_below(const std::vector<double>& numbers, double bound, double grid) {
  SizesBelow sizes;
  for (const double number : numbers) {
    const double size = std::abs(number);
    if (!(size > 0 && size < bound)) continue;
    sizes.squares += size * size;
    sizes.largest = std::max(sizes.largest, size);
    ++sizes.count;
    if (grid > 0 && std::fmod(size, grid) != 0) ++sizes.fine;
  }
  return sizes;
}

}  // namespace

std::optional<MaskedPlaces> masked_places(const AskSizes& below, int digits, double gate) {
  const double share = std::min(gate, kMostShare);
  const SizesBelow whole = below(std::numeric_limits<double>::infinity(), 0);
  auto found = found_within(below, whole, 0, digits, share);
  if (found) {
    found->is_certain = true;
    return found;
  }
  return found_within(below, whole, std::ldexp(1.0, 1 - digits), digits, share);
}

std::optional<MaskedPlaces> masked_places(const std::vector<double>& numbers, int digits,
                                          double gate) {
  const auto below = [&](double bound, double grid) { return sizes_below(numbers, bound, grid); };
  return masked_places(AskSizes(below), digits, gate);
}

}  // namespace nightshift::evaluator
