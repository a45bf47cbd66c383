#pragma once

#include "kernels/readers/expression_text.h"
#include "kernels/readers/json_reader.h"
#include "search/problem.h"

namespace nightshift::kernels {

// TuningParameters and Conditions of ConfigurationSpace, into `problem` and `names`.
void read_t1_space(const JsonReader& space, search::Problem& problem, KnownNames& names);

}  // namespace nightshift::kernels
