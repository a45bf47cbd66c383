#pragma once

#include <cstdint>

#include "tests/fakes/gpu/fake_machine.h"

namespace fake_gpu {

// What cuTensorMapEncodeTiled is given.
struct TiledTensor {
  int data_type;
  std::uint32_t dimensions;
  DevicePointer address;
  const std::uint64_t* extent;
  const std::uint64_t* pitch_bytes;  // one fewer than dimensions
  const std::uint32_t* box;
  const std::uint32_t* element_strides;
  int interleave, swizzle, l2_promotion, fill;
};

// Refuses what the real driver refuses, and what kernels here cannot play: interleaving, element
// strides, a fill of NaN.
Result encode_tiles(void* map, const TiledTensor& tensor);

}  // namespace fake_gpu
