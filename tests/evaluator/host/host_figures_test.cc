#include "evaluator/host/host_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

search::Measurement found(double seconds, double bytes, double error) {
  search::Measurement one;
  one.figures = {{"time", {seconds, seconds}},
                 {"instructions", {1e9 * seconds, 1e9 * seconds}},
                 {"binary_size", {bytes}},
                 {"build_time", {3}},
                 {"error", {error}}};
  return one;
}

const OwnObjectives kAll = {{"binary_size", OwnFigure::kBinarySize, 1.0 / 1024},
                            {"time", OwnFigure::kTime, 1e3},
                            {"error", OwnFigure::kError, 1},
                            {"build_time", OwnFigure::kBuildTime, 1},
                            {"instructions", OwnFigure::kInstructions, 1}};

TEST(HostFigures, StandInTheObjectivesOrderAndUnits) {
  const auto all = joined({found(0.5, 2048, 1e-6)}, kAll, {});
  ASSERT_EQ(all.figures.size(), kAll.size());
  EXPECT_EQ(all.figures.front().objective, "binary_size");
  EXPECT_THAT(all.find("binary_size")->values, ElementsAre(2));
  EXPECT_THAT(all.find("time")->values, ElementsAre(500, 500));
  EXPECT_THAT(all.find("error")->values, ElementsAre(1e-6));
  EXPECT_THAT(all.find("time")->cases, IsEmpty());
  EXPECT_THAT(all.conditions, IsEmpty());
}

TEST(HostFigures, WhatIsNoObjectiveIsLeftOut) {
  const auto all = joined({found(0.5, 2048, 0)}, {kAll[2]}, {});
  ASSERT_EQ(all.figures.size(), 1U);
  EXPECT_EQ(all.figures.front().objective, "error");
}

TEST(HostFigures, OfCasesCallsAreAggregatedBinariesAddUpAndTheLargestErrorCounts) {
  search::CaseTerms terms;
  terms.names = {"small", "large"};
  terms.aggregate = search::Aggregate::kSum;
  auto second = found(0.25, 1024, 2e-6);
  second.disturbance = "throttled";
  const auto all = joined({found(0.5, 2048, 1e-6), second}, kAll, terms);
  EXPECT_THAT(all.find("time")->values, ElementsAre(750, 750));
  EXPECT_THAT(all.find("time")->cases, ElementsAre(ElementsAre(500, 500), ElementsAre(250, 250)));
  EXPECT_THAT(all.find("instructions")->values, ElementsAre(7.5e8, 7.5e8));
  EXPECT_THAT(all.find("binary_size")->values, ElementsAre(3));
  EXPECT_THAT(all.find("binary_size")->cases, IsEmpty());
  EXPECT_THAT(all.find("error")->values, ElementsAre(2e-6));
  EXPECT_THAT(all.find("build_time")->values, ElementsAre(3)) << "one build made all cases";
  EXPECT_EQ(all.disturbance, "throttled");
  EXPECT_EQ(all.condition("cases"), "2");
}

// What holds in one case says nothing of another.
TEST(HostFigures, AnAuditThatWasCutShortInOneCaseIsCutShort) {
  search::CaseTerms terms;
  terms.names = {"small", "large", "huge"};
  const auto audit_of = [&](const std::vector<std::string>& audits) {
    std::vector<search::Measurement> cases;
    for (const std::string& audit : audits) {
      cases.push_back(found(0.5, 2048, 0));
      cases.back().conditions = {{"audit", audit}};
    }
    return joined(std::move(cases), kAll, terms).condition("audit");
  };
  EXPECT_EQ(audit_of({"its time held", "its time held", "its time held"}), "its time held");
  EXPECT_EQ(audit_of({"its time held", "cut short", "its time held"}), "cut short");
  EXPECT_EQ(audit_of({"cut short", "its time held", "its time held"}), "cut short");
}

TEST(HostFigures, WhatNobodyMeasuredIsNoFigure) {
  EXPECT_THROW(joined({found(1, 1, 1)}, {{"energy", OwnFigure::kEnergy, 1}}, {}), std::logic_error);
}

}  // namespace
}  // namespace nightshift::evaluator
