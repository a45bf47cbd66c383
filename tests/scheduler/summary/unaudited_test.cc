#include "scheduler/summary/unaudited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/scheduler/summary/story.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// An audit that the time ended has shown nothing.
TEST(Unaudited, ThatNoAuditHadTheTimeThatItNeededIsSaid) {
  using Audits = std::vector<std::string>;
  for (const auto& [audits, is_unaudited] :
       std::vector<std::pair<Audits, bool>>{{{"cut short", "cut short"}, true},
                                            {{"cut short", "its time held"}, false},
                                            {{"", "cut short"}, true},
                                            {{"", ""}, false}}) {
    Story story = won_duel();
    for (const std::string& audit : audits) {
      story.evaluation(2, 2, Arm::kCandidate, {8.5});
      auto& outcome = story.history_.trials.back().finished->report.outcome;
      if (audit.empty()) continue;
      std::get<search::Measured>(outcome).measurement.conditions = {{"audit", audit}};
    }
    EXPECT_EQ(story.summary().unaudited, "") << "no claim yet";
    story.verdict(2, 2, search::Accept{"candidate 14 % better"}, 0.86, Purpose::kHoldOut);
    const StudySummary summary = story.summary();
    EXPECT_TRUE(summary.accepted);
    EXPECT_EQ(!summary.unaudited.empty(), is_unaudited) << audits[0] << ", " << audits[1];
    if (!is_unaudited) continue;
    EXPECT_THAT(summary.unaudited, AllOf(HasSubstr("the claim of trial 2 is unaudited"),
                                         HasSubstr("measure.trust = \"none\"")));
    EXPECT_THAT(summary.notices, Contains(summary.unaudited)) << "text and report tell these";
  }
}

TEST(Unaudited, WhatItsBranchesHaveLearnedIsANotice) {
  Story story = won_duel();
  for (const char* times : {"", "2.5", "3.75", "damaged"}) {
    story.evaluation(2, 2, Arm::kCandidate, {8.5});
    auto& outcome = story.history_.trials.back().finished->report.outcome;
    auto& conditions = std::get<search::Measured>(outcome).measurement.conditions;
    conditions = {{"audit", "its time held"}};
    if (*times != 0) conditions.emplace_back("times on new inputs", times);
  }
  story.verdict(2, 2, search::Accept{"candidate 14 % better"}, 0.86, Purpose::kHoldOut);
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.unaudited, "");
  EXPECT_THAT(summary.notices, Contains(HasSubstr("it has not seen a call takes 3.75 times")));
}

TEST(Unaudited, ThatItsInputsCannotBeMadeAnewIsSaid) {
  for (const auto& [other, is_unaudited] : std::vector<std::pair<std::string, bool>>{
           {"on the same inputs alone", true}, {"cut short", true}, {"its time held", false}}) {
    Story story = won_duel();
    for (const std::string& audit : {std::string("on the same inputs alone"), other}) {
      story.evaluation(2, 2, Arm::kCandidate, {8.5});
      auto& outcome = story.history_.trials.back().finished->report.outcome;
      std::get<search::Measured>(outcome).measurement.conditions = {{"audit", audit}};
    }
    story.verdict(2, 2, search::Accept{"candidate 14 % better"}, 0.86, Purpose::kHoldOut);
    EXPECT_THAT(story.summary().unaudited,
                is_unaudited ? HasSubstr("its inputs are the same in all calls") : HasSubstr(""));
    EXPECT_EQ(!story.summary().unaudited.empty(), is_unaudited) << other;
  }
}

// A study went on, and its new winner was not confirmed.

}  // namespace
}  // namespace nightshift::scheduler
