#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/scheduler/batch/told_night.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

using tests::Night;
using State = StudyStanding::State;

TEST(BatchPlan, BeginsInTheOrderOfTheListOnFreeDevices) {
  Night night(3, 2);
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "begin 1 on 1"));
}

TEST(BatchPlan, DevicesThatNobodyWaitsForGoToWhoHasFewest) {
  Night night(2, 5);
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "begin 1 on 1", "lend 2 to 0",
                                         "lend 3 to 1", "lend 4 to 0"));
}

TEST(BatchPlan, AHeavyStudyGetsMoreOfThem) {
  Night night(2, 6);
  night.terms[1].weight = 2;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "begin 1 on 1", "lend 2 to 1",
                                         "lend 3 to 0", "lend 4 to 1", "lend 5 to 1"));
}

TEST(BatchPlan, NobodyGetsMoreThanItMayHave) {
  Night night(1, 3);
  night.terms[0].devices_most = 2;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "lend 1 to 0"));
}

TEST(BatchPlan, AStudyUsesOnlyWhatItMay) {
  Night night(2, 2);
  night.terms[0].may_use = {false, true};
  night.terms[1].may_use = {false, true};
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 1"));
}

TEST(BatchPlan, AStudyThatNeedsSeveralKeepsWhatIsFreeUntilTheyAre) {
  Night night(3, 3);
  night.runs(0, {0, 1});
  night.terms[1].devices_least = 2;
  night.now = 1;  // too early to take anything back
  EXPECT_THAT(night.steps(), IsEmpty());
  night.devices[1].owners.clear();
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 1 2"));
}

TEST(BatchPlan, StudiesWaitForThoseThatTheyComeAfter) {
  Night night(2, 2);
  night.terms[0].after = {1};
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0", "lend 1 to 1"));
  night.studies[1].state = State::kEnded;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "lend 1 to 0"));
}

TEST(BatchPlan, WhatComesAfterALossIsSkippedByName) {
  using Loss = StudyStanding::Loss;
  const std::map<Loss, std::string> words = {{Loss::kFailed, "failed"},
                                             {Loss::kNotBegun, "did not begin"},
                                             {Loss::kCutOff, "was cut off"}};
  for (const auto& [loss, how] : words) {
    Night night(3, 1);
    night.terms[1].name = "first";
    night.terms[0].after = {2, 1};
    night.runs(2, {0});
    night.studies[1].state = State::kEnded;
    night.studies[1].loss = loss;
    EXPECT_THAT(night.steps(),
                ElementsAre("give up 0: skipped: it comes after 'first', which " + how))
        << "at once, not when all others have ended";
  }
}

TEST(BatchPlan, WhatComesAfterACancelledStudyBegins) {
  Night night(2, 1);
  night.terms[0].after = {1};
  night.studies[1].state = State::kEnded;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0"));
}

TEST(BatchPlan, WhatComesAfterAPausedStudyWaits) {
  Night night(2, 1);
  night.terms[0].after = {1};
  night.studies[1].state = State::kPaused;
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, TheNearestDeadlineGoesFirst) {
  Night night(3, 1);
  night.terms[1].deadline = 900;
  night.terms[2].deadline = 500;
  EXPECT_THAT(night.steps(), ElementsAre("begin 2 on 0", "limit 2 to 392"));
}

TEST(BatchPlan, AHigherPriorityGoesBeforeADeadline) {
  Night night(3, 1);
  night.terms[1].deadline = 500;
  night.terms[2].priority = 1;
  night.terms[0].priority = -1;
  EXPECT_THAT(night.steps(), ElementsAre("begin 2 on 0"));
  night.studies[2].state = State::kEnded;
  EXPECT_THAT(night.steps(), Contains("begin 1 on 0"));
}

