#pragma once

#include <string>

#include "evaluator/cuda/driver/nvrtc.h"

namespace nightshift::evaluator::cuda {

// As compile_with_nvrtc() and ptx_of_nvrtc(). With `stubs` a header that is nowhere is one of
// stub_headers.h, and the program is compiled again. Throws std::runtime_error with the compiler's
// words, or with what kernels there are in place of one that an expression does not name.
CompiledKernels compiled_unit(NvrtcProgram program, bool stubs);
std::string ptx_of_unit(NvrtcProgram program, bool stubs);

}  // namespace nightshift::evaluator::cuda
