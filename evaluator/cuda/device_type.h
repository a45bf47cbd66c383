#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "search/argument.h"

namespace nightshift::evaluator::cuda {

// What the device stores for a type; as problem files call it, and as CUDA C++ does.
struct DeviceType {
  std::size_t bytes;
  bool floating;
  std::string_view name;
};

inline DeviceType device_type(search::ElementType type) {
  switch (type) {
    case search::ElementType::kInt8:
      return {1, false, "int8"};
    case search::ElementType::kInt16:
      return {2, false, "int16"};
    case search::ElementType::kInt32:
      return {4, false, "int32"};
    case search::ElementType::kInt64:
      return {8, false, "int64"};
    case search::ElementType::kUint8:
      return {1, false, "uint8"};
    case search::ElementType::kUint16:
      return {2, false, "uint16"};
    case search::ElementType::kUint32:
      return {4, false, "uint32"};
    case search::ElementType::kUint64:
      return {8, false, "uint64"};
    case search::ElementType::kFloat32:
      return {4, true, "float32"};
    case search::ElementType::kFloat64:
      return {8, true, "float64"};
    case search::ElementType::kFloat16:
      return {2, true, "float16"};
    case search::ElementType::kBfloat16:
      return {2, true, "bfloat16"};
    case search::ElementType::kFloat8E4M3:
      return {1, true, "float8_e4m3"};
    case search::ElementType::kFloat8E5M2:
      return {1, true, "float8_e5m2"};
  }
  std::abort();  // decode() lets no other enumerator through
}

inline std::size_t element_bytes(search::ElementType type) { return device_type(type).bytes; }

}  // namespace nightshift::evaluator::cuda
