#pragma once

#include <vector>

#include "problems/readers/expression_text.h"
#include "problems/readers/table_reader.h"
#include "search/argument.h"
#include "search/cuda_problem.h"

namespace nightshift::problems {

struct ReadTensorMap {
  search::TensorMap map;
  bool whole = true;  // false: it has mistakes, which were noted; only its name counts
};

// Reads one [[cuda.tensor_map]] of one of `arguments`. That its name is free is left to the caller.
ReadTensorMap read_tensor_map(TableReader& table, const KnownNames& names,
                              const std::vector<search::Argument>& arguments);

}  // namespace nightshift::problems
