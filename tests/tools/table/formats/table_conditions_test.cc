// That code answers as the table does is held by tests/e2e/table_guards_test.py.
#include "tools/table/formats/table_conditions.h"

#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

const std::vector<std::string> kSizes{"M", "for"}, kNames{"M", "for_"};

std::string cpp(const std::string& condition) {
  return condition_text(condition, kSizes, kNames, CodeLanguage::kCpp);
}
std::string python(const std::string& condition) {
  return condition_text(condition, kSizes, kNames, CodeLanguage::kPython);
}

TEST(TableConditions, AreExpressionsOfBothLanguages) {
  EXPECT_EQ(cpp("M % 48 == 0"), "(remainder_of(double(M), 48.0) == 0.0)");
  EXPECT_EQ(python("M % 48 == 0"), "((M % 48) == 0)");
  EXPECT_EQ(cpp("M // 2 + 1.5 > 3 and not M < 7"),
            "(((rounded_down(double(M) / 2.0) + 1.5) > 3.0) && (!(double(M) < 7.0)))");
  EXPECT_EQ(python("M // 2 + 1.5 > 3 and not M < 7"), "((((M // 2) + 1.5) > 3) and (not (M < 7)))");
  EXPECT_EQ(cpp("ceil(M / 64)"), "((-rounded_down(-(double(M) / 64.0))) != 0.0)");
  EXPECT_EQ(python("M & 3"), "(int(M) & int(3))");
}

TEST(TableConditions, HaveTheNamesOfTheCode) {
  const auto text = condition_text("M < N", {"M", "N"}, {"M_", "n"}, CodeLanguage::kCpp);
  EXPECT_EQ(text, "(double(M_) < double(n))");
}

TEST(TableConditions, WhatIsNoProgramNeverHolds) {
  EXPECT_EQ(cpp("M in (1, 2)"), "false");
  EXPECT_EQ(python("M in (1, 2)"), "False");
  EXPECT_EQ(python(""), "False");
}

}  // namespace
}  // namespace nightshift::tools
