#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nightshift::evaluator {

// Of the finite elements of an answer that are no zeros and smaller than a bound.
struct SizesBelow {
  double squares = 0;  // their sum
  double largest = 0;
  std::uint64_t count = 0;
  std::uint64_t fine = 0;  // of `count` those that are no multiples of the grid
};
// `grid`: a power of two; 0: not asked.
using AskSizes = std::function<SizesBelow(double bound, double grid)>;

// Places of an answer that hold a number that stands for none: -1e9 above the diagonal of attention
// scores. It is so large that gates which go by the size of the whole answer would let all others be
// anything. So the others are measured by their own size. Places are masked where
//
// - kFewestMasked or more have the largest size, all the same to the bit; or next to it another such
//   size, four at most;
// - no other one is larger than the gate's share of it, or 1/256;
// - half of the others or more have digits that a sum with it would not have left them: what rounding
//   leaves beside 1, as of a matrix times its inverse, is a multiple of its last digits.
//
// Where a mask was added to numbers, the largest are the same but for rounding, and nothing is
// certain. Then the answer has to have each of them right to the bit: who rounds beside them cannot
// be told from who does not. Python has such a rule too (python/nightshift/masked_places.py).
struct MaskedPlaces {
  double from = 0;  // sizes from here on are masked
  std::uint64_t count = 0;
  SizesBelow rest;
  bool is_certain = false;
};

inline constexpr std::uint64_t kFewestMasked = 16;

// Of an answer whose type has so many `digits` (bits).
std::optional<MaskedPlaces> masked_places(const AskSizes& below, int digits, double gate);
std::optional<MaskedPlaces> masked_places(const std::vector<double>& numbers, int digits,
                                          double gate);

}  // namespace nightshift::evaluator
