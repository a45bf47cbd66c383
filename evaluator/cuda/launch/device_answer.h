#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/answers/masked_places.h"
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
    search::ElementType own = search::ElementType::kFloat32;  // of the kernel's output
    std::string name;
    DeviceBuffer buffer;
    DeviceVector expected;
    double norm = 0;
    double rms = 0;
    std::uint64_t checksum = 0;  // of the buffer
    std::uint64_t numbers = 0;   // elements that are no NaN
    bool was_poisoned = false;   // what its launches did not write still is
    std::optional<MaskedPlaces> masked = {};
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
  static std::optional<MaskedPlaces> masked_in(const Output& output, SupportKernels& support);
  void seal(SupportKernels& support);
  // What is asked of an output, or of what is not masked in it.
  struct Asked {
    const Output& output;
    DeviceVector got;
    double norm = 0, rms = 0;
    double below = 0;  // of which size elements are not looked at
  };
  struct Found {
    double error = 0;                      // norm of the error over norm of the answer
    std::uint64_t sum = 0;                 // checksum of the output
    std::optional<std::uint64_t> wrong{};  // the worst element, where it is wrong
    double tolerance = 0;                  // of that
  };
  static Found found_of(const Asked& asked, SupportKernels& support);
  // Of what is not masked; nullopt where nothing is, or where the answer rounds there.
  static std::optional<Asked> beside_mask(const Asked& asked, SupportKernels& support);
  // Of an output that is wrong.
  search::WrongResult told(const Asked& asked, const Found& found, DeviceArguments& arguments,
                           SupportKernels& support, std::size_t set) const;
  static std::optional<search::WrongResult> lost_small(const Asked& asked, SupportKernels& support);
  static void narrow(Output& output, const Context& context, SupportKernels& support);

  // Whether nothing is expected of the element, since it was not written.
  static bool is_unwritten(const Output& output, std::uint64_t element, SupportKernels& support);

  std::vector<Output> outputs_;
  std::string name_;  // of what says what is expected
};

}  // namespace nightshift::evaluator::cuda
