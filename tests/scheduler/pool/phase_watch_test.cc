#include "scheduler/pool/phase_watch.h"

#include <gtest/gtest.h>

#include <vector>

#include "scheduler/seconds.h"
#include "search/phase_limit.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::scheduler {
namespace {

using ipc::CoreTimes;
using search::Phase;
using TimePoint = Clock::TimePoint;

constexpr TimePoint kStart{std::chrono::hours(1)};
TimePoint at(double s) { return kStart + seconds(s); }

TEST(PhaseWatch, ExpiresAtThePhasesLimit) {
  PhaseWatch watch;
  watch.start(Phase::kLoad, 4, {100}, 0, kStart);
  EXPECT_EQ(watch.next(), at(3)) << "the look at the heartbeat";
  EXPECT_FALSE(watch.check(0, at(3)).has_value());
  EXPECT_EQ(watch.next(), at(4));
  const auto expired = watch.check(0, at(4));
  ASSERT_TRUE(expired.has_value());
  EXPECT_EQ(expired->phase, Phase::kLoad);
  EXPECT_EQ(expired->limit_seconds, 4);
  EXPECT_FALSE(expired->progressing);
  EXPECT_FALSE(watch.next().has_value());
}

TEST(PhaseWatch, KnowsABeatingChildFromAHungOne) {
  PhaseWatch watch;
  watch.start(Phase::kMeasure, 4, {100}, 7, kStart);
  EXPECT_FALSE(watch.check(20, at(3)).has_value());
  EXPECT_TRUE(watch.check(21, at(4))->progressing);
  watch.start(Phase::kMeasure, 4, {100}, 7, kStart);
  EXPECT_FALSE(watch.check(20, at(3)).has_value());
  EXPECT_FALSE(watch.check(20, at(4))->progressing) << "it beat, but no longer at the end";
}

TEST(PhaseWatch, BeginsAnewWithEachPhaseWithinTheWhole) {
  PhaseWatch watch;
  watch.start(Phase::kLoad, 4, {6}, 0, kStart);
  watch.next_phase(Phase::kMeasure, 4, 0, at(3.5));
  EXPECT_FALSE(watch.check(0, at(5)).has_value());
  const auto expired = watch.check(0, at(6));
  ASSERT_TRUE(expired.has_value());
  EXPECT_EQ(expired->phase, Phase::kMeasure);
  EXPECT_EQ(expired->limit_seconds, 6) << "the whole ran out, not the phase";
}

TEST(PhaseWatch, BuildsOutsideOfTheWholeButWithinOneLimitAndWhatIsLeft) {
  PhaseWatch watch;
  watch.start(Phase::kPrepare, 4, {6}, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  EXPECT_FALSE(watch.check(0, at(15)).has_value());
  watch.next_phase(Phase::kPrepare, 4, 0, at(17));
  EXPECT_FALSE(watch.check(0, at(20)).has_value());
  EXPECT_EQ(watch.check(0, at(21))->limit_seconds, 4) << "the phase ends as ever";

  watch.start(Phase::kPrepare, 4, {6}, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  watch.next_phase(Phase::kMeasure, 4, 0, at(17));
  watch.next_phase(Phase::kMeasure, 4, 0, at(20));
  EXPECT_EQ(watch.check(0, at(21))->limit_seconds, 6) << "of which 15 s were building";

  watch.start(Phase::kPrepare, 4, {6}, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  watch.next_phase(Phase::kPrepare, 4, 0, at(17));
  watch.next_phase(Phase::kBuild, 20, 0, at(18));
  const auto expired = watch.check(0, at(23));
  ASSERT_TRUE(expired.has_value()) << "all that is built has the limit of one build";
  EXPECT_EQ(expired->phase, Phase::kBuild);
  EXPECT_EQ(expired->limit_seconds, 20);

  watch.start(Phase::kPrepare, 4, {.work = 6, .left = 10}, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  EXPECT_FALSE(watch.check(0, at(9)).has_value());
  EXPECT_EQ(watch.check(0, at(10))->limit_seconds, 10) << "the budget ends";
}

TEST(PhaseWatch, VerifiesBehindTheSamplesOutsideOfTheWorkButWithinTheTrial) {
  PhaseWatch watch;
  watch.start(Phase::kLoad, 60, {.work = 3, .trial = 20}, 0, kStart);
  watch.next_phase(Phase::kMeasure, 60, 0, at(1));
  for (int i = 0; i < 5; ++i) {
    watch.next_phase(Phase::kVerify, 60, 0, at(2 + 2.5 * i));
    EXPECT_FALSE(watch.check(0, at(4.4 + 2.5 * i)).has_value()) << "pair " << i;
  }
  watch.next_phase(Phase::kLoad, 60, 0, at(14.5));
  EXPECT_FALSE(watch.check(0, at(15.4)).has_value());
  EXPECT_EQ(watch.check(0, at(15.5))->limit_seconds, 3) << "2 s were work before";

  watch.start(Phase::kMeasure, 60, {.work = 3, .trial = 300}, 0, kStart);
  watch.next_phase(Phase::kVerify, 60, 0, at(2));
  watch.next_phase(Phase::kBuild, 60, 0, at(4));
  watch.next_phase(Phase::kVerify, 60, 0, at(14));
  EXPECT_FALSE(watch.check(0, at(16.9)).has_value()) << "what is built in between changes nothing";

  watch.start(Phase::kMeasure, 60, {.work = 3, .trial = 20}, 0, kStart);
  for (int i = 1; i < 10; ++i) watch.next_phase(Phase::kVerify, 60, 0, at(2 * i));
  const auto expired = watch.check(0, at(20));
  ASSERT_TRUE(expired.has_value()) << "doubts have an end as well";
  EXPECT_EQ(expired->limit_seconds, 20);
}

TEST(PhaseWatch, WhatHangsBehindTheSamplesCostsNoMoreThanElsewhere) {
  PhaseWatch watch;
  watch.start(Phase::kMeasure, 60, {.work = 3, .trial = 300}, 0, kStart);
  watch.next_phase(Phase::kVerify, 60, 0, at(1));
  EXPECT_FALSE(watch.check(0, at(3.9)).has_value());
  const auto expired = watch.check(0, at(4));
  ASSERT_TRUE(expired.has_value());
  EXPECT_EQ(expired->phase, Phase::kVerify);
  EXPECT_EQ(expired->limit_seconds, 3);
  EXPECT_FALSE(expired->progressing);
  EXPECT_TRUE(expired->is_doubt);
}

TEST(PhaseWatch, VerifiesAheadOfTheSamplesWithinTheWork) {
  PhaseWatch watch;
  watch.start(Phase::kMeasure, 60, {.work = 3, .trial = 300}, 0, kStart);
  watch.next_phase(Phase::kLoad, 60, 0, at(1));  // of another case
  watch.next_phase(Phase::kVerify, 60, 0, at(1.5));
  watch.next_phase(Phase::kVerify, 60, 0, at(2.9));
  const auto expired = watch.check(0, at(3));
  ASSERT_TRUE(expired.has_value());
  EXPECT_EQ(expired->limit_seconds, 3);
  EXPECT_FALSE(expired->is_doubt);
}

TEST(PhaseWatch, GivesEachPhaseTheLimitOfTheProblem) {
  search::Limits limits;
  limits.boot = 1;
  limits.build = 2;
  limits.prepare = 3;
  limits.verify = 4;
  limits.measure = 5;
  EXPECT_EQ(limit_of(Phase::kBoot, limits), 1);
  EXPECT_EQ(limit_of(Phase::kBuild, limits), 2);
  EXPECT_EQ(limit_of(Phase::kConfigure, limits), 3);
  EXPECT_EQ(limit_of(Phase::kLoad, limits), 3);
  EXPECT_EQ(limit_of(Phase::kVerify, limits), 4);
  search::Problem problem;
  problem.limits = limits;
  problem.limits.trial = 7;
  EXPECT_EQ(key_of_limit(Phase::kMeasure, 5, problem), "limits.measure");
  EXPECT_EQ(key_of_limit(Phase::kMeasure, 7, problem), "limits.trial");
  EXPECT_EQ(key_of_limit(Phase::kLoad, 3, problem), "limits.prepare");
  EXPECT_EQ(key_of_limit(Phase::kBoot, 1, problem), "limits.boot");
  EXPECT_EQ(key_of_limit(Phase::kMeasure, 6.5, problem), "");
  EXPECT_EQ(limit_of(Phase::kWarmUp, limits), 5);
  EXPECT_EQ(limit_of(Phase::kMeasure, limits), 5);
}

// A watch of a job with a limit of three seconds, and of what it is starved of.
class StarvedWatch : public ::testing::Test {
 protected:
  void start(double left = 0) {
    watch_.start(search::Phase::kLoad, 60, {.work = 3, .left = left}, 0, clock_.now());
    watch_.starved().look(CoreTimes{}, clock_.now());
  }
  // After so many seconds of which it waited for a core for so many.
  std::optional<PhaseWatch::Expired> after(double wall, double waited) {
    times_.waited += waited;
    clock_.advance(wall);
    watch_.starved().look(times_, clock_.now());
    return watch_.check(0, clock_.now());
  }

  fakes::FakeClock clock_;
  PhaseWatch watch_;
  CoreTimes times_;
};

TEST_F(StarvedWatch, EndsInItsTimeWhereNothingStarvesIt) {
  start();
  EXPECT_FALSE(after(2.9, 0));
  const auto expired = after(0.2, 0);
  ASSERT_TRUE(expired);
  EXPECT_EQ(expired->limit_seconds, 3);
}

TEST_F(StarvedWatch, LastsLongerByWhatItIsStarvedOf) {
  start();
  EXPECT_FALSE(after(3.1, 2));
  EXPECT_EQ(watch_.next(), clock_.now() + seconds(5) - seconds(3.1));
  EXPECT_FALSE(after(1.8, 0));
  EXPECT_TRUE(after(0.2, 0)) << "what was excused is excused once";
}

TEST_F(StarvedWatch, HasThatInALaterPhaseToo) {
  start();
  EXPECT_FALSE(after(1, 1));
  watch_.next_phase(search::Phase::kMeasure, 60, 0, clock_.now());
  EXPECT_FALSE(after(2.5, 0));
  EXPECT_TRUE(after(0.6, 0));
}

TEST_F(StarvedWatch, HasAnEndOnAMachineThatIsAlwaysBusy) {
  start();
  for (int i = 0; i < 14; ++i) EXPECT_FALSE(after(1, 1)) << i;
  EXPECT_TRUE(after(1.1, 1));
}

TEST_F(StarvedWatch, KeepsTheEndOfTheBudget) {
  start(3.5);
  EXPECT_FALSE(after(3.1, 3));
  EXPECT_TRUE(after(0.5, 0.5));
}

TEST_F(StarvedWatch, BeginsAnewWithTheNextJob) {
  start();
  EXPECT_FALSE(after(3.1, 3));
  times_ = {};
  start();
  EXPECT_TRUE(after(3.1, 0));
}

// Whoever beat when the phase began, and then waited, makes no progress: the end that comes first is
// the one before which it is looked for.
TEST(PhaseWatch, LooksForProgressBeforeWhicheverEndComesFirst) {
  PhaseWatch watch;
  const std::vector<PhaseWatch::Whole> wholes = {
      {.work = 4}, {.trial = 4}, {.left = 4}, {.work = 20, .left = 4}};
  for (const PhaseWatch::Whole& whole : wholes) {
    watch.start(Phase::kMeasure, 60, whole, 7, kStart);
    EXPECT_EQ(watch.next(), at(3));
    EXPECT_FALSE(watch.check(9, at(3)).has_value());
    const auto waited = watch.check(9, at(4));
    ASSERT_TRUE(waited.has_value());
    EXPECT_FALSE(waited->progressing);
    EXPECT_EQ(waited->limit_seconds, 4);

    watch.start(Phase::kMeasure, 60, whole, 7, kStart);
    EXPECT_FALSE(watch.check(9, at(3)).has_value());
    EXPECT_TRUE(watch.check(10, at(4))->progressing);
  }
}

}  // namespace
}  // namespace nightshift::scheduler
