#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "search/acceptance/duel.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

DevicePairs pairs_of(double effect, double tail) {
  base::Rng rng(5);
  DevicePairs pairs{"node/gpu", {}, {}, 0};
  for (int i = 0; i < 8; ++i) {
    pairs.effects.push_back(effect + 0.001 * rng.normal());
    pairs.tails.push_back(tail + 0.001 * rng.normal());
  }
  return pairs;
}

std::string shape_of_comparison(double effect, double tail) {
  const std::vector<DevicePairs> devices{pairs_of(effect, tail)};
  const AcceptanceSettings settings;
  return judge_comparison(devices, 0, plan_duel(1, settings), settings).shape;
}

TEST(Comparisons, TheTailOfTheBetterSideIsWhatIsRemarked) {
  EXPECT_THAT(shape_of_comparison(0.05, -0.04), HasSubstr("p95 is 4"));
  EXPECT_THAT(shape_of_comparison(-0.05, 0.04), HasSubstr("p95 is 4"));
  EXPECT_THAT(shape_of_comparison(0.05, 0.04), IsEmpty());
  EXPECT_THAT(shape_of_comparison(-0.05, -0.04), IsEmpty());
}

}  // namespace
}  // namespace nightshift::search
