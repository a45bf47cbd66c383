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

std::string violation(const Expression& constraint, const Configuration& configuration,
                      const std::string& who) {
  const std::string quoted = "the constraint '" + constraint.text() + "'";
  try {
    const bool is_met =
        constraint.holds([&](std::string_view name) { return configuration.find(name); });
    return is_met ? std::string() : who + " violates " + quoted;
  } catch (const ExpressionError& error) {
    const std::string whole = who.ends_with(',') ? who.substr(0, who.size() - 1) : who;
    return quoted + " cannot be evaluated for " + whole + ": " + error.what();
  }
}

bool satisfies(const Problem& problem, const Configuration& configuration) {
  return std::ranges::all_of(problem.constraints, [&](const Expression& constraint) {
    return holds(constraint, configuration);
  });
}

}  // namespace nightshift::search
