#pragma once

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/device_timer.h"

namespace nightshift::evaluator::cuda {

// Bytes that a copy on the device reads and writes in a second: the median of a few large ones. It is
// the ceiling that figures of bandwidth are held against. Throws CudaError.
double copy_bytes_per_second(const Context& context, DeviceTimer& timer);

}  // namespace nightshift::evaluator::cuda
