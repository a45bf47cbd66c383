#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "packaging/include/nightshift/tuner.h"

namespace nightshift {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LibraryStatistics, EstimateHasTheMomentsAndTheMediansInterval) {
  const Estimate e = estimate({4, 1, 3, 2, 5, 6});
  EXPECT_EQ(e.count, 6u);
  EXPECT_DOUBLE_EQ(e.mean, 3.5);
  EXPECT_DOUBLE_EQ(e.sd, std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(e.median, 3.5);
  EXPECT_DOUBLE_EQ(e.median95.low, 1);  // all of six cover 96.9 %
  EXPECT_DOUBLE_EQ(e.median95.high, 6);
  EXPECT_TRUE(std::isinf(estimate({1, 2}).median95.high));
}

// By hand: the logarithms are -.22314, -.10536 and -.28768, their mean -.20539, its error .05337, and
// Student's quantile of two degrees of freedom 4.30265.
TEST(LibraryStatistics, AChangeIsOfLogarithms) {
  const Change c = paired_change({10, 10, 10}, {8, 9, 7.5});
  EXPECT_NEAR(c.ratio, 0.81432, 1e-4);
  EXPECT_NEAR(c.ratio95.low, 0.64723, 1e-4);
  EXPECT_NEAR(c.ratio95.high, 1.02455, 1e-4);
  EXPECT_DOUBLE_EQ(c.p_lower, 0.125);  // all three are lower
  EXPECT_GT(paired_change({8, 9, 7.5}, {10, 10, 10}).p_lower, 0.9);
}

TEST(LibraryStatistics, SaysWhatIsWrong) {
  EXPECT_THAT([] { estimate({}); }, ThrowsMessage<Error>(HasSubstr("at least")));
  EXPECT_THAT([] { estimate({1, std::nan("")}); }, ThrowsMessage<Error>(HasSubstr("finite")));
  EXPECT_THAT([] { paired_change({1, 2}, {1}); }, ThrowsMessage<Error>(HasSubstr("as many")));
  EXPECT_THAT([] { paired_change({1}, {1}); }, ThrowsMessage<Error>(HasSubstr("two at least")));
  EXPECT_THAT([] { paired_change({1, 0}, {1, 1}); }, ThrowsMessage<Error>(HasSubstr("above 0")));
}

}  // namespace
}  // namespace nightshift
