#pragma once

#include <memory>
#include <string>

#include "evaluator/backend.h"
#include "evaluator/cuda/build/cuda_compiler.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

class ServedCompiler;

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
  // The PTX of case `which`, compiled anew. Throws std::runtime_error with the compiler's words,
  // and for a served compiler, whose way to machine code is its own.
  std::string ptx(const search::Configuration& configuration, std::size_t which,
                  ProgressSink& progress);

 private:
  // The module of case `which` with what tells it apart, and the seconds that compiling it took.
  PackedModule made_for(bool reference, std::size_t which,
                        const search::Configuration& configuration, double left,
                        std::string& identity, double& seconds, ProgressSink& progress);

  ipc::ConfigureRequest setting_;
  const search::CudaBackend& cuda_;
  CudaCompiler compiler_;
  std::unique_ptr<ServedCompiler> served_;  // of kServed, for kernels
};

}  // namespace nightshift::evaluator::cuda
