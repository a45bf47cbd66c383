#pragma once

#include "search/problem.h"

namespace nightshift::tools {

// Whether machine code that was built for one problem can be called as the other one says: the same
// arguments, sizes, launches and program. What it is built of may differ.
bool called_alike(const search::Problem& before, const search::Problem& now);

}  // namespace nightshift::tools
