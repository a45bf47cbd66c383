#pragma once

#include <string>
#include <string_view>

#include "evaluator/cuda/driver/nvrtc.h"

namespace nightshift::evaluator::cuda {

// The header that the compiler has not found; empty: it complains of something else.
std::string missing_header(std::string_view words);

// As compile_with_nvrtc() and ptx_of_nvrtc(). With `stubs` a header that is nowhere is one of
// stub_headers.h, and the program is compiled again. Throws std::runtime_error with the compiler's
// words, or with what kernels there are in place of one that an expression does not name.
CompiledKernels compiled_unit(NvrtcProgram program, bool stubs);
std::string ptx_of_unit(NvrtcProgram program, bool stubs);

}  // namespace nightshift::evaluator::cuda
