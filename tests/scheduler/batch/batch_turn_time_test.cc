// A night that is too short for all of its studies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/batch/told_night.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::Night;
using State = StudyStanding::State;

// Its own evaluations have told that it takes so long, of which so much is over.
void told(Night& night, std::size_t study, double needs, double elapsed = 0) {
  night.studies[study].needs = needs;
  night.studies[study].elapsed = elapsed;
  night.studies[study].needs_still = needs - elapsed;
}

// Study 0 has ended, and took 20 s; of 98 s four of the other five are served.
Night short_night() {
  Night night(6, 1);
  night.deadline = 200;
  night.studies[0].state = State::kEnded;
  told(night, 0, 20);
  return night;
}

TEST(BatchTurnTime, WhileNobodyHasToldAnythingAllAreServedInTheOrderOfTheList) {
  Night night(40, 1);
  night.deadline = 104;
  night.terms[7].weight = 1000;
  EXPECT_THAT(night.steps(), ElementsAre("begin 0 on 0", HasSubstr("limit 0")));
}

TEST(BatchTurnTime, WithoutWeightsAsManyAsFitInTheOrderOfTheList) {
  Night night = short_night();
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0", "limit 1 to 25", "leave 5, all take 202"));
}

TEST(BatchTurnTime, TheHeaviestFirstAndNobodyHasLessThanItTakes) {
  Night night = short_night();
  night.terms[4].weight = 10;
  night.terms[2].weight = 0.1;
  EXPECT_THAT(night.steps(), ElementsAre("begin 4 on 0", "limit 4 to 38", "leave 2, all take 202"))
      << "three have the 20 s that they take";
}

TEST(BatchTurnTime, WeightCountsForWhatAStudyTakes) {
  Night night = short_night();
  night.terms[4].weight = 2;
  told(night, 4, 60);
  night.terms[3].weight = 1.5;
  EXPECT_THAT(night.steps(), Contains("begin 3 on 0"));
  told(night, 4, 30);
  EXPECT_THAT(night.steps(), Contains("begin 4 on 0"));
}

TEST(BatchTurnTime, APriorityGoesBeforeAWeight) {
  Night night = short_night();
  night.terms[4].weight = 10;
  night.terms[2].priority = 1;
  EXPECT_THAT(night.steps(), Contains("begin 2 on 0"));
}

TEST(BatchTurnTime, WhereTheTimeSufficesTheOrderIsThatOfTheList) {
  Night night = short_night();
  night.deadline = 203;
  night.terms[4].weight = 10;
  EXPECT_THAT(night.steps(), AllOf(Contains("begin 1 on 0"), Not(Contains(HasSubstr("leave")))));
}

// 4 of 13 parts of 980 s would be less than the 400 s that it takes.
TEST(BatchTurnTime, WhoTakesMoreThanItsShareHasWhatItTakes) {
  Night night(3, 1);
  night.deadline = 1100;
  night.runs(0, {0});
  told(night, 0, 400);
  told(night, 1, 40);
  told(night, 2, 40);
  night.terms[1].weight = 9;
  EXPECT_THAT(night.steps(true), ElementsAre("limit 0 to 400"));
  told(night, 0, 90);
  EXPECT_THAT(night.steps(true), ElementsAre("limit 0 to 90"));
  night.terms[1].weight = 1;
  EXPECT_THAT(night.steps(true), ElementsAre("limit 0 to 327")) << "its share is more";
}

TEST(BatchTurnTime, SeveralDevicesServeMore) {
  Night night = short_night();
  night.devices.resize(2);
  night.calm.resize(2, true);
  for (StudyTerms& terms : night.terms) terms.may_use.resize(2, true);
  EXPECT_THAT(night.steps(), Not(Contains(HasSubstr("leave"))));
  night.deadline = 150;  // two on each
  EXPECT_THAT(night.steps(), Contains(HasSubstr("leave 5")));
}

TEST(BatchTurnTime, NobodyIsServedThatIsLongerThanTheTime) {
  Night night = short_night();
  told(night, 1, 20);
  night.studies[1].needs_still = 99;
  EXPECT_THAT(night.steps(),
              AllOf(Contains("give up 1: the time that was left was too little for it"),
                    Contains("begin 2 on 0"), Contains(HasSubstr("leave 1, all take 283"))));
}

TEST(BatchTurnTime, WhatComesAfterOneThatIsLeftIsLeft) {
  Night night = short_night();
  night.terms[5].weight = 10;
  night.terms[5].after = {2};
  told(night, 2, 20);
  night.studies[2].needs_still = 99;
  EXPECT_THAT(night.steps(), Contains(HasSubstr("leave 2 5,")));
}

