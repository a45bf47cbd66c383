#include "evaluator/answers/drawn_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

using Access = search::Argument::Access;
using Fill = search::Argument::Fill;

bool is_read(const search::Argument& argument) {
  return !argument.scalar && argument.access != Access::kOut && argument.access != Access::kWork &&
         argument.fill != Fill::kComputed && search::is_floating(argument.type);
}

// Steps of float32 at the size of its numbers, over the range; infinite where nothing is drawn.
double step_of(const search::Argument& argument) {
  const bool is_normal = argument.fill == Fill::kNormal;
  if (!is_normal && argument.fill != Fill::kUniform) return std::numeric_limits<double>::infinity();
  const double width = is_normal ? std::abs(argument.high) : argument.high - argument.low;
  const double size = is_normal ? std::abs(argument.low)
                                : std::max(std::abs(argument.low), std::abs(argument.high));
  if (!(width > 0)) return std::numeric_limits<double>::infinity();
  return std::numeric_limits<float>::epsilon() * size / width;
}

}  // namespace

bool are_drawn(const std::vector<search::Argument>& arguments) {
  return std::ranges::all_of(arguments, [](const search::Argument& argument) {
    return !is_read(argument) || kFewestNumbers * step_of(argument) < 1;
  });
}

double share_of_steps(const std::vector<search::Argument>& arguments) {
  double largest = 0;
  for (const search::Argument& argument : arguments) {
    if (is_read(argument)) largest = std::max(largest, step_of(argument));
  }
  return largest;
}

}  // namespace nightshift::evaluator
