#include "evaluator/cuda/cuda_backend.h"

#include <stdexcept>

#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/cuda/cuda_evaluator.h"
#include "evaluator/cuda/driver/cuda_error.h"

namespace nightshift::evaluator::cuda {
namespace {

// Remembers where the evaluation is, so that an error can be told with its phase.
class WatchedProgress final : public ProgressSink {
 public:
  explicit WatchedProgress(ProgressSink& progress) : progress_(progress) {}
  void mark(search::Phase phase) override {
    phase_ = phase;
    progress_.mark(phase);
  }
  void beat(std::uint64_t detail) override { progress_.beat(detail); }
  search::Phase phase() const { return phase_; }

 private:
  ProgressSink& progress_;
  search::Phase phase_ = search::Phase::kLoad;
};

}  // namespace

CudaTrialBackend::CudaTrialBackend(const ipc::ConfigureRequest& request) {
  if (request.gpu.uuid.empty()) throw std::runtime_error("CUDA kernels need a GPU");
  if (request.measures) {
    evaluator_ = std::make_unique<CudaEvaluator>(request);
  } else {
    builder_ = std::make_unique<CudaBuilder>(request);
  }
}

CudaTrialBackend::~CudaTrialBackend() = default;

ipc::BuiltReply CudaTrialBackend::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  if (!builder_) throw std::runtime_error("this process measures and does not build");
  return builder_->build(request, progress);
}

search::TrialReport CudaTrialBackend::evaluate(const ipc::EvaluateRequest& request,
                                               ProgressSink& progress) {
  if (!evaluator_) throw std::runtime_error("this process builds and does not measure");
  WatchedProgress watched(progress);
  try {
    return evaluator_->evaluate(request, watched);
  } catch (const CudaError& error) {
    return {outcome_of(error, watched.phase()), {}};
  }
}

search::TrialOutcome CudaTrialBackend::outcome_of(const CudaError& error, search::Phase phase) {
  switch (damage_of(error.code())) {
    case Damage::kNothing:
      if (error.code() == kOutOfMemory) spent_ = true;
      return search::LaunchFailed{error.what()};
    case Damage::kContext:
      spent_ = true;
      return search::Crashed{search::Crashed::Cause::kDeviceError, error.code(), phase,
                             error.what()};
    case Damage::kDevice:
      break;
  }
  spent_ = true;
  return search::DeviceLost{error.what()};
}

}  // namespace nightshift::evaluator::cuda
