#include "search/rules.h"

#include <algorithm>
#include <string_view>

namespace nightshift::search {

bool holds(const Expression& expression, const Configuration& configuration) {
  try {
    return expression.holds([&](std::string_view name) { return configuration.find(name); });
  } catch (const ExpressionError&) {
    return false;
  }
}

bool satisfies(const Problem& problem, const Configuration& configuration) {
  return std::ranges::all_of(problem.constraints, [&](const Expression& constraint) {
    return holds(constraint, configuration);
  });
}

}  // namespace nightshift::search
