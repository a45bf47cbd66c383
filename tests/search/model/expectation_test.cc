#include "search/model/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

class AnExpectation : public ::testing::Test {
 protected:
  static ExpectedCost cost(const std::vector<std::string>& factors) {
    ExpectedCost cost;
    for (const std::string& factor : factors) cost.factors.push_back(Expression::parse(factor));
    cost.constants = {{"UNITS", std::int64_t{132}}};
    return cost;
  }
  // Of TILE = 4, UNROLL = 1.
  std::optional<double> of(const std::vector<std::string>& factors) const {
    return Expectation(space_, cost(factors)).expected(std::vector<std::uint32_t>{2, 0});
  }

  ParameterSpace space_ = space_of({integers("TILE", {1, 2, 4}), integers("UNROLL", {1, 2})});
};

TEST_F(AnExpectation, IsTheLogarithmOfACost) {
  EXPECT_THAT(of({"ceil(1000 / (TILE * UNITS)) + UNROLL"}),
              Optional(DoubleNear(std::log(3), 1e-12)));
}

TEST_F(AnExpectation, OfSeveralCasesIsTheirMean) {
  EXPECT_THAT(of({"TILE", "16 * UNROLL"}), Optional(DoubleNear(std::log(8), 1e-12)));
}

TEST_F(AnExpectation, IsNoneWhereNoCostComesOut) {
  EXPECT_EQ(of({"TILE - 4"}), std::nullopt);
  EXPECT_EQ(of({"TILE", "-UNROLL"}), std::nullopt);
  EXPECT_EQ(of({"1 / (TILE - 4)"}), std::nullopt);
  EXPECT_EQ(of({"'four'"}), std::nullopt);
  EXPECT_EQ(of({"1e300 * 1e300 * TILE"}), std::nullopt);
}

TEST_F(AnExpectation, NeedsNamesThatItKnows) {
  EXPECT_THROW(of({"TILE * WARPS"}), SpaceError);
  EXPECT_TRUE(Expectation(space_, {}).empty());
}

TEST(ExpectedScale, FlattensAsTargetsAreAndTakesTheUnknownForUsual) {
  const std::vector<double> expected = {1, ExpectedScale::kUnknown, 2, 13, 3};
  const ExpectedScale scale(expected, true);
  EXPECT_DOUBLE_EQ(scale(1), 1);
  EXPECT_DOUBLE_EQ(scale(13), 5);
  EXPECT_DOUBLE_EQ(scale(ExpectedScale::kUnknown), 2.5);
  EXPECT_DOUBLE_EQ(ExpectedScale(expected, false)(13), 13);
  EXPECT_DOUBLE_EQ(ExpectedScale()(ExpectedScale::kUnknown), 0);
}

}  // namespace
}  // namespace nightshift::search
