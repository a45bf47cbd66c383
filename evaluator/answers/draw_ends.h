#pragma once

#include <cstdint>
#include <optional>

#include "search/argument.h"

namespace nightshift::evaluator {

// What the last number of a vector is that a seed draws. A kernel that forgets the end of a vector
// is right about its largest number unless that stands there, which of a million drawn numbers it
// does once in a million times. Of a quarter of all seeds the last one is the largest or the least
// number that there can be; of the others it is drawn as all are, so that nothing is gained by
// looking at the end alone.
//
// Who holds times on new inputs against others takes seeds of kDrawn: a kernel that knows inputs
// again by one element would know all that have the same one.
enum class DrawEnds : std::uint8_t { kDrawn, kLargestLast, kLeastLast };

DrawEnds ends_of(std::uint64_t seed);
// The first seed made of `seed` that has such ends.
std::uint64_t seed_with(DrawEnds ends, std::uint64_t seed);

// The number that stands last, before it becomes one of the argument's type.
struct DrawnEnd {
  std::uint64_t at = 0;
  double number = 0;
};
// nullopt: it is drawn as all are, or nothing is.
std::optional<DrawnEnd> drawn_end(const search::Argument& argument, DrawEnds ends,
                                  std::uint64_t elements);

}  // namespace nightshift::evaluator
