#include "evaluator/make_backend.h"

#include <variant>

#include "evaluator/command/command_backend.h"
#include "evaluator/cuda/cuda_backend.h"
#include "evaluator/host/host_backend.h"
#include "evaluator/recorded/recorded_backend.h"

namespace nightshift::evaluator {
namespace {

// A kind without an overload does not compile.
struct Maker {
  const ipc::ConfigureRequest& request;
  using Made = std::unique_ptr<TrialBackend>;

  Made operator()(const search::HostBackend&) const {
    return std::make_unique<HostTrialBackend>(request);
  }
  Made operator()(const search::CudaBackend&) const {
    return std::make_unique<cuda::CudaTrialBackend>(request);
  }
  Made operator()(const search::CommandBackend&) const {
    return std::make_unique<CommandTrialBackend>(request);
  }
  Made operator()(const search::RecordedBackend&) const {
    return std::make_unique<RecordedTrialBackend>(request);
  }
};

}  // namespace

std::unique_ptr<TrialBackend> make_backend(const ipc::ConfigureRequest& request) {
  return std::visit(Maker{request}, request.problem.backend);
}

}  // namespace nightshift::evaluator
