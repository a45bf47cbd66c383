#include "tools/report/gain_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

scheduler::StudySummary claim() {
  scheduler::StudySummary summary;
  summary.best = scheduler::StudySummary::Contender{};
  summary.accepted = true;
  summary.ratio = 0.5;
  summary.ratio_interval = {0.45, 0.55};
  summary.devices = {{"node/cpu:1", 8, 0, std::log(2.0), 0.03}};
  return summary;
}

const std::vector<ChartBar>& bars_of(const Charts& charts) {
  return std::get<BarChart>(charts.charts.at(0)).bars;
}

TEST(GainChart, HasBaselineAndClaim) {
  const Charts charts = gain_charts(claim(), tests::told_problem());
  const auto& bars = bars_of(charts);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].value, 1);
  EXPECT_EQ(bars[1].label, "best");
  EXPECT_EQ(bars[1].value, 0.5);
  EXPECT_EQ(bars[1].low, 0.45);
  EXPECT_EQ(bars[1].note, "-50.00 %");
  EXPECT_THAT(charts.lines, HasSubstr("0.4500 to 0.5500"));
}

TEST(GainChart, HasEachOfSeveralDevicesWithItsOwnInterval) {
  scheduler::StudySummary summary = claim();
  summary.devices.push_back({"node/cpu:2", 4, 0, std::log(4.0), 0.1});
  summary.devices.push_back({"node/cpu:3", 1, 0, std::log(4.0), 0.1});
  const Charts charts = gain_charts(summary, tests::told_problem());
  const auto& bars = bars_of(charts);
  ASSERT_EQ(bars.size(), 5U);
  EXPECT_EQ(bars[2].label, "best on node/cpu:2");
  EXPECT_NEAR(bars[2].value, 0.25, 1e-12);
  // t(0.975, 3) = 3.182
  EXPECT_NEAR(bars[2].low, 0.25 * std::exp(-0.3182), 1e-4);
  EXPECT_NEAR(bars[2].high, 0.25 * std::exp(0.3182), 1e-4);
  EXPECT_FALSE(is_whisker(bars[3].low, bars[3].high)) << "of one pair nothing is known";
  EXPECT_EQ(bars[4].label, "best, all devices");
}

TEST(GainChart, OfWhatIsMaximisedGrows) {
  search::Problem problem = tests::told_problem();
  problem.objectives = {search::Objective{"speed", "GB/s", search::Direction::kMaximise}};
  const Charts charts = gain_charts(claim(), problem);
  EXPECT_EQ(bars_of(charts)[1].value, 2);
  EXPECT_NEAR(bars_of(charts)[1].low, 1 / 0.55, 1e-12);
  EXPECT_NEAR(bars_of(charts)[1].high, 1 / 0.45, 1e-12);
}

TEST(GainChart, IsNoneWithoutABestOrARatio) {
  scheduler::StudySummary summary = claim();
  summary.best.reset();
  EXPECT_TRUE(gain_charts(summary, tests::told_problem()).charts.empty());
  search::Problem problem = tests::told_problem();
  problem.objectives[0].difference_scale = 2;
  EXPECT_TRUE(gain_charts(claim(), problem).charts.empty());
}

}  // namespace
}  // namespace nightshift::tools
