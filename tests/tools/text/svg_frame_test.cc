#include "tools/text/svg_frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nightshift::tools {
namespace {

ChartScale scale_of(bool logarithmic, const std::vector<double>& values) {
  ChartScale scale(logarithmic);
  for (const double value : values) scale.add(value);
  scale.settle(0.05);
  return scale;
}

// What a hostile program prints is drawn as well, or left out, and ends no report.
TEST(ChartScale, AnyRangeOfNumbersHasAPlace) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> ranges = {
      {1e-300, 1, 1e300}, {kLeast, kMost}, {-kMost, kMost}, {kMost}, {kLeast}, {0}, {}, {1, 2, 3}};
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<double>& values : ranges) {
      const ChartScale scale = scale_of(logarithmic, values);
      EXPECT_TRUE(std::isfinite(scale.low()) && std::isfinite(scale.high()));
      for (const double value : values) {
        if (!scale.shows(value)) continue;
        const double share = scale.share(value);
        EXPECT_TRUE(share >= -1e-9 && share <= 1 + 1e-9) << value << " at " << share;
      }
      const auto ticks = scale.ticks(5);
      EXPECT_LE(ticks.size(), 12U);
      for (const ChartScale::Tick& tick : ticks) EXPECT_LT(tick.text.size(), 20U) << tick.text;
    }
  }
}

TEST(ChartScale, PlacesAreAsOnPaper) {
  const ChartScale even = scale_of(false, {0, 10});
  EXPECT_NEAR(even.share(5), 0.5, 1e-12);
  const ChartScale decades = scale_of(true, {0.01, 100});
  EXPECT_NEAR(decades.share(1), 0.5, 1e-12);
}

}  // namespace
}  // namespace nightshift::tools
