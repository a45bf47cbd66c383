#include "evaluator/backend.h"

#include <variant>

#include "evaluator/command_backend.h"
#include "evaluator/cuda/cuda_backend.h"
#include "evaluator/host_backend.h"
#include "evaluator/recorded_backend.h"

namespace nightshift::evaluator {

ipc::BuiltReply TrialBackend::build(const ipc::BuildRequest&, ProgressSink&) {
  return {search::BuildFailed{"problems of this kind are not built"}, 0};
}

std::unique_ptr<TrialBackend> make_backend(const ipc::ConfigureRequest& request) {
  const search::Backend& backend = request.problem.backend;
  if (std::holds_alternative<search::HostBackend>(backend)) {
    return std::make_unique<HostTrialBackend>(request);
  }
  if (std::holds_alternative<search::CudaBackend>(backend)) {
    return std::make_unique<cuda::CudaTrialBackend>(request);
  }
  if (std::holds_alternative<search::CommandBackend>(backend)) {
    return std::make_unique<CommandTrialBackend>(request);
  }
  return std::make_unique<RecordedTrialBackend>(request);
}

}  // namespace nightshift::evaluator
