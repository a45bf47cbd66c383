#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace nightshift::search {

// What a vector or scalar argument of a kernel is made of.
enum class ElementType : std::uint8_t {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat32,
  kFloat64,
  kFloat16,
  kBfloat16,
  kFloat8E4M3,
  kFloat8E5M2
};

struct ElementTypeRow {
  ElementType type;
  std::string_view name;  // in problem files
  std::string_view cpp;   // in C++ on the platforms that we run on (LP64); empty = it has none
  std::size_t bytes;
  bool floating;
};

// In the order of the enumeration.
inline constexpr std::array<ElementTypeRow, 14> kElementTypes = {{
    {ElementType::kInt8, "int8", "signed char", 1, false},
    {ElementType::kInt16, "int16", "short", 2, false},
    {ElementType::kInt32, "int32", "int", 4, false},
    {ElementType::kInt64, "int64", "long", 8, false},
    {ElementType::kUint8, "uint8", "unsigned char", 1, false},
    {ElementType::kUint16, "uint16", "unsigned short", 2, false},
    {ElementType::kUint32, "uint32", "unsigned int", 4, false},
    {ElementType::kUint64, "uint64", "unsigned long", 8, false},
    {ElementType::kFloat32, "float32", "float", 4, true},
    {ElementType::kFloat64, "float64", "double", 8, true},
    {ElementType::kFloat16, "float16", "", 2, true},
    {ElementType::kBfloat16, "bfloat16", "", 2, true},
    {ElementType::kFloat8E4M3, "float8_e4m3", "", 1, true},
    {ElementType::kFloat8E5M2, "float8_e5m2", "", 1, true},
}};

constexpr const ElementTypeRow& row_of(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}
static_assert(std::ranges::all_of(kElementTypes, [](const ElementTypeRow& row) {
  return row.type == row_of(row.type).type;
}));

constexpr std::string_view name_of(ElementType type) { return row_of(type).name; }
constexpr std::size_t bytes_of(ElementType type) { return row_of(type).bytes; }
// A number with an exponent, however narrow.
constexpr bool is_floating(ElementType type) { return row_of(type).floating; }
// A type of C++, so that kernels on cores have it and scalars of it are passed by value; the others
// are only in vectors of GPUs.
constexpr bool is_cpp_type(ElementType type) { return !row_of(type).cpp.empty(); }
constexpr std::string_view cpp_name_of(ElementType type) { return row_of(type).cpp; }

constexpr std::optional<ElementType> element_type_of(std::string_view name) {
  for (const ElementTypeRow& row : kElementTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

template <class T>
struct TypeTag {
  using Type = T;
};

// Calls `f` with the TypeTag of the C++ type that `type` is; is_cpp_type(type).
template <class F>
decltype(auto) with_cpp_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::kInt8:
      return f(TypeTag<std::int8_t>{});
    case ElementType::kInt16:
      return f(TypeTag<std::int16_t>{});
    case ElementType::kInt32:
      return f(TypeTag<std::int32_t>{});
    case ElementType::kInt64:
      return f(TypeTag<std::int64_t>{});
    case ElementType::kUint8:
      return f(TypeTag<std::uint8_t>{});
    case ElementType::kUint16:
      return f(TypeTag<std::uint16_t>{});
    case ElementType::kUint32:
      return f(TypeTag<std::uint32_t>{});
    case ElementType::kUint64:
      return f(TypeTag<std::uint64_t>{});
    case ElementType::kFloat32:
      return f(TypeTag<float>{});
    case ElementType::kFloat64:
      return f(TypeTag<double>{});
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
    case ElementType::kFloat8E4M3:
    case ElementType::kFloat8E5M2:
      break;
  }
  std::abort();  // readers and backends refuse such types where C++ is needed
}

}  // namespace nightshift::search
