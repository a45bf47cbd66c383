#pragma once

#include <string>
#include <vector>

#include "search/configuration.h"
#include "search/table/size_condition.h"
#include "search/table/table_shape.h"

namespace nightshift::search {

// A shape with its problem's constraints, in which numbers of sizes stand in the place of their names.
struct ConstrainedShape {
  Sizes sizes;
  std::vector<std::string> constraints;
};

// What constraints and values of each candidate ask of sizes that nobody measured; of the default, the
// first one, nothing. Candidates have a value of each parameter. Names of sizes are found again where
// constraints of different shapes differ. Where that cannot be, or an expression is none that every
// form of a table can ask, the condition never holds.
std::vector<CandidateGuard> guards_of(const std::vector<ConstrainedShape>& shapes,
                                      const std::vector<Configuration>& candidates);

}  // namespace nightshift::search
