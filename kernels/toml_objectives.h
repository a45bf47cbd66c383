#pragma once

#include "kernels/table_reader.h"
#include "search/problem.h"

namespace nightshift::kernels {

// Reads every [[objective]], and notes what does not fit together with search.scalarisation, which
// read_settings reads. Leaves the problem's own objective where the file has none.
void read_objectives(TableReader& root, search::Problem& problem);

}  // namespace nightshift::kernels
