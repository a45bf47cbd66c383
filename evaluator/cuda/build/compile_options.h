#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/configuration.h"
#include "search/cuda_problem.h"
#include "search/source_names.h"

namespace nightshift::evaluator::cuda {

// How a source becomes machine code.
enum class CudaWay {
  kNvrtc,   // as it is
  kDevice,  // by NVRTC, what is for the device in it (device_view.h)
  kNvcc,
};

// Sizes of case `which`, DTYPE, and parameters that are no options. `flags`, where given, receives
// the options that flag parameters become.
search::ToldNames told_names(const search::CudaBackend& cuda, std::size_t which,
                             const search::Configuration& configuration,
                             std::vector<std::string>* flags = nullptr);

// What CudaBackend::names makes of them besides macros.
struct TellingSource {
  TellingSource(const search::CudaBackend& cuda, const std::vector<std::string>& launched,
                const search::ToldNames& told);
  // With `definitions` before it, and values of the source's own definitions replaced.
  std::string text_of(const search::CudaSource& source) const;
  // Whether that is not what the file has.
  bool changes_source() const { return !values.empty(); }

  std::string definitions;             // of constants; empty: there are none
  search::ToldNames values;            // of the source's own definitions
  std::vector<std::string> functions;  // those launched, as the compiler finds them
};

// Options of the compiler for `source` in case `which` of a problem: architecture, language,
// include folders, macros (sizes, DTYPE, parameters), flags, and for the kernel itself the options
// that flag parameters become.
struct CompiledCase {
  const search::CudaBackend& cuda;
  const search::CudaSource& source;
  std::size_t which;
  const search::Configuration& configuration;
  int architecture;
};
std::vector<std::string> compile_options(const CompiledCase& one, CudaWay way);
// That of a problem which names its compiler, and the first one of others.
CudaWay first_way(const search::CudaBackend& cuda);

// From Hopper on, warpgroup instructions and bulk copies need the architecture's own feature set.
// Machine code with it runs on that compute capability alone.
bool has_own_features(int architecture);

// The option for nvcc that makes a cubin.
inline constexpr const char* kCubinOption = "-cubin";

}  // namespace nightshift::evaluator::cuda
