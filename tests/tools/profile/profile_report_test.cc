#include "tools/profile/profile_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<ProfiledCase> cases() {
  return profiled_cases({{0, "norm", {30e-6, 31e-6, 29e-6}},
                         {0, "rest", {10e-6, 10e-6, 10e-6}},
                         {1, "norm", {5e-6, 5e-6, 5e-6}}},
                        {"N=10", "N=2"});
}

ProfileReport report_of(ProfiledTrial trial) {
  return {"studies/a", "gpu:0 (A GPU)", "", 3, {std::move(trial)}};
}

TEST(ProfileReport, LaunchesHaveSharesOfTheirExecution) {
  const auto all = cases();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_DOUBLE_EQ(all[0].seconds, 40e-6);
  EXPECT_DOUBLE_EQ(all[0].launches[0].share, 0.75);
  EXPECT_DOUBLE_EQ(all[0].launches[1].share, 0.25);
  EXPECT_DOUBLE_EQ(all[1].launches[0].share, 1);
  const std::string text =
      profile_text(report_of({"the best", {}, "ff", "97.0 % of a copy", all, "no ncu"}));
  EXPECT_THAT(text, HasSubstr("75.0 %"));
  EXPECT_THAT(text, HasSubstr("together"));
  EXPECT_THAT(text, HasSubstr("97.0 % of a copy"));
  EXPECT_THAT(text, HasSubstr("not told: no ncu."));
  EXPECT_THAT(text, Not(HasSubstr("Counters")));
}

TEST(ProfileReport, CountersStandBesideTheirLaunches) {
  auto all = cases();
  EXPECT_THAT(add_counters({{}, {}}, all), HasSubstr("counted 2 of 3 launches"));
  LaunchCounters counted;
  counted.dram = 81.25;
  counted.warps = {{"long_scoreboard", 0.61}, {"selected", 0.3}, {"barrier", 0.04}};
  EXPECT_THAT(add_counters({counted, {}, {}}, all), IsEmpty());
  const ProfileReport report = report_of({"trial 3", {}, "ff", "", all, ""});
  const std::string text = profile_text(report);
  EXPECT_THAT(text, HasSubstr("81.2 %"));
  EXPECT_THAT(text, AllOf(HasSubstr("data of global or local memory"), HasSubstr("61 %"),
                          HasSubstr("nothing: they work")));
  EXPECT_THAT(text, Not(HasSubstr("barrier")));
  const auto json = profile_json(report);
  const auto& launch = json["trials"][0]["cases"][0]["launches"][0];
  EXPECT_DOUBLE_EQ(launch["counters"]["memory"], 0.8125);
  EXPECT_DOUBLE_EQ(launch["counters"]["warps"]["barrier"], 0.04);
  EXPECT_TRUE(launch["counters"]["l2"].is_null());
}

TEST(ProfileReport, LaunchesOfSizesThatThereAreNotAreLeftOut) {
  EXPECT_THAT(profiled_cases({{7, "norm", {1e-6}}, {0, "rest", {}}}, {"N=1"})[0].launches,
              IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
