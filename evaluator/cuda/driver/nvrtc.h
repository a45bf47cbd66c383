#pragma once

#include <map>
#include <string>
#include <utility>
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
  Result (*nvrtcGetPTXSize)(Program program, std::size_t* bytes);
  Result (*nvrtcGetPTX)(Program program, char* ptx);
};

// A compiler of this machine by CudaBackend::compiler_word: a path; a version, of which the first
// of nvrtc_candidates() is taken; empty: the first that can be opened. Each is opened once, several
// may be open in one process. Throws std::runtime_error that lists what was tried.
const Nvrtc& nvrtc(const std::string& word = {});
// "12.8"
std::string nvrtc_version(const std::string& word = {});
// What tells its machine code from that of other files of the same version.
std::string nvrtc_identity(const std::string& word);
// Folders that hold the toolkit's headers (cuda_bf16.h), beside the compiler where it was found;
// empty where there are none.
std::vector<std::string> toolkit_include_folders(const std::string& word = {});

struct FoundNvrtc {
  std::string path, version;
};
// Those of nvrtc_candidates() that can be opened, each file once, in that order.
std::vector<FoundNvrtc> found_nvrtcs();

struct NvrtcProgram {
  std::string text;
  std::string file;  // what messages call it
  // What is taken for an included name, before what lies in folders.
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> expressions;  // C++ names of kernels whose symbols are asked for
  std::vector<std::string> options;
  std::string word;  // as for nvrtc()
};

struct CompiledKernels {
  std::string cubin;
  std::map<std::string, std::string> names;  // symbols of the expressions
  std::string log;                           // what the compiler says, though it succeeded
};
// Throws std::runtime_error with the compiler's words.
CompiledKernels compile_with_nvrtc(const NvrtcProgram& program);
// The PTX on the way to it.
std::string ptx_of_nvrtc(const NvrtcProgram& program);

}  // namespace nightshift::evaluator::cuda
