#include "problems/shapes/whole_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string part(const char* expression, std::string_view line) {
  const base::BoundedRegex pattern(expression);
  return part_of_number(line, pattern.named_in(line));
}

TEST(WholeSizes, ANumberThatGoesOnIsNoSize) {
  for (const char* line : {"M=4k", "M=4.5", "M=4e3", "M=12,504", "M=12'504", "M=4-8", "M=4 * 2",
                           "M=4x", "M=0x10", "M=4 to 8"}) {
    EXPECT_THAT(part(R"(M=(?<M>\d+))", line), AllOf(HasSubstr("M is '"), HasSubstr("have its")))
        << line;
  }
  EXPECT_THAT(part(R"((?<M>\d+))", "M=-4"), HasSubstr("'-4'"));
  EXPECT_THAT(part(R"((?<M>\d)$)", "M=14"), HasSubstr("'14'"));
}

TEST(WholeSizes, WhatTheExpressionMatchesIsAskedFor) {
  EXPECT_EQ(part(R"(M=(?<M>\d+)k)", "M=4k"), "");
  EXPECT_EQ(part(R"((?<M>\d+)x(?<N>\d+))", "gemm 128x256"), "");
  EXPECT_EQ(part(R"((?<M>\d+),(?<N>\d+))", "128,256"), "");
  EXPECT_EQ(part(R"(_(?<M>\d+)_(?<N>\d+)_)", "tn_32768_384_ld"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+))", "M=4, N=8"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+))", "M=4 8.5 ms"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+))", "no size"), "");
  EXPECT_EQ(part(R"((?<dtype>\w+) m=(?<M>\d+))", "f16 m=4."), "");
}

}  // namespace
}  // namespace nightshift::problems