TEST(BatchTurnTime, AStudyCostsNoMoreThanItsBudget) {
  Night night = short_night();
  for (StudyTerms& terms : night.terms) terms.budget_seconds = 10;
  EXPECT_THAT(night.steps(), ElementsAre("begin 1 on 0", "limit 1 to 10"));
}

TEST(BatchTurnTime, WhoBeganBeforeAnybodyKnewMakesRoomOnce) {
  Night night = short_night();
  night.terms[1].weight = 0.1;
  night.runs(1, {0});
  EXPECT_THAT(night.steps(), Not(Contains("put off 1"))) << "it has told nothing itself";
  told(night, 1, 25, 5);
  EXPECT_THAT(night.steps(), Contains("put off 1"));
  night.calm[0] = false;  // a duel is open
  EXPECT_THAT(night.steps(), Not(Contains("put off 1")));
  night.calm[0] = true;
  night.studies[1].settling = true;
  EXPECT_THAT(night.steps(), Not(Contains("put off 1")));
  night.studies[1].settling = false;
  night.studies[1].put_off = true;
  EXPECT_THAT(night.steps(), Not(Contains("put off 1")));
}

TEST(BatchTurnTime, NobodyMakesRoomWhereNobodyWouldHaveIt) {
  Night night(1, 1);
  night.deadline = 110;
  night.runs(0, {0});
  told(night, 0, 50, 5);
  EXPECT_THAT(night.steps(), IsEmpty()) << "it goes on with what time there is";
}

TEST(BatchTurnTime, WhoCanStillClaimGoesOnWhereOthersWereLeftAndElseMakesRoomForTheNextRun) {
  Night night(2, 1);
  night.deadline = 130;
  night.studies[1].state = State::kEnded;
  night.studies[1].out_of_time = true;
  night.runs(0, {0});
  told(night, 0, 50, 10);
  night.studies[0].needs_end = 20;
  EXPECT_THAT(night.steps(), Not(Contains("put off 0")));
  night.deadline = 119;
  EXPECT_THAT(night.steps(), Contains("put off 0"));
  night.studies[1].out_of_time = false;
  EXPECT_THAT(night.steps(), Not(Contains("put off 0"))) << "there may be no other run";
}

TEST(BatchTurnTime, WhatWasPutOffWaitsUntilItIsServed) {
  Night night = short_night();
  told(night, 1, 25, 5);
  night.terms[1].weight = 0.1;
  night.studies[1].put_off = true;
  for (const std::size_t study : {2U, 3U, 4U, 5U}) night.studies[study].state = State::kEnded;
  night.deadline = 119;
  EXPECT_THAT(night.steps(), Contains("give up 1: the time that was left was too little for it"));
  night.deadline = 140;
  EXPECT_THAT(night.steps(), Contains("begin 1 on 0"));
}

// It may take less than others: its own evaluations tell.
TEST(BatchTurnTime, WhatNobodyHasMeasuredBeginsOnADeviceThatIsLeft) {
  Night night = short_night();
  night.deadline = 119;
  EXPECT_THAT(night.steps(), Contains("begin 1 on 0"));
  night.studies[2].state = night.studies[3].state = State::kEnded;
  told(night, 2, 21);
  told(night, 3, 22);
  EXPECT_THAT(night.steps(), Contains("give up 1: the time that was left was too little for it"))
      << "three have taken more";
}

TEST(BatchTurnTime, WhatIsLeftBuildsNothingAheadAndGetsNoDeviceForWhatItBuilt) {
  Night night = short_night();
  night.ahead = 6;
  for (StudyTerms& terms : night.terms) terms.builds_ahead = true;
  night.terms[1].weight = 0.1;
  for (const std::size_t study : {2U, 3U, 4U}) night.studies[study].state = State::kRunning;
  night.runs(5, {});
  night.devices[0].owners = {5};
  night.studies[2].building = night.studies[3].building = night.studies[4].building = true;
  EXPECT_THAT(night.steps(), Not(Contains(HasSubstr("begin 1"))));
  night.runs(1, {});  // it began before anybody knew
  night.devices[0].owners.clear();
  night.studies[5].state = State::kEnded;
  night.deadline = 180;
  EXPECT_THAT(night.steps(), AllOf(Contains("put off 1"), Not(Contains("lend 0 to 1"))));
}

TEST(BatchTurnTime, WhatHasEndedForLackOfTimeIsStillSaidToBeLeft) {
  Night night = short_night();
  for (const std::size_t study : {1U, 2U, 3U, 4U}) night.studies[study].state = State::kEnded;
  night.studies[3].out_of_time = true;
  night.runs(5, {0});
  EXPECT_THAT(night.steps(), ElementsAre("leave 3, all take 141"));
}

}  // namespace
}  // namespace nightshift::scheduler
