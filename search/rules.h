#pragma once

#include <string>

#include "search/configuration.h"
#include "search/expression.h"
#include "search/problem.h"

namespace nightshift::search {

// A constraint or condition of one configuration. An expression that cannot be evaluated, such as
// 'a' + 1, does not hold.
bool holds(const Expression& expression, const Configuration& configuration);

// Why a constraint excludes a configuration that `who` names: "WHO violates the constraint 'A > 1'",
// or "the constraint '1 << -1 > A' cannot be evaluated for WHO: character 3: ..."; empty where it
// does not.
std::string violation(const Expression& constraint, const Configuration& configuration,
                      const std::string& who);

// All constraints of the problem hold.
bool satisfies(const Problem& problem, const Configuration& configuration);

}  // namespace nightshift::search