TEST(BatchPlan, TheClientThatHadLessForItsWeightGoesFirst) {
  Night night(4, 1);
  night.terms[0].client = night.terms[2].client = "one";
  night.terms[1].client = night.terms[3].client = "two";
  night.studies[0].state = night.studies[1].state = State::kEnded;
  night.studies[0].elapsed = 30;
  night.studies[1].elapsed = 20;
  EXPECT_THAT(night.steps(), ElementsAre("begin 3 on 0"));
  for (StudyTerms& terms : night.terms) terms.weight = terms.client == "one" ? 2 : 1;
  EXPECT_THAT(night.steps(), ElementsAre("begin 2 on 0"));
}

TEST(BatchPlan, AStudyForNobodyInParticularGoesBeforeThoseOfClients) {
  Night night(4, 1);
  night.terms[0].client = night.terms[1].client = "one";
  night.studies[0].state = night.studies[2].state = State::kEnded;
  night.studies[0].elapsed = 1;
  night.studies[2].elapsed = 1000;
  EXPECT_THAT(night.steps(), ElementsAre("begin 3 on 0"));
}

TEST(BatchPlan, StudiesThatBuildAheadBeginWithoutADeviceAsFarAsThereAreBuilders) {
  Night night(5, 2);
  night.ahead = 2;
  for (StudyTerms& terms : night.terms) {
    terms.builds_ahead = true;
    terms.devices_most = 1;
  }
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on")) << "one at a time";
  night.runs(0, {});
  night.studies[0].building = night.studies[1].building = true;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on"));
  night.runs(1, {});
  EXPECT_THAT(night.steps(), IsEmpty()) << "no device for who has nothing to measure";
  night.studies[1].building = false;
  EXPECT_THAT(night.steps(), ElementsAre("lend 0 to 1", "begin 2 on"));
}

TEST(BatchPlan, WhereNothingCanBeBuiltAheadTheyBeginAsOthers) {
  Night night(2, 1);
  for (StudyTerms& terms : night.terms) terms.builds_ahead = true;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0"));
}

TEST(BatchPlan, WhoHasBuiltAheadGetsTheNextFreeDeviceInItsOrder) {
  Night night(4, 1);
  night.ahead = 3;
  for (StudyTerms& terms : night.terms) terms.builds_ahead = true;
  night.studies[0].state = State::kEnded;
  night.runs(1, {});
  night.runs(2, {});
  night.terms[2].priority = 1;
  EXPECT_THAT(night.steps(), ElementsAre("lend 0 to 2", "begin 3 on"));
}

TEST(BatchPlan, AStudyThatNeedsSeveralDevicesBuildsNothingAhead) {
  Night night(2, 2);
  night.runs(0, {0, 1});
  night.now = 1;
  night.ahead = 2;
  night.terms[1].builds_ahead = true;
  night.terms[1].devices_least = 2;
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, ADeviceIsTakenBackForWhoWaitsOnceItsLeaseIsOld) {
  Night night(2, 2);
  night.runs(0, {0, 1}, 95);
  EXPECT_THAT(night.steps(), IsEmpty());
  night.now = 105;
  EXPECT_THAT(night.steps(), ElementsAre("take 0 from 0"));
  night.calm = {false, true};
  EXPECT_THAT(night.steps(), ElementsAre("take 1 from 0"));
  night.calm = {false, false};
  EXPECT_THAT(night.steps(), IsEmpty());
  night.calm = {true, true};
  night.devices[1].leaving = true;
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, AStudyKeepsWhatItNeeds) {
  Night night(2, 2);
  night.terms[0].devices_least = 2;
  night.runs(0, {0, 1});
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, ADeviceThatWaitsForBuildsIsShared) {
  Night night(2, 1);
  night.runs(0, {0});
  night.devices[0].busy_share = 0.9;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.devices[0].busy_share = 0.3;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0"));
}

