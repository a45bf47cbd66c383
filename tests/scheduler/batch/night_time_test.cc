#include "scheduler/batch/night_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = StudyStanding::State;

struct Studies {
  explicit Studies(std::size_t count) : terms(count), standings(count) {}
  NightTime night(double seconds, int devices = 1) const {
    return {terms, standings, seconds, devices};
  }
  void told(std::size_t study, double needs, double still) {
    standings[study].needs = needs;
    standings[study].needs_still = still;
  }
  std::vector<StudyTerms> terms;
  std::vector<StudyStanding> standings;
};

TEST(NightTime, WhatNobodyHasToldCostsNothing) {
  const Studies studies(3);
  EXPECT_TRUE(studies.night(1).suffices());
  EXPECT_EQ(studies.night(1).seconds_for_all(), 0);
  EXPECT_THAT(studies.night(1).left(), IsEmpty());
}

TEST(NightTime, OthersStandForAStudyUntilItsOwnEvaluationsTell) {
  Studies studies(3);
  studies.told(0, 10, 4);
  studies.told(1, 20, 20);
  const NightTime night = studies.night(100, 2);
  EXPECT_EQ(night.cost(0), 4);
  EXPECT_EQ(night.cost(2), 15) << "the mean";
  EXPECT_EQ(night.seconds_for_all(), (4 + 20 + 15) / 2.0);
  EXPECT_TRUE(studies.night(20, 2).suffices());
  EXPECT_FALSE(studies.night(19, 2).suffices()) << "one is longer, on whatever device";
}

TEST(NightTime, ThreeSpeakAgainstAStudyThatHasToldNothing) {
  Studies studies(4);
  studies.told(0, 10, 0);
  studies.told(1, 20, 0);
  EXPECT_FALSE(studies.night(5).is_too_long(3));
  studies.told(2, 12, 0);
  EXPECT_TRUE(studies.night(9).is_too_long(3));
  EXPECT_FALSE(studies.night(11).is_too_long(3)) << "by the one that takes least";
}

TEST(NightTime, SharesAreByWeightAndNotBelowWhatAStudyTakes) {
  Studies studies(3);
  for (const std::size_t s : {0U, 1U, 2U}) studies.told(s, 10, 10);
  studies.terms[2].weight = 8;
  EXPECT_THAT(studies.night(200).shares({1, 1, 8}), ElementsAre(20, 20, 160));
  EXPECT_FALSE(studies.night(200).has_floors({1, 1, 8}));
  EXPECT_THAT(studies.night(60).shares({1, 1, 8}), ElementsAre(10, 10, 40));
  EXPECT_TRUE(studies.night(60).has_floors({1, 1, 8}));
  EXPECT_THAT(studies.night(60).shares({0, 1, 8}), ElementsAre(0, 10, 50)) << "one has ended";
}

// A first baseline keeps a study from ending before it could tell; it counts for nothing else.
TEST(NightTime, WhatIsKnownRoughlyIsAFloorAlone) {
  Studies studies(2);
  studies.standings[0].state = State::kRunning;
  studies.standings[0].needs_still = 30;
  const NightTime night = studies.night(40);
  EXPECT_EQ(night.cost(0), 0);
  EXPECT_TRUE(night.suffices());
  EXPECT_THAT(night.shares({1, 1}), ElementsAre(30, 10));
}

TEST(NightTime, ServesInTheOrderThatItIsToldAndWhoSettlesBeforeAll) {
  Studies studies(4);
  for (const std::size_t s : {0U, 1U, 2U, 3U}) studies.told(s, 10, 10);
  studies.standings[3].state = State::kRunning;
  studies.standings[3].settling = true;
  NightTime night = studies.night(25);
  night.serve({2, 1, 0, 3});
  EXPECT_TRUE(night.serves(2));
  EXPECT_TRUE(night.serves(3));
  EXPECT_THAT(night.left(), ElementsAre(0, 1));
}

TEST(NightTime, WhatComesBeforeAServedStudyIsServedOrItIsNot) {
  Studies studies(3);
  for (const std::size_t s : {0U, 1U, 2U}) studies.told(s, 10, 10);
  studies.terms[0].after = {1};
  NightTime night = studies.night(25);
  night.serve({0, 1, 2});
  EXPECT_THAT(night.left(), ElementsAre(0)) << "when its turn came its predecessor had none";
  NightTime longer = studies.night(35);
  longer.serve({0, 1, 2});
  EXPECT_THAT(longer.left(), IsEmpty());
}

}  // namespace
}  // namespace nightshift::scheduler
