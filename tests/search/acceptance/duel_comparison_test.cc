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

// A program with two modes, drawn for each run, against itself.
int told_apart_of_two_modes(int max_pairs, int comparisons) {
  base::Rng rng(7);
  AcceptanceSettings settings;
  settings.test = DuelTest::kGroupSequential;
  settings.max_pairs = max_pairs;
  settings.level = 0.005;  // on each side
  const DuelPlan plan = plan_comparison(1, settings);
  int apart = 0;
  for (int i = 0; i < comparisons; ++i) {
    std::vector<DevicePairs> devices{{"node/cpu", {}, {}, 0}};
    Verdict verdict;
    for (std::size_t look = 0; look < plan.pairs.size(); ++look) {
      auto& effects = devices[0].effects;
      while (static_cast<int>(effects.size()) < plan.pairs[look]) {
        const auto side = [&] { return (rng.coin() ? 0.4 : 0.0) + 1e-4 * rng.normal(); };
        const double first = side();
        effects.push_back(first - side());
      }
      verdict = judge_comparison(devices, look, plan, settings);
      if (!std::holds_alternative<NeedMore>(verdict.acceptance)) break;
    }
    apart += is_accepted(verdict) ? 1 : 0;
  }
  return apart;
}

TEST(Comparisons, TwoModesAreNotToldApartFromThemselves) {
  EXPECT_LE(told_apart_of_two_modes(16, 2000), 25);
  EXPECT_LE(told_apart_of_two_modes(32, 2000), 25);
  EXPECT_EQ(told_apart_of_two_modes(4, 2000), 0);
}

TEST(Comparisons, FewPairsTellOnlyLandslidesApart) {
  AcceptanceSettings settings;
  settings.max_pairs = 4;
  const DuelPlan plan = plan_comparison(1, settings);
  const auto told = [&](double effect) {
    std::vector<DevicePairs> devices{{"node/cpu", {effect, effect, effect + 1e-4, effect}, {}, 0}};
    return is_accepted(judge_comparison(devices, 0, plan, settings));
  };
  EXPECT_FALSE(told(0.4));
  EXPECT_TRUE(told(0.8));
  EXPECT_TRUE(told(-0.8));
  std::vector<DevicePairs> equal{{"node/cpu", {1e-5, 0, -1e-5, 0}, {}, 0}};
  EXPECT_THAT(reason_of(judge_comparison(equal, 0, plan, settings).acceptance),
              HasSubstr("no difference shown"));
}

}  // namespace
}  // namespace nightshift::search
