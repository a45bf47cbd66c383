#pragma once

#include "search/configuration.h"
#include "search/expression.h"
#include "search/problem.h"

namespace nightshift::search {

// A constraint or condition of one configuration. An expression that cannot be evaluated, such as
// 'a' + 1, does not hold.
bool holds(const Expression& expression, const Configuration& configuration);

// All constraints of the problem hold.
bool satisfies(const Problem& problem, const Configuration& configuration);

}  // namespace nightshift::search
