#include "evaluator/make_backend.h"

#include <stdexcept>
#include <variant>

#include "evaluator/command/command_backend.h"
#include "evaluator/cuda/cuda_backend.h"
#include "evaluator/cuda/gpu_conditions.h"
#include "evaluator/host/host_backend.h"
#include "evaluator/recorded/recorded_backend.h"
#include "evaluator/sampling/device_watch.h"

namespace nightshift::evaluator {
namespace {

std::unique_ptr<DeviceWatch> make_watch(const ipc::ConfigureRequest& request) {
  switch (request.problem.target) {
    case search::Target::kCores:
      return std::make_unique<CoreWatch>();
    case search::Target::kGpus:
      if (request.gpu.uuid.empty()) throw std::runtime_error("a program on GPUs needs a GPU");
      return std::make_unique<cuda::GpuProgramWatch>(request.gpu.uuid);
    case search::Target::kRecording:
      break;
  }
  throw std::runtime_error("a program does not run on a recording");
}

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
    return std::make_unique<CommandTrialBackend>(request, make_watch(request));
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
