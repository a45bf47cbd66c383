#include "evaluator/cuda/launch/left_alone.h"

#include <cstdint>
#include <limits>

#include "evaluator/answers/verification.h"
#include "search/element_type.h"

namespace nightshift::evaluator::cuda {

std::optional<search::WrongResult> left_alone(const DeviceAnswer& answer,
                                              const DeviceArguments& arguments,
                                              SupportKernels& support, unsigned char left) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const DeviceAnswer::Output& output : answer.outputs()) {
    const bool expects_nan = output.numbers < output.expected.elements;
    if (!output.was_poisoned || !search::is_floating(output.own) || !expects_nan) continue;
    const auto element = support.first_left(arguments.vector(output.gate.argument), output.expected,
                                            left, DeviceArguments::poison_of(output.expected.type));
    if (element) return unwritten({output.name, *element, kNan, kNan});
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator::cuda
