#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "search/problem.h"

namespace nightshift::kernels {

inline constexpr std::array<std::pair<std::string_view, search::ElementType>, 10> kElementTypes = {{
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
}};

inline bool is_floating(search::ElementType type) {
  return type == search::ElementType::kFloat32 || type == search::ElementType::kFloat64;
}

}  // namespace nightshift::kernels
