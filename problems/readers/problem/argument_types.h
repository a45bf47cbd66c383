#pragma once

#include "problems/readers/diagnostics.h"
#include "problems/readers/problem/cuda_problem.h"
#include "search/problem.h"

namespace nightshift::problems {

// Notes arguments of launches whose bits their kernels take for other numbers: int32 for `float a`,
// float16 for `__nv_bfloat16* w`. Integers that are as wide and pointers to unsigned ones are names
// for bits. What the source does not tell without a compiler is not judged, nor are random bits and
// scratch memory.
void check_argument_types(const search::Problem& problem, const PlacedCuda& cuda,
                          Diagnostics& diagnostics);

}  // namespace nightshift::problems
