#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "search/cuda_problem.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

// What the outputs of one case should be, kept on the device.
//
// With a reference source its launches compute it from the same inputs, floating outputs as double;
// kept are floats of outputs of 16 bits or less. Without, it is what the baseline computes.
class DeviceAnswer {
 public:
  // Launches `reference` on a set of arguments, with floating outputs as double. Throws CudaError,
  // or std::runtime_error where the reference leaves nothing but NaN.
  static DeviceAnswer of_reference(const search::CudaBackend& cuda, KernelModule& reference,
                                   const std::vector<PlannedLaunch>& launches,
                                   DeviceArguments& arguments, const Context& context,
                                   SupportKernels& support, std::size_t set = 0);
  // Takes what is in the outputs of `arguments` now.
  static DeviceAnswer of_outputs(const search::CudaBackend& cuda, DeviceArguments& arguments,
                                 const Context& context, SupportKernels& support,
                                 std::size_t set = 0);

  struct Verdict {
    // The worst element of the first output that is wrong, or of its small ones that are lost.
    std::optional<search::WrongResult> wrong;
    double error = 0;       // norm of the error over norm of the answer, largest
    std::uint64_t sum = 0;  // checksum of all outputs
  };
  Verdict judge(DeviceArguments& arguments, SupportKernels& support, std::size_t set = 0) const;
  // What each output should be.
  struct Output {
    search::CudaGate gate;
    std::string name;
    DeviceBuffer buffer;
    DeviceVector expected;
    double norm = 0;
    double rms = 0;
    std::uint64_t checksum = 0;  // of the buffer
    std::uint64_t numbers = 0;   // elements that are no NaN
    bool was_poisoned = false;   // what its launches did not write still is
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  // It is what it was when it was made: a kernel may have written anywhere.
  bool is_intact(SupportKernels& support) const;
  // Outputs of two elements or more that are zeros alone, which a kernel without work may leave as
  // well: search::kPlainAnswerCondition. Empty: there are none.
  std::string plain() const;
  // Verdict::sum alone: a quarter of the time, or less.
  std::uint64_t sum_of(const DeviceArguments& arguments, SupportKernels& support,
                       std::size_t set = 0) const;

 private:
  static Output make_output(const search::CudaBackend& cuda, const search::CudaGate& gate,
                            search::ElementType type, std::uint64_t elements,
                            const Context& context);
  void measure_norms(SupportKernels& support);
  void seal(SupportKernels& support);
  static std::optional<search::WrongResult> lost_small(const Output& output,
                                                       const DeviceVector& got,
                                                       SupportKernels& support);
  static void narrow(Output& output, search::ElementType own, const Context& context,
                     SupportKernels& support);

  // Whether nothing is expected of the element, since it was not written.
  static bool is_unwritten(const Output& output, std::uint64_t element, SupportKernels& support);

  std::vector<Output> outputs_;
  std::string name_;  // of what says what is expected
};

}  // namespace nightshift::evaluator::cuda
