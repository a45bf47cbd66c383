#include "scheduler/summary/study_notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/figures/left_running.h"
#include "search/figures/one_core.h"
#include "search/figures/told_unit.h"
#include "search/time_unit.h"
#include "tests/scheduler/summary/story.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StudyNotices, ADeviceThatLeftTheStudyIsANotice) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.history_.remarks = {{std::string(kNoticeRemark), "the lights went out", 1},
                            {std::string(kNoticeRemark), "the lights went out", 5},
                            {"drift", "the baseline on n/cpu:1 seems to have moved", 2},
                            {std::string(kQuarantineRemark), "n/cpu:2 cannot be used: gone", 3},
                            {std::string(kQuarantineRemark), "n/cpu:2 cannot be used: gone", 4}};
  EXPECT_THAT(
      story.summary().notices,
      ElementsAre("the lights went out", "a device left the study: n/cpu:2 cannot be used: gone"));
}

TEST(StudyNotices, CoresThatOthersHadDuringMostSamplesAreANotice) {
  Story story;
  story.baseline("n/cpu:1", {10});
  for (int i = 0; i < 5; ++i) story.explore({9}, search::Score{0.9, 0.01});
  EXPECT_THAT(story.summary().notices, IsEmpty());
  auto& outcome = story.record(2).finished->report.outcome;
  std::get<search::Measured>(outcome).measurement.conditions = {
      {std::string(search::kPreemptedCondition), "12 of 20"}};
  EXPECT_THAT(story.summary().notices, ElementsAre(HasSubstr("in 1 of 6 evaluations other work")));
}

TEST(StudyNotices, ABaselineBeyondALimitIsANoticeAndNoConfigurationThatFailed) {
  Story story;
  const std::uint64_t baseline = story.baseline("n/cpu:1", {10});
  story.explore({9}, search::Score{0.9, 0.01});
  story.evaluation(1, 0, Arm::kCandidate, {10});  // of a self-test
  for (const std::uint64_t id : {baseline, std::uint64_t{3}}) {
    story.record(id).finished->beyond_limits = "exceeds limit on size: 500 KiB > 400 KiB";
  }
  const StudySummary summary = story.summary();
  EXPECT_THAT(summary.notices,
              ElementsAre(HasSubstr("the baseline exceeds limit on size: 500 KiB > 400 KiB: ")));
  EXPECT_EQ(summary.failed_confirmed, 0U);
}

TEST(StudyNotices, AFailedStudyNamesItsLostDevicesOnce) {
  Story story;
  story.history_.status = "failed";
  story.history_.status_reason = "no device is left:\n  n/cpu:1 cannot be used: gone";
  story.history_.remarks = {{std::string(kQuarantineRemark), "n/cpu:1 cannot be used: gone", 1}};
  EXPECT_THAT(story.summary().notices, IsEmpty());
}

TEST(StudyNotices, TimesThatWereZeroAreCounted) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({9}, search::Score{0.9, 0.01});
  auto& outcome = story.record(2).finished->report.outcome;
  std::get<search::Measured>(outcome).measurement.conditions = {
      {std::string(search::kVoidCondition), "3 of 9"}};
  EXPECT_THAT(story.summary().notices,
              ElementsAre(HasSubstr("in 1 of 2 evaluations some times were 0")));
}

TEST(StudyNotices, AUnitNowAndThenIsTold) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({9}, search::Score{0.9, 0.01});
  const auto prints = [&](std::uint64_t id) {
    auto& outcome = story.record(id).finished->report.outcome;
    std::get<search::Measured>(outcome).measurement.conditions = {
        {search::told_unit_condition("time"), "ms"}};
  };
  prints(2);
  EXPECT_THAT(story.summary().notices,
              ElementsAre(HasSubstr("in 1 of 2 evaluations 'time' had its unit")));
  prints(1);
  EXPECT_THAT(story.summary().notices, IsEmpty());
}

TEST(StudyNotices, WhatProgramsLeftRunningIsNamedOnce) {
  Story story;
  story.baseline("n/cpu:1", {10});
  for (int i = 0; i < 2; ++i) story.explore({9}, search::Score{0.9, 0.01});
  for (const std::uint64_t id : {std::uint64_t{1}, std::uint64_t{3}}) {
    auto& outcome = story.record(id).finished->report.outcome;
    std::get<search::Measured>(outcome).measurement.conditions = {
        {std::string(search::kLeftRunningCondition), id == 1 ? "ccache" : "ccache, sleep"}};
  }
  EXPECT_THAT(story.summary().notices,
              ElementsAre(HasSubstr("in 2 of 3 evaluations the program left ccache, sleep ")));
}

TEST(StudyNotices, ThreadsThatHadOneCoreAreToldWithTheKeyThatGivesMore) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({9}, search::Score{0.9, 0.01});
  EXPECT_THAT(story.summary().notices, IsEmpty());
  auto& outcome = story.record(1).finished->report.outcome;
  std::get<search::Measured>(outcome).measurement.conditions = {
      {std::string(search::kOneCoreCondition), "OpenMP"}};
  EXPECT_THAT(
      story.summary().notices,
      ElementsAre(AllOf(HasSubstr("in 1 of 2 evaluations the kernel starts threads (OpenMP)"),
                        HasSubstr("cores_per_device"))));
}

TEST(StudyNotices, AUnitThatIsAssumedOfAPathIntoJsonIsANotice) {
  Story story;
  story.baseline("n/cpu:1", {10});
  search::CommandBackend command;
  command.figures = {{search::FigureRule::Source::kJson, "results.0.mean"}};
  story.problem_.backend = command;
  const auto notices = [&] { return story.summary().notices; };
  EXPECT_THAT(notices(),
              ElementsAre(HasSubstr("'time' (results.0.mean) has no unit where it is read")));
  auto& rule = std::get<search::CommandBackend>(story.problem_.backend).figures.front();
  rule.unit_is_told = true;
  EXPECT_THAT(notices(), IsEmpty()) << "the problem says it";
  rule.unit_is_told = false;
  rule.key = "time";
  EXPECT_THAT(notices(), IsEmpty()) << "the protocol says it";
  rule.key = "results.0.mean";
  auto& outcome = story.record(1).finished->report.outcome;
  std::get<search::Measured>(outcome).measurement.conditions = {
      {search::told_unit_condition("time"), "s"}};
  EXPECT_THAT(notices(), IsEmpty()) << "the program says it";
}

}  // namespace
}  // namespace nightshift::scheduler
