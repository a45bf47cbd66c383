#pragma once

#include <vector>

#include "problems/problem_table.h"

namespace nightshift::problems {

// The whole file.
const ProblemTable& problem_file_keys();
// It and the tables below it, each before its own tables, in the order in which a file has them.
const std::vector<const ProblemTable*>& problem_tables();

// The options of each searcher under its name, in the order of the catalogue.
std::vector<const ProblemTable*> searcher_tables();

}  // namespace nightshift::problems
