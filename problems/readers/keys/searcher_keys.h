#pragma once

#include "problems/problem_table.h"
#include "problems/readers/table_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// The options of a searcher of the catalogue as a table of its name.
const ProblemTable& searcher_keys(std::string_view searcher);

// [search.options], once the searcher is known. Whether there is such a table.
bool read_searcher_options(TableReader& search, search::Problem& problem);

}  // namespace nightshift::problems
