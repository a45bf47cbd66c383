#pragma once

#include <array>
#include <cstdint>

#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/launch/planned_map.h"

namespace nightshift::evaluator::cuda {

// CUtensorMap: what a kernel takes by value. Nobody but the driver and the device reads it.
struct alignas(64) TensorMapValue {
  std::array<std::uint64_t, 16> words{};
};

// The driver's numbers: CUtensorMapDataType, CUtensorMapSwizzle and CUtensorMapL2promotion, the two
// last of what a problem file has in bytes.
int tensor_data_type(search::ElementType type);
int tensor_swizzle(std::uint32_t bytes);
int tensor_l2_promotion(std::uint32_t bytes);

// Throws std::runtime_error where `driver` has no tensor maps.
void require_tensor_maps(const Driver& driver);

// `map` over the vector that begins at `address`. Throws CudaError, std::runtime_error.
TensorMapValue encode(const PlannedMap& map, DevicePointer address);

}  // namespace nightshift::evaluator::cuda
