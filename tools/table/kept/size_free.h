#pragma once

#include "search/problem.h"

namespace nightshift::tools {

// Whether all sizes of a problem have the same machine code: the compiler is not told the sizes, as
// they are arguments of the function. Of [host] alone; builds of [cuda] are kept by what NVRTC is
// told.
bool is_built_without_sizes(const search::Problem& problem);

}  // namespace nightshift::tools
