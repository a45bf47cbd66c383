#include "problems/readers/amount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "search/element_type.h"

namespace nightshift::problems {
namespace {

using ::testing::HasSubstr;

std::string complaint(std::string_view expression, const AmountRule& rule) {
  const search::Value n = std::int64_t{7};
  return amount_complaint(
      search::Expression::parse(expression),
      [&n](std::string_view name) { return name == "N" ? &n : nullptr; }, rule);
}

TEST(Amount, OfElementsIsAWholeNumberFromOne) {
  EXPECT_EQ(complaint("N * 2", kElements), "");
  EXPECT_THAT(complaint("N - 7", kElements),
              HasSubstr("is 0 for the baseline, which is no number"));
  EXPECT_THAT(complaint("N / 2", kElements), HasSubstr("is 3.5 for the baseline"));
  EXPECT_THAT(complaint("1 / (N - 7)", kElements), HasSubstr("cannot be evaluated"));
  EXPECT_THAT(complaint("M", kElements), HasSubstr("cannot be evaluated"));
}

TEST(Amount, OfAScalarFitsItsType) {
  const AmountRule byte = value_rule(search::ElementType::kInt8);
  EXPECT_EQ(complaint("127", byte), "");
  EXPECT_EQ(complaint("-128", byte), "");
  EXPECT_THAT(complaint("128", byte), HasSubstr("its type goes from -128 to 127"));
  EXPECT_THAT(complaint("-129", byte), HasSubstr("its type goes from -128 to 127"));
  EXPECT_THAT(complaint("N / 2", byte), HasSubstr("but its type is an integer"));
  const AmountRule real = value_rule(search::ElementType::kFloat32);
  EXPECT_EQ(complaint("-N / 2", real), "");
  EXPECT_THAT(complaint("10.0 ** 40", real), HasSubstr("(float32)"));
}

TEST(Amount, HasTheRangeOfItsType) {
  EXPECT_EQ(range_complaint(255, search::ElementType::kUint8), "");
  EXPECT_EQ(range_complaint(256, search::ElementType::kUint8),
            ", but its type goes from 0 to 255 (uint8)");
  EXPECT_EQ(range_complaint(448, search::ElementType::kFloat8E4M3), "");
  for (const auto type : {search::ElementType::kFloat8E4M3, search::ElementType::kFloat8E5M2,
                          search::ElementType::kFloat16}) {
    EXPECT_THAT(range_complaint(-1e5, type), HasSubstr(search::name_of(type)));
  }
  EXPECT_EQ(range_complaint(3e38, search::ElementType::kBfloat16), "");
  EXPECT_THAT(range_complaint(3.4e38, search::ElementType::kBfloat16), HasSubstr("(bfloat16)"));
}

TEST(Amount, WhatNoDoubleHasIsSaid) {
  const AmountRule real = value_rule(search::ElementType::kFloat64);
  EXPECT_EQ(complaint("9007199254740992", real), "");
  EXPECT_THAT(complaint("9007199254740993", real), HasSubstr("the nearest double"));
}

}  // namespace
}  // namespace nightshift::problems
