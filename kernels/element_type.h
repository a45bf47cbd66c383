#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "search/argument.h"

namespace nightshift::kernels {

// From kHostTypes on only CUDA kernels have them.
inline constexpr std::size_t kHostTypes = 10;
inline constexpr std::array<std::pair<std::string_view, search::ElementType>, 14> kElementTypes = {{
    {"int8", search::ElementType::kInt8},
    {"int16", search::ElementType::kInt16},
    {"int32", search::ElementType::kInt32},
    {"int64", search::ElementType::kInt64},
    {"uint8", search::ElementType::kUint8},
    {"uint16", search::ElementType::kUint16},
    {"uint32", search::ElementType::kUint32},
    {"uint64", search::ElementType::kUint64},
    {"float32", search::ElementType::kFloat32},
    {"float64", search::ElementType::kFloat64},
    {"float16", search::ElementType::kFloat16},
    {"bfloat16", search::ElementType::kBfloat16},
    {"float8_e4m3", search::ElementType::kFloat8E4M3},
    {"float8_e5m2", search::ElementType::kFloat8E5M2},
}};

inline std::optional<search::ElementType> element_type_of(std::string_view name) {
  const auto* found = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                   [&](const auto& known) { return known.first == name; });
  if (found == kElementTypes.end()) return std::nullopt;
  return found->second;
}

inline std::string_view name_of(search::ElementType type) {
  return std::find_if(kElementTypes.begin(), kElementTypes.end(),
                      [&](const auto& known) { return known.second == type; })
      ->first;
}

inline bool is_floating(search::ElementType type) { return type >= search::ElementType::kFloat32; }

inline std::size_t bytes_of(search::ElementType type) {
  using search::ElementType;
  switch (type) {
    case ElementType::kInt64:
    case ElementType::kUint64:
    case ElementType::kFloat64:
      return 8;
    case ElementType::kInt32:
    case ElementType::kUint32:
    case ElementType::kFloat32:
      return 4;
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
      return 2;
    default:
      return 1;
  }
}

}  // namespace nightshift::kernels
