#include "search/model/improvement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nightshift::search {
namespace {

TEST(LogImprovement, IsThatOfAStandardNormal) {
  // Integrals of (t - x) times the density below t.
  EXPECT_NEAR(log_improvement(0), std::log(0.3989422804014327), 1e-12);
  EXPECT_NEAR(log_improvement(1), std::log(1.0833154705876863), 1e-9);
  EXPECT_NEAR(log_improvement(-2), std::log(0.008490702617), 1e-8);
}

TEST(LogImprovement, OrdersWhatIsFarBelowZeroInDoubles) {
  EXPECT_LT(log_improvement(-60), log_improvement(-50));
  EXPECT_LT(log_improvement(-50), -1250);
  EXPECT_GT(log_improvement(-60), -1900);
  // Where one form follows the other.
  EXPECT_NEAR(log_improvement(-5.000001), log_improvement(-4.999999), 0.03);
}

}  // namespace
}  // namespace nightshift::search
