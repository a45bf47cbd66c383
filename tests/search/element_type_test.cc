#include "search/element_type.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace nightshift::search {
namespace {

TEST(ElementType, EveryNameIsReadBack) {
  for (const ElementTypeRow& row : kElementTypes) {
    EXPECT_EQ(element_type_of(row.name), row.type) << row.name;
    EXPECT_EQ(name_of(row.type), row.name);
  }
  EXPECT_EQ(element_type_of("float"), std::nullopt);
  EXPECT_EQ(element_type_of(""), std::nullopt);
}

TEST(ElementType, SizesAndKindsAreThoseOfTheCppTypes) {
  for (const ElementTypeRow& row : kElementTypes) {
    if (!is_cpp_type(row.type)) continue;
    with_cpp_type(row.type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      EXPECT_EQ(bytes_of(row.type), sizeof(T)) << row.name;
      EXPECT_EQ(is_floating(row.type), std::is_floating_point_v<T>) << row.name;
    });
  }
}

TEST(ElementType, NarrowFloatsAreFloatingButNoTypesOfCpp) {
  for (const ElementType type : {ElementType::kFloat16, ElementType::kBfloat16,
                                 ElementType::kFloat8E4M3, ElementType::kFloat8E5M2}) {
    EXPECT_TRUE(is_floating(type)) << name_of(type);
    EXPECT_FALSE(is_cpp_type(type)) << name_of(type);
    EXPECT_EQ(cpp_name_of(type), "");
  }
  EXPECT_TRUE(is_floating(ElementType::kFloat64));
  EXPECT_TRUE(is_cpp_type(ElementType::kFloat64));
  EXPECT_FALSE(is_floating(ElementType::kUint64));
}

}  // namespace
}  // namespace nightshift::search
