#pragma once

#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// Whether the machine code of a configuration is the same for all sizes, since no compiler is told
// any: they reach the kernels as arguments and by launches alone. With `names = "macros"` or
// "constants", and of a served compiler, that is not known, and the answer is no. Throws
// std::runtime_error where the source cannot be read.
bool are_sizes_arguments(const search::CudaBackend& cuda);

}  // namespace nightshift::evaluator::cuda