// However new and busy: the pairs that are left of its last duel are measured elsewhere.
TEST(BatchPlan, ADeviceThatItsStudyHasLeftIdleIsShared) {
  Night night(3, 2);
  night.runs(0, {0}, night.now - 1);
  night.runs(1, {1}, night.now - 1);
  EXPECT_THAT(night.steps(), IsEmpty());
  night.devices[1].left_idle = true;
  EXPECT_THAT(night.steps(), ElementsAre("begin 2 on 1"));
}

TEST(BatchPlan, NobodyBeginsInTheMiddleOfAConfirmationOrBesideWhoSettles) {
  Night night(2, 1);
  night.runs(0, {0});
  night.devices[0].busy_share = 0.3;
  night.calm[0] = false;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.calm[0] = true;
  night.studies[0].settling = true;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.studies[0].settling = false;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0"));
}

TEST(BatchPlan, TimeIsDividedByWeightOverAllThatHaveNotEnded) {
  Night night(4, 2);
  night.deadline = 1100;
  night.terms[3].weight = 2;
  // 2 devices for 980 s, a fifth each.
  EXPECT_THAT(night.steps(),
              ElementsAre("begin 0 on 0", "begin 1 on 1", "limit 0 to 392", "limit 1 to 392"));
}

TEST(BatchPlan, TimeThatAStudyLeavesGoesToTheOthers) {
  Night night(3, 1);
  night.deadline = 700;
  night.studies[0].state = State::kEnded;
  night.runs(1, {0});
  night.studies[1].elapsed = 100;
  night.studies[1].limit = 200;
  EXPECT_THAT(night.steps(), IsEmpty());
  // 588 s are left, and half of the weight of study 1 besides all of that of study 2.
  EXPECT_THAT(night.steps(true), ElementsAre("limit 1 to 296"));
}

TEST(BatchPlan, ABudgetOfItsOwnIsKept) {
  Night night(1, 1);
  night.deadline = 1100;
  night.terms[0].budget_seconds = 60;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", "limit 0 to 60"));
}

TEST(BatchPlan, NothingBeginsThatCannotEnd) {
  Night night(2, 1);
  night.deadline = 101;
  night.terms[1].may_use = {false};
  EXPECT_THAT(night.steps(), ElementsAre("give up 0: no time was left for it",
                                         "give up 1: too few devices that it may use are left"));
}

// It keeps nobody from a device meanwhile.
TEST(BatchPlan, WhoHasTooFewDevicesWaitsWhileSomeMayJoin) {
  Night night(2, 2);
  night.terms[0].devices_least = 3;
  night.may_grow = true;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0", "lend 1 to 1"));
  night.may_grow = false;
  EXPECT_THAT(night.steps(), Contains("give up 0: too few devices that it may use are left"));
}

TEST(BatchPlan, ADeviceOutOfServiceIsNobodys) {
  Night night(1, 2);
  night.devices[0].in_service = false;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 1"));
}

TEST(BatchPlan, WhoHasLostAllItsDevicesComesFirst) {
  Night night(3, 2);
  night.runs(0, {0});
  night.runs(1, {});
  EXPECT_THAT(night.steps(), ElementsAre("lend 1 to 1"));
  night.terms[1].may_use[1] = false;  // its baseline failed there
  EXPECT_THAT(night.steps(), ElementsAre("begin 2 on 1"));
}

TEST(BatchPlan, ADeviceIsTakenBackOrSharedForWhoHasLostAll) {
  Night night(2, 2);
  night.runs(0, {0, 1});
  night.runs(1, {});
  night.terms[1].may_use[1] = false;
  EXPECT_THAT(night.steps(), ElementsAre("take 0 from 0"));
  night.devices[1].owners.clear();
  night.devices[1].in_service = false;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.devices[0].busy_share = 0.5;
  EXPECT_THAT(night.steps(), ElementsAre("lend 0 to 1"));
}

