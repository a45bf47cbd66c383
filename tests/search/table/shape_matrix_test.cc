#include "search/table/shape_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nightshift::search {
namespace {

MatrixColumn column(std::vector<MatrixCell> cells) {
  cells.insert(cells.begin(), MatrixCell{});
  return {{{{"M", 1}}, 1}, std::move(cells)};
}
MatrixCell measured(std::vector<double> effects) { return {std::move(effects), false, false}; }

TEST(ShapeMatrix, TheScatterOfABlockIsThatOfAllCellsOfTheShape) {
  const auto estimates =
      measured_estimates({column({measured({0.1, 0.3}), measured({-0.1, -0.1})})});
  EXPECT_NEAR(estimates[0][1].mean, 0.2, 1e-12);
  EXPECT_NEAR(estimates[0][2].mean, -0.1, 1e-12);
  // Squares of 0.1 twice over two degrees of freedom, two blocks.
  EXPECT_NEAR(estimates[0][1].error, std::sqrt(0.01 / 2), 1e-12);
  EXPECT_EQ(estimates[0][1].error, estimates[0][2].error);
  EXPECT_EQ(estimates[0][0].error, 0);
}

TEST(ShapeMatrix, EqualCodeIsOneAndWhatFailsIsOut) {
  MatrixCell same, failed, nothing;
  same.same_as_default = true;
  failed.failed = true;
  const auto estimates = measured_estimates({column({same, failed, nothing})});
  EXPECT_EQ(careful_cost(estimates[0][1]), 0);
  EXPECT_EQ(careful_cost(estimates[0][2]), kUnusable);
  EXPECT_EQ(careful_cost(estimates[0][3]), 0) << "what was not measured gains nothing";
}

TEST(ShapeMatrix, AnOutlierIsDrawnTowardsItsCandidate) {
  std::vector<MatrixColumn> columns;
  for (int s = 0; s < 8; ++s) {
    const double base = s == 0 ? -0.2 : -0.05;
    columns.push_back(column({measured({base - 0.1, base + 0.1}), measured({0.1, -0.1})}));
  }
  const auto raw = measured_estimates(columns), drawn = shrunken_estimates(columns);
  EXPECT_GT(drawn[0][1].mean, raw[0][1].mean);
  EXPECT_LT(drawn[0][1].mean, 0);
  EXPECT_LE(drawn[0][1].error, raw[0][1].error);
}

TEST(ShapeMatrix, AGainBelowItsErrorIsNoneAndALossIsALoss) {
  EXPECT_EQ(careful_cost({-0.01, 0.02, true}), 0);
  EXPECT_EQ(careful_cost({-0.03, 0.02, true}), -0.03);
  EXPECT_EQ(careful_cost({0.01, 0.02, true}), 0.01);
}

}  // namespace
}  // namespace nightshift::search
