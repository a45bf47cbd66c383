#include "search/table/size_condition.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

const std::vector<std::string> kNames{"M", "N"};
const std::vector<SizeRange> kRanges{{64, 4096}, {1, 8192}};

bool askable(const std::string& expression) { return is_askable(expression, kNames, kRanges); }

TEST(SizeCondition, HoldsForSomeSizes) {
  const SizeCondition condition{"N % V == 0", "N % 48 == 0"};
  EXPECT_TRUE(holds(condition, {{"M", 64}, {"N", 96}}));
  EXPECT_FALSE(holds(condition, {{"M", 64}, {"N", 1024}}));
}

TEST(SizeCondition, WhatCannotBeAskedNeverHolds) {
  EXPECT_FALSE(holds({"N in SIZES", ""}, {{"N", 64}}));
  EXPECT_FALSE(holds({"N % V == 0", "N % K == 0"}, {{"N", 64}})) << "there is no K";
}

TEST(SizeCondition, IsAskedWhereItIsAProgram) {
  EXPECT_TRUE(askable("N % 48 == 0"));
  EXPECT_TRUE(askable("M * N <= 1000000 and (N % 3 == 0 or not M > 128)"));
  EXPECT_TRUE(askable("ceil(M / 64) * min(N, 8) >= 4"));
  EXPECT_TRUE(askable("M & (M - 1) == 0"));
  EXPECT_TRUE(askable("M % N == 0")) << "no size is 0";
  EXPECT_TRUE(askable("32 <= abs(M - N) // 2 if M > N else N >= 1"));
  EXPECT_FALSE(askable("N in (64, 128)"));
  EXPECT_FALSE(askable("N % V == 0"));
  EXPECT_FALSE(askable("N %")) << "no expression";
}

TEST(SizeCondition, IsNotAskedWhereFormsWouldAnswerDifferently) {
  EXPECT_FALSE(askable("M % (N - 64) == 0")) << "divides by zero where N is 64";
  EXPECT_FALSE(askable("M % 0 == 0"));
  EXPECT_FALSE(askable("M * M * M * M * M % 7 == 0")) << "doubles have not all digits";
  EXPECT_FALSE(askable("(M - N) & 1 == 0")) << "may be negative";
  EXPECT_FALSE(askable("(M / 2) & 1 == 0")) << "may be no whole number";
}

}  // namespace
}  // namespace nightshift::search
