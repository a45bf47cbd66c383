#pragma once

#include <cstddef>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/device_timer.h"

namespace nightshift::evaluator::cuda {

// What the copy takes of the device's memory, at most.
inline constexpr std::size_t kMostCopyMemory = std::size_t{1} << 30;

// Bytes that a copy on the device reads and writes in a second: the median of a few large ones. It
// is the ceiling that figures of bandwidth are held against. Throws CudaError.
double copy_bytes_per_second(const Context& context, DeviceTimer& timer);

}  // namespace nightshift::evaluator::cuda
