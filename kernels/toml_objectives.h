#pragma once

#include "kernels/table_reader.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Reads every [[objective]] and, of [search], how several become one score; notes what does not fit
// together. Leaves the problem's own objective where the file has none.
void read_objectives(TableReader& root, search::Problem& problem);

}  // namespace nightshift::kernels
