#include "evaluator/cuda/launch/tensor_map.h"

#include <stdexcept>
#include <vector>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {

using search::ElementType;

namespace {

// Of CUtensorMapInterleave and CUtensorMapFloatOOBfill.
constexpr int kInterleaveNone = 0;
constexpr int kFillWithZeros = 0;

// CUtensorMapSwizzle counts 32, 64 and 128 bytes as 1, 2 and 3, CUtensorMapL2promotion 64, 128 and
// 256.
int code_of(std::uint32_t bytes, std::uint32_t first) {
  int code = 0;
  for (; bytes >= first; bytes /= 2) ++code;
  return code;
}

}  // namespace

// A copy only moves elements, so that what it has no name for goes as unsigned integers of its
// size.
int tensor_data_type(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kFloat8E4M3:
    case ElementType::kFloat8E5M2:
      return 0;
    case ElementType::kInt16:
    case ElementType::kUint16:
      return 1;
    case ElementType::kUint32:
      return 2;
    case ElementType::kInt32:
      return 3;
    case ElementType::kUint64:
      return 4;
    case ElementType::kInt64:
      return 5;
    case ElementType::kFloat16:
      return 6;
    case ElementType::kFloat32:
      return 7;
    case ElementType::kFloat64:
      return 8;
    case ElementType::kBfloat16:
      return 9;
  }
  throw std::runtime_error("a tensor map of an unknown type");
}

int tensor_swizzle(std::uint32_t bytes) { return code_of(bytes, 32); }

int tensor_l2_promotion(std::uint32_t bytes) { return code_of(bytes, 64); }

void require_tensor_maps(const Driver& driver) {
  if (driver.cuTensorMapEncodeTiled != nullptr) return;
  throw std::runtime_error(
      "the CUDA driver has no cuTensorMapEncodeTiled, which the problem's tensor maps need: it is "
      "too old, CUDA 12.0 or later is needed");
}

TensorMapValue encode(const PlannedMap& map, DevicePointer address) {
  require_tensor_maps(driver());
  const std::vector<std::uint32_t> every(map.extent.size(), 1);  // element of each dimension
  TensorMapValue value;
  check(driver().cuTensorMapEncodeTiled(
            &value, tensor_data_type(map.type), static_cast<std::uint32_t>(map.extent.size()),
            // NOLINTNEXTLINE(performance-no-int-to-ptr): a device address
            reinterpret_cast<void*>(address), map.extent.data(), map.pitch_bytes.data(),
            map.box.data(), every.data(), kInterleaveNone, tensor_swizzle(map.swizzle),
            tensor_l2_promotion(map.l2_promotion), kFillWithZeros),
        "cuTensorMapEncodeTiled of tensor map '" + map.name + "'");
  return value;
}

}  // namespace nightshift::evaluator::cuda
