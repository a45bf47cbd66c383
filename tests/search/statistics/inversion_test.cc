#include "search/statistics/inversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nightshift::search {
namespace {

Rejects below(double end) {
  return [end](double effect) { return effect < end; };
}

TEST(Inversion, FindsWhereATestBeginsToHoldBack) {
  for (const double end : {-7.0, -0.02, -1e-5, 0.003, 0.4, 90.0}) {
    for (const double guess : {end, 0.0, 0.5, -std::numeric_limits<double>::infinity()}) {
      const double found = least_not_rejected(below(end), guess, end + 0.1, 0.05);
      EXPECT_NEAR(found, end, 1e-8) << guess;
      EXPECT_GE(found, end) << "it is not rejected";
    }
  }
}

TEST(Inversion, LiesAboveZeroExactlyWhereZeroIsRejected) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  EXPECT_GT(least_not_rejected(below(kLeast), 0, 0.1, 0.05), 0);
  EXPECT_LE(least_not_rejected(below(0), 0, 0.1, 0.05), 0);
  EXPECT_LE(least_not_rejected(below(-kLeast), 0, 0.1, 0.05), 0);
}

TEST(Inversion, HasNoEndWhereNothingIsRejected) {
  const Rejects never = [](double) { return false; };
  EXPECT_EQ(least_not_rejected(never, 0.1, 0.2, 0.05), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace nightshift::search
