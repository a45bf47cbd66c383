#pragma once

#include "problems/readers/diagnostics.h"
#include "search/problem.h"

namespace nightshift::problems {

// The defaults of published files are often no configuration of their own space. Where they violate
// a condition, they become the configuration that differs from them in the fewest parameters (of
// those the one with the nearest values of the last parameters), which `problem.notes` then says.
// Notes a space that has no configuration at `location`.
void settle_t1_defaults(search::Problem& problem, const SourceLocation& location,
                        Diagnostics& diagnostics);

}  // namespace nightshift::problems
