#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "evaluator/answers/error_over_draws.h"
#include "evaluator/backend.h"
#include "evaluator/cuda/launch/device_answer.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "search/argument.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

// Whether elements that the gates let pass for the size of the whole answer alone are off by
// rounding (error_over_draws.h): a wrong factor of what is small beside the rest, or where numbers
// cancel, such as a variance by n - 1. Asked is of each stride of an output the element with the
// largest error among those that are off by more than rounding and the gate of their own size
// explain. Each draw takes the reference's time, and those of a usual kernel end after kFirstLook.
class CudaDraws {
 public:
  struct Parts {
    const std::vector<search::Argument>& arguments;
    const CasePlan& plan;
    const Context& context;
    SupportKernels& support;
    ProgressSink& progress;
    std::uint64_t seed = 0;
    double most = 0;  // seconds: what is not known by then passes
    // The answer to the inputs of a seed, which the arguments that are asked hold afterwards.
    std::function<DeviceAnswer(std::uint64_t seed)> answer_of;
  };
  static constexpr int kFirstLook = 4;

  explicit CudaDraws(Parts parts) : parts_(std::move(parts)) {}

  // nullopt: nothing is wrong. `seen` hold an answer in set 0 that passes for `right`; `module` is
  // launched on `others`.
  std::optional<search::TrialOutcome> wrong(const DeviceAnswer& right, const DeviceArguments& seen,
                                            KernelModule& module, DeviceArguments& others);
  // wrong() passed what further draws might have shown: the time for them was over.
  bool is_cut_short() const { return is_cut_short_; }

 private:
  struct Asked {
    std::size_t output = 0;  // position in DeviceAnswer::outputs()
    SupportKernels::PickedElements picked;
    ErrorOverDraws errors;
  };
  std::vector<Asked> asked_of(const DeviceAnswer& right, const DeviceArguments& seen) const;
  double longest_read(const DeviceArguments& arguments) const;
  void launch(KernelModule& module, DeviceArguments& others) const;

  Parts parts_;
  bool is_cut_short_ = false;
};

}  // namespace nightshift::evaluator::cuda
