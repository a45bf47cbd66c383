#pragma once

#include <optional>

#include "evaluator/cuda/launch/device_answer.h"
#include "evaluator/cuda/launch/device_arguments.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "search/trial.h"

namespace nightshift::evaluator::cuda {

// NaN is what outputs hold before a run, so what a kernel leaves as it was passes for NaN that is
// expected. The first such element of set 0, of any output: each of its bytes is `left`, and what is
// expected there was computed.
std::optional<search::WrongResult> left_alone(const DeviceAnswer& answer,
                                              const DeviceArguments& arguments,
                                              SupportKernels& support, unsigned char left);

}  // namespace nightshift::evaluator::cuda
