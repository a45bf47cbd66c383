#include "search/table/carried_over.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nightshift::search {
namespace {

// Two shapes with three candidates, the default first; costs as shares of the default's.
struct Matrix {
  std::vector<MatrixColumn> columns{2};
  MatrixEstimates estimates{{{}, {std::log(0.50), 0.01}, {std::log(0.505), 0.01}},
                            {{}, {std::log(0.80), 0.01}, {std::log(1.20), 0.01}}};
  std::vector<std::size_t> own{1, 1};

  Matrix() {
    columns[0].shape.weight = 3;
    columns[1].shape.weight = 1;
  }
  CarriedOver of(const std::vector<std::optional<std::size_t>>& other) const {
    return carried_over(columns, estimates, own, other);
  }
};

TEST(CarriedOver, TheSameChoicesCostNothing) {
  const CarriedOver same = Matrix().of({1, 1});
  EXPECT_EQ(same.shapes, 2U);
  EXPECT_EQ(same.ran, 2U);
  EXPECT_EQ(same.as_good, 2U);
  EXPECT_EQ(same.of_default, same.own_of_default);
  EXPECT_NEAR(same.of_default, std::pow(0.5, 0.75) * std::pow(0.8, 0.25), 1e-12);
  EXPECT_EQ(same.worst, 1);
}

TEST(CarriedOver, OtherChoicesAreWeighedByTheMatrixHere) {
  const CarriedOver other = Matrix().of({2, 2});
  EXPECT_EQ(other.as_good, 1U);  // 1 % more on the first shape, half as much again on the second
  EXPECT_NEAR(other.of_default, std::pow(0.505, 0.75) * std::pow(1.2, 0.25), 1e-12);
  EXPECT_NEAR(other.worst, 1.5, 1e-12);
}

TEST(CarriedOver, TheDefaultIsAChoiceToo) {
  const CarriedOver other = Matrix().of({0, 0});
  EXPECT_EQ(other.of_default, 1);
  EXPECT_NEAR(other.worst, 2, 1e-12);
}

TEST(CarriedOver, ABetterChoiceThanTheOwnOneIsBelowOne) {
  Matrix matrix;
  matrix.own = {0, 0};
  EXPECT_NEAR(matrix.of({1, 1}).worst, 0.8, 1e-12);
  EXPECT_EQ(matrix.of({1, 1}).as_good, 2U);
}

TEST(CarriedOver, ShapesThatTheOtherHasNotAndWhatDoesNotRunHereAreCounted) {
  Matrix matrix;
  matrix.estimates[1][2].usable = false;
  const CarriedOver other = matrix.of({std::nullopt, 2});
  EXPECT_EQ(other.shapes, 1U);
  EXPECT_EQ(other.ran, 0U);
  EXPECT_EQ(other.worst, 1);
  EXPECT_EQ(matrix.of({std::nullopt, 7}).ran, 0U);  // no candidate here
  matrix.estimates[0][2].error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(matrix.of({2, std::nullopt}).ran, 0U);  // never measured
}

}  // namespace
}  // namespace nightshift::search
