#include "problems/shapes/whole_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string part(const char* expression, std::string_view line) {
  const base::BoundedRegex pattern(expression);
  return part_of_number(line, pattern.named_in(line), pattern);
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

TEST(WholeSizes, WhatTheRestOfTheExpressionGoesOverIsPartOfTheNumber) {
  for (const char* number : {"12,504", "12'504", "12_504", "12.5e3", "12e3", "12e+3", "12.5", "12k",
                             "12Ki", "12,504,768", "0x10", "12-16 ms,"}) {
    const std::string line = std::string("gemm M=") + number + " K=64 N=512";
    EXPECT_THAT(part(R"(M=(?<M>\d+).*N=(?<N>\d+))", line), HasSubstr("M is '")) << line;
    EXPECT_THAT(part(R"(M=(?<M>\d+)(?<rest>.*)N=(?<N>\d+))", line), HasSubstr("M is '")) << line;
  }
  EXPECT_THAT(part(R"(M=(?<M>\d+).*N=(?<N>\d+))", "M=12,504 K=64 N=512"),
              HasSubstr("M is '12' of '12,504'"));
  EXPECT_THAT(part(R"(M=(?<M>\d{2}).*N=(?<N>\d+))", "M=1234 N=512"), HasSubstr("'12' of '1234'"));
  EXPECT_THAT(part(R"(M=(?<M>\d{2})\d+)", "M=1234"), HasSubstr("'12' of '1234'"));
  EXPECT_THAT(part(R"(M=(?<M>\d+)k?)", "M=4k"), HasSubstr("'4' of '4k'"));
}

TEST(WholeSizes, WhatTheExpressionGoesOverBeforeAGroupIsPartOfTheNumber) {
  EXPECT_THAT(part(R"(gemm.*(?<N>\d+))", "gemm 512"), HasSubstr("N is '2' of '512'"));
  EXPECT_THAT(part(R"(M=(?<M>\d+).*(?<N>\d+) )", "M=4 N=512 "), HasSubstr("N is '2' of '512'"));
  EXPECT_THAT(part(R"(M=.*(?<M>\d+))", "M=-4"), HasSubstr("M is '4' of '-4'"));
}

TEST(WholeSizes, WhatTheExpressionAsksForBesideAGroupMayBeThere) {
  EXPECT_EQ(part(R"(M=(?<M>\d+)k.*N=(?<N>\d+))", "M=4k N=512"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+)\.0 N=(?<N>\d+)\.0)", "M=4.0 N=512.0"), "");
  EXPECT_EQ(part(R"(gemm,(?<M>\d+),\d+,(?<N>\d+))", "gemm,12,504,64"), "");
  EXPECT_EQ(part(R"((?<M>\d+)x\d+x(?<N>\d+))", "gemm 128x64x256"), "");
  EXPECT_EQ(part(R"((?<M>\d{2})(?<N>\d{2}))", "1234"), "");
  EXPECT_EQ(part(R"((?<M>\d+)\.(?<N>\d+))", "12.34"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+).*N=(?<N>\d+))", "M=12, K=504, N=512"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+).*N=(?<N>\d+))", "M=12;K=504;N=512"), "");
  EXPECT_EQ(part(R"(M=(?<M>\d+).*N=(?<N>\d+).*)", "M=12 K=6.5 N=512 took 1.5e3 us"), "");
  EXPECT_EQ(part(R"(^(?<M>\d+) .* (?<N>\d+)$)", "12 500 640"), "");
  EXPECT_EQ(part(R"(gemm_(?<M>\d+)x(?<N>\d+).*)", "gemm_128x256_f16 4.5 ms"), "");
  EXPECT_EQ(part(R"(fp16(?<M>\d+))", "fp16128"), "");
}

}  // namespace
}  // namespace nightshift::problems
