#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "search/problem.h"

namespace nightshift::evaluator {

template <class T>
struct TypeTag {
  using Type = T;
};

// Calls `f` with the TypeTag of the C++ type that `type` names.
template <class F>
decltype(auto) with_type(search::ElementType type, F&& f) {
  switch (type) {
    case search::ElementType::kInt8:
      return f(TypeTag<std::int8_t>{});
    case search::ElementType::kInt16:
      return f(TypeTag<std::int16_t>{});
    case search::ElementType::kInt32:
      return f(TypeTag<std::int32_t>{});
    case search::ElementType::kInt64:
      return f(TypeTag<std::int64_t>{});
    case search::ElementType::kUint8:
      return f(TypeTag<std::uint8_t>{});
    case search::ElementType::kUint16:
      return f(TypeTag<std::uint16_t>{});
    case search::ElementType::kUint32:
      return f(TypeTag<std::uint32_t>{});
    case search::ElementType::kUint64:
      return f(TypeTag<std::uint64_t>{});
    case search::ElementType::kFloat32:
      return f(TypeTag<float>{});
    case search::ElementType::kFloat64:
      return f(TypeTag<double>{});
    default:
      break;
  }
  std::abort();  // HostTrialBackend refuses the types of the GPU
}

inline std::size_t size_of(search::ElementType type) {
  return with_type(type, [](auto tag) { return sizeof(typename decltype(tag)::Type); });
}

inline bool is_floating(search::ElementType type) {
  return type == search::ElementType::kFloat32 || type == search::ElementType::kFloat64;
}

// As problem files call it, and as C++ does on the platforms that we run on (LP64).
struct TypeName {
  std::string_view problem;
  std::string_view cpp;
};
inline TypeName name_of(search::ElementType type) {
  switch (type) {
    case search::ElementType::kInt8:
      return {"int8", "signed char"};
    case search::ElementType::kInt16:
      return {"int16", "short"};
    case search::ElementType::kInt32:
      return {"int32", "int"};
    case search::ElementType::kInt64:
      return {"int64", "long"};
    case search::ElementType::kUint8:
      return {"uint8", "unsigned char"};
    case search::ElementType::kUint16:
      return {"uint16", "unsigned short"};
    case search::ElementType::kUint32:
      return {"uint32", "unsigned int"};
    case search::ElementType::kUint64:
      return {"uint64", "unsigned long"};
    case search::ElementType::kFloat32:
      return {"float32", "float"};
    case search::ElementType::kFloat64:
      return {"float64", "double"};
    default:
      break;
  }
  std::abort();
}

}  // namespace nightshift::evaluator
