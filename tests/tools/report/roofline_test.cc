#include "tools/report/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/measurement.h"
#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

// Roofs of 2 TB/s and 60 TFLOPS, which meet at 30 FLOP a byte.
constexpr const char* kBaseline =
    "25.0 % of a copy (500 GB/s), 8.3 % of float32 multiply-adds (5 TFLOPS)";
constexpr const char* kBest =
    "50.0 % of a copy (1000 GB/s), 16.7 % of float32 multiply-adds (10 TFLOPS)";

class Roofline : public ::testing::Test {
 protected:
  Roofline() {
    summary_.best = scheduler::StudySummary::Contender{};
    summary_.best->ceilings = kBest;
    tell(0, kBaseline);
    tell(1, kBest);
  }
  void tell(std::size_t trial, const char* ceilings) {
    auto& outcome = study_.history().trials[trial].finished->report.outcome;
    std::get<search::Measured>(outcome).measurement.conditions.emplace_back(
        search::kCeilingsCondition, ceilings);
  }
  std::vector<Block> blocks() { return roofline_blocks(study_.history(), summary_); }

  tests::ToldStudy study_;
  scheduler::StudySummary summary_;
};

TEST_F(Roofline, HasBothRoofsAndWhatWasMeasuredBelow) {
  const std::vector<Block> told = blocks();
  ASSERT_EQ(told.size(), 1U);
  const Charts& charts = std::get<Charts>(told[0]);
  const auto& series = std::get<LineChart>(charts.charts.at(0)).series;
  ASSERT_EQ(series.size(), 4U);
  const auto& roof = series[0].points;
  ASSERT_EQ(roof.size(), 3U);
  EXPECT_NEAR(roof[1].x, 30, 0.2);
  EXPECT_NEAR(roof[1].y, 60, 0.3);
  EXPECT_NEAR(roof[0].y / roof[0].x, 2, 0.01) << "the slope is the copy's rate in TB/s";
  EXPECT_EQ(roof[2].y, roof[1].y);
  EXPECT_EQ(series[1].points.size(), 1U) << "what was explored";
  EXPECT_EQ(series[2].points.at(0).y, 5);
  EXPECT_EQ(series[3].points.at(0).y, 10);
  EXPECT_EQ(series[3].points.at(0).x, 10);
  ASSERT_EQ(charts.beside.size(), 2U);
  EXPECT_THAT(charts.beside[1][1], HasSubstr("50.00 % of its roof, that of a copy: 10.00 FLOP"));
}

TEST_F(Roofline, OfManyOperationsIsBelowTheArithmetic) {
  summary_.best->ceilings =
      "1.0 % of a copy (20 GB/s), 50.0 % of dense bfloat16 products (500 TFLOPS)";
  const std::vector<Block> told = blocks();
  EXPECT_THAT(std::get<Charts>(told.at(0)).beside.back()[1],
              HasSubstr("50.00 % of its roof, that of dense bfloat16 products"));
}

TEST_F(Roofline, NeedsBothRates) {
  for (const char* ceilings : {"", "50.0 % of a copy (1000 GB/s)", "nothing"}) {
    summary_.best->ceilings = ceilings;
    EXPECT_TRUE(blocks().empty()) << ceilings;
  }
  summary_.best.reset();
  EXPECT_TRUE(blocks().empty());
}

}  // namespace
}  // namespace nightshift::tools
