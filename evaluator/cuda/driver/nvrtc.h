#pragma once

#include <string>
#include <vector>

namespace nightshift::evaluator::cuda {

// The binary interface of NVRTC, the run-time compiler, by the names under which it is exported.
struct Nvrtc {
  using Result = int;
  using Program = struct NvrtcProgramTag*;
  Result (*nvrtcVersion)(int* major, int* minor);
  const char* (*nvrtcGetErrorString)(Result result);
  Result (*nvrtcCreateProgram)(Program* program, const char* source, const char* name,
                               int header_count, const char* const* headers,
                               const char* const* header_names);
  Result (*nvrtcDestroyProgram)(Program* program);
  Result (*nvrtcAddNameExpression)(Program program, const char* name);
  Result (*nvrtcCompileProgram)(Program program, int option_count, const char* const* options);
  Result (*nvrtcGetProgramLogSize)(Program program, std::size_t* bytes);
  Result (*nvrtcGetProgramLog)(Program program, char* log);
  Result (*nvrtcGetLoweredName)(Program program, const char* name, const char** lowered);
  Result (*nvrtcGetCUBINSize)(Program program, std::size_t* bytes);
  Result (*nvrtcGetCUBIN)(Program program, char* cubin);
};

// The compiler of this machine, opened once: NIGHTSHIFT_NVRTC (a path), else libnvrtc.so.13, .12
// and .so where the system finds them, in CUDA_HOME, CUDA_PATH and /usr/local/cuda. Throws
// std::runtime_error that lists what was tried.
const Nvrtc& nvrtc();
// "12.8"
std::string nvrtc_version();
// Where toolkits lie, in the order in which they are looked through: CUDA_HOME, CUDA_PATH,
// /usr/local/cuda.
std::vector<std::string> toolkit_roots();
// Folders that hold the toolkit's headers (cuda_bf16.h), beside the compiler where it was found;
// empty where there are none.
std::vector<std::string> toolkit_include_folders();

struct CompiledKernels {
  std::string cubin;
  std::vector<std::string> names;  // of the functions asked for, as the cubin calls them
};
// Machine code of `source` (called `file` in messages). `functions` with <> or :: are taken as
// C++ name expressions, others as extern "C" names. Throws std::runtime_error with the compiler's words.
CompiledKernels compile_with_nvrtc(const std::string& source, const std::string& file,
                                   const std::vector<std::string>& functions,
                                   const std::vector<std::string>& options);

}  // namespace nightshift::evaluator::cuda
