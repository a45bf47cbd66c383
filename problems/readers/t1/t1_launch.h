#pragma once

#include <string>
#include <vector>

#include "problems/readers/t1/t1_names.h"
#include "search/cuda_problem.h"

namespace nightshift::problems {

// How the one kernel of a T1 file is launched, without its arguments. Two ways are in use:
//
// - ProblemSize, as Kernel Tuner does it: ceil(extent / product of GridDiv) blocks along each axis.
//   Where there is no GridDiv, the parameter block_size_x (y, z) is it, else 1. GlobalSize and
//   GlobalSizeType are not looked at; published files have values there that nobody launches. A
//   LocalSize that is missing is those parameters, else 256, 1, 1. What Kernel Tuner defines
//   besides the parameters, kernel_tuner and constant block_size_*, becomes sizes of `names`.
// - GlobalSize, as KTT does it: blocks, or with GlobalSizeType "OpenCL" threads, and LocalSize.
//
// `notes` receives what is taken in another way than it is written.
search::CudaLaunch read_t1_launch(const JsonReader& kernel, T1Names& names,
                                  std::vector<std::string>& notes);

}  // namespace nightshift::problems
