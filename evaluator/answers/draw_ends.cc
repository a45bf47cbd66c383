#include "evaluator/answers/draw_ends.h"

#include "base/rng.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

using Fill = search::Argument::Fill;

// Any number that nothing else mixes into a seed: the ends are not to follow the numbers.
constexpr std::uint64_t kOfEnds = 0x656e6473;  // "ends"
constexpr double kBelowOne = 1 - 0x1p-24;      // float32's largest
// Standard deviations from the mean, beyond what a vector of ten million normal numbers has.
constexpr double kFarthest = 5.5;
constexpr std::uint64_t kFewest = 3;  // of fewer numbers all are drawn

double largest_drawn(const search::Argument& argument) {
  if (argument.fill == Fill::kNormal) return argument.low + kFarthest * argument.high;
  if (!search::is_floating(argument.type)) return argument.high;
  return argument.low + (argument.high - argument.low) * kBelowOne;
}

double least_drawn(const search::Argument& argument) {
  return argument.fill == Fill::kNormal ? argument.low - kFarthest * argument.high : argument.low;
}

}  // namespace

DrawEnds ends_of(std::uint64_t seed) {
  switch (base::mix_seed(seed, kOfEnds) & 7) {
    case 0:
      return DrawEnds::kLargestLast;
    case 1:
      return DrawEnds::kLeastLast;
    default:
      return DrawEnds::kDrawn;
  }
}

std::uint64_t seed_with(DrawEnds ends, std::uint64_t seed) {
  for (std::uint64_t i = 0;; ++i) {
    const std::uint64_t made = base::mix_seed(seed, i);
    if (ends_of(made) == ends) return made;
  }
}

std::optional<DrawnEnd> drawn_end(const search::Argument& argument, DrawEnds ends,
                                  std::uint64_t elements) {
  const bool is_drawn = argument.fill == Fill::kUniform || argument.fill == Fill::kNormal;
  if (!is_drawn || ends == DrawEnds::kDrawn || elements < kFewest) return std::nullopt;
  return DrawnEnd{elements - 1,
                  ends == DrawEnds::kLargestLast ? largest_drawn(argument) : least_drawn(argument)};
}

}  // namespace nightshift::evaluator
