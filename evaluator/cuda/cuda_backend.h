#pragma once

#include <memory>

#include "evaluator/backend.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

class CudaBuilder;
class CudaEvaluator;
class CudaError;

// CUDA kernels compiled at run time, checked against a reference in double precision on the same
// device, and timed there. A builder never touches the device; an evaluator makes its context when
// it is configured, so that a hot spare is ready at once.
//
// An error of the driver becomes an outcome by what it leaves behind (damage_of): a refused launch
// or lack of memory is LaunchFailed, a broken context Crashed with the driver's code, an error that
// may be the device's own DeviceLost. After the last two, and after lack of memory, which fragments
// may cause, the process is spent.
class CudaTrialBackend final : public TrialBackend {
 public:
  // Throws std::runtime_error, CudaError where there is no such GPU or no compiler.
  explicit CudaTrialBackend(const ipc::ConfigureRequest& request);
  ~CudaTrialBackend() override;
  CudaTrialBackend(const CudaTrialBackend&) = delete;
  CudaTrialBackend& operator=(const CudaTrialBackend&) = delete;

  ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress) override;
  search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                               ProgressSink& progress) override;
  bool spent() const override { return spent_; }

 private:
  search::TrialOutcome outcome_of(const CudaError& error, search::Phase phase);

  std::unique_ptr<CudaBuilder> builder_;
  std::unique_ptr<CudaEvaluator> evaluator_;
  bool spent_ = false;
};

}  // namespace nightshift::evaluator::cuda
