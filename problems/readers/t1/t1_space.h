#pragma once

#include "problems/readers/expression_text.h"
#include "problems/readers/json_reader.h"
#include "search/problem.h"

namespace nightshift::problems {

// TuningParameters and Conditions of ConfigurationSpace, into `problem` and `names`.
void read_t1_space(const JsonReader& space, search::Problem& problem, KnownNames& names);

// Kernel Tuner's spaces have one condition that no file names: the product of the parameters
// block_size_x, block_size_y and block_size_z is a number of threads, 1024 at most. Adds it where a
// configuration could violate it, and says so in `problem.notes`.
void add_block_size_condition(search::Problem& problem);

}  // namespace nightshift::problems