TEST(BatchPlan, ADeviceThatWhoWaitsMayNotUseGoesToOthers) {
  Night night(2, 2);
  night.runs(0, {0}, 95);
  night.terms[1].may_use[1] = false;
  EXPECT_THAT(night.steps(), ElementsAre("lend 1 to 0"));
}

TEST(BatchPlan, WhoSettlesGetsNoMore) {
  Night night(1, 2);
  night.runs(0, {0});
  night.studies[0].settling = true;
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, PausedStudiesNeitherRunNorCount) {
  Night night(2, 1);
  night.deadline = 1100;
  night.studies[0].state = State::kPaused;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0", "limit 1 to 980"));
}

// 40 configurations count as kEarliestGain = 50, which brought nothing four times more.
TEST(BatchPlan, UnderADeadlineAStudyThatHasStoppedGainingExploresNoMore) {
  Night night(2, 2);
  night.deadline = 1000;
  night.runs(0, {0}, 95);
  night.runs(1, {1}, 95);
  night.studies[0].explored_at_gain = 40;
  night.studies[0].explored = 249;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.studies[0].explored = 250;
  EXPECT_THAT(night.steps(), Contains("suffice 0"));
}

TEST(BatchPlan, ALaterGainIsWorthAsManyTimesAsMuch) {
  Night night(2, 2);
  night.deadline = 1000;
  night.runs(0, {0}, 95);
  night.runs(1, {1}, 95);
  night.studies[0].explored_at_gain = 200;
  night.studies[0].explored = 999;
  EXPECT_THAT(night.steps(), IsEmpty());
  night.studies[0].explored = 1000;
  EXPECT_THAT(night.steps(), Contains("suffice 0"));
}

TEST(BatchPlan, TimeThatNobodyElseWouldUseIsKept) {
  Night night(2, 2);
  night.deadline = 1000;
  for (const std::size_t study : {0U, 1U}) {
    night.runs(study, {study}, 95);
    night.studies[study].explored = 10'000;
  }
  EXPECT_THAT(night.steps(), AllOf(Contains("suffice 0"), Not(Contains("suffice 1"))));
  night.studies[0].settling = true;
  EXPECT_THAT(night.steps(), Not(Contains("suffice 1")));
}

TEST(BatchPlan, WithoutADeadlineAStudyHasItsOwnBudget) {
  Night night(2, 2);
  night.runs(0, {0}, 95);
  night.runs(1, {1}, 95);
  night.studies[0].explored = 10'000;
  EXPECT_THAT(night.steps(), IsEmpty());
}

TEST(BatchPlan, WithoutPatienceItIsNeverEnough) {
  Night night(2, 2);
  night.deadline = 1000;
  night.runs(0, {0}, 95);
  night.runs(1, {1}, 95);
  night.terms[0].patience = 0;
  night.studies[0].explored = 10'000;
  EXPECT_THAT(night.steps(), IsEmpty());
}

// Others have measured on its device meanwhile.
TEST(BatchPlan, ABudgetCountsAStudysPartOfASharedDevice) {
  Night night(2, 1);
  night.runs(0, {0}, 95);
  night.runs(1, {0}, 95);
  for (const std::size_t study : {0U, 1U}) {
    night.terms[study].budget_seconds = 20;
    night.studies[study].limit = 20;
  }
  EXPECT_THAT(night.steps(), IsEmpty());
  night.studies[1].made_up = 0.9;  // not worth the trouble yet
  EXPECT_THAT(night.steps(), IsEmpty());
  night.studies[1].made_up = 5;
  EXPECT_THAT(night.steps(), ElementsAre("limit 1 to 25"));
  night.studies[1].limit = 25;
  EXPECT_THAT(night.steps(), IsEmpty());
  EXPECT_THAT(night.steps(true), ElementsAre());
  night.studies[1].made_up = 500;
  EXPECT_THAT(night.steps(), ElementsAre("limit 1 to 40")) << "it ends all the same";
}

}  // namespace
}  // namespace nightshift::scheduler
