#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/cuda/build/build_cache.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "search/problem.h"

namespace nightshift::evaluator::cuda {

class ServedCompiler;

// Sizes of case `which`, DTYPE, and parameters that are no options. `flags`, where given, receives
// the options that flag parameters become.
search::ToldNames told_names(const search::CudaBackend& cuda, std::size_t which,
                             const search::Configuration& configuration,
                             std::vector<std::string>* flags = nullptr);

// What CudaBackend::names makes of them besides macros.
struct TellingSource {
  TellingSource(const search::CudaBackend& cuda, const std::vector<std::string>& launched,
                const search::ToldNames& told);
  std::string text_of(const search::CudaSource& source) const;  // with `definitions` before it

  std::string definitions;             // of constants; empty: there are none
  std::vector<std::string> functions;  // those launched, as the compiler finds them
};

// Options of the compiler, NVRTC or nvcc, for `source` in case `which` of a problem: architecture,
// language, include folders, macros (sizes, DTYPE, parameters), flags, and for the kernel itself
// the options that flag parameters become.
std::vector<std::string> compile_options(const search::CudaBackend& cuda,
                                         const search::CudaSource& source, std::size_t which,
                                         const search::Configuration& configuration,
                                         int architecture);

// Makes the artifacts of a CUDA problem in a builder process: machine code for each case, named by
// the hash of code and launches, so that configurations that do the same are measured once. Needs
// no GPU, only what one is (ConfigureRequest::gpu).
class CudaBuilder {
 public:
  // Throws std::runtime_error where a served compiler cannot be started.
  explicit CudaBuilder(const ipc::ConfigureRequest& setting);
  ~CudaBuilder();
  CudaBuilder(const CudaBuilder&) = delete;
  CudaBuilder& operator=(const CudaBuilder&) = delete;

  // BuildFailed with the compiler's words, or why a launch cannot be.
  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress);
  // The PTX of case `which`, compiled anew. Throws std::runtime_error with the compiler's words, and for a served
  // compiler, whose way to machine code is its own.
  std::string ptx(const search::Configuration& configuration, std::size_t which,
                  ProgressSink& progress);

 private:
  // The module of case `which` with what tells it apart, and the seconds that compiling it took.
  PackedModule made_for(bool reference, std::size_t which,
                        const search::Configuration& configuration, double left,
                        std::string& identity, double& seconds, ProgressSink& progress);
  std::vector<std::string> functions_of_build(bool reference) const;
  // A pack of one module.
  ArtifactPack compile(const search::CudaSource& source, const std::vector<std::string>& functions,
                       std::size_t which, const search::Configuration& configuration,
                       ProgressSink& progress);
  PackedModule compile_now(const search::CudaSource& source, const TellingSource& telling,
                           const std::vector<std::string>& options, const std::string& word,
                           ProgressSink& progress);
  // The file that nvcc makes; `said`, where given, receives what it says of it.
  std::string made_by_nvcc(const search::CudaSource& source, const TellingSource& telling,
                           const std::vector<std::string>& options, const std::string& word,
                           ProgressSink& progress, std::string* said = nullptr);
  struct FoundCompiler {
    std::string program;   // nvcc; empty: NVRTC
    std::string identity;  // what tells its machine code from that of others
  };
  // By CudaBackend::compiler_word, substituted.
  const FoundCompiler& compiler(const std::string& word, ProgressSink& progress);
  std::string said_version(const std::string& nvcc, ProgressSink& progress) const;
  static std::string cache_key(const FoundCompiler& compiler, const TellingSource& source,
                               const std::vector<std::string>& options, const std::string& file);

  ipc::ConfigureRequest setting_;
  const search::CudaBackend& cuda_;
  BuildCache cache_;
  std::unique_ptr<ServedCompiler> served_;          // of kServed, for kernels
  std::map<std::string, FoundCompiler> compilers_;  // by word
};

}  // namespace nightshift::evaluator::cuda
