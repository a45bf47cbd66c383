// The pool's rules that need no process; what needs processes is in tests/puzzles.
#include "scheduler/forked_worker_pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "scheduler/pool/core_sharing.h"
#include "scheduler/pool/phase_watch.h"
#include "scheduler/pool/respawn_backoff.h"
#include "scheduler/seconds.h"
#include "search/phase_limit.h"

namespace nightshift::scheduler {
namespace {

using TimePoint = Clock::TimePoint;
using search::Phase;

constexpr TimePoint kStart{std::chrono::hours(1)};
TimePoint at(double s) { return kStart + seconds(s); }

Device on_cores(std::vector<int> cores) { return {"here", "cpu", "cpu", std::move(cores)}; }

// --- CoreSharing ---

TEST(CoreSharing, SeparateCoresDisturbNobody) {
  const CoreSharing sharing({on_cores({2}), on_cores({3})}, {0, 1}, {0, 1, 2, 3});
  EXPECT_FALSE(sharing.device_disturbs(0, 1));
  EXPECT_FALSE(sharing.builders_disturb(0));
  EXPECT_FALSE(sharing.builders_disturb_some());
  EXPECT_EQ(sharing.spare_cores(), (std::vector<int>{0, 1}));
}

TEST(CoreSharing, OneSharedCoreDisturbsBothWays) {
  const CoreSharing sharing({on_cores({1, 2}), on_cores({2, 3})}, {0}, {0, 1, 2, 3});
  EXPECT_TRUE(sharing.device_disturbs(0, 1));
  EXPECT_TRUE(sharing.device_disturbs(1, 0));
  EXPECT_FALSE(sharing.device_disturbs(0, 0)) << "a device has its own rule: one trial at a time";
}

TEST(CoreSharing, BuildersPinnedNowhereDisturbPinnedDevicesOnly) {
  const CoreSharing sharing({on_cores({1}), on_cores({})}, {}, {0, 1});
  EXPECT_TRUE(sharing.builders_disturb(0));
  EXPECT_FALSE(sharing.builders_disturb(1));
  EXPECT_TRUE(sharing.builders_disturb_some());
}

TEST(CoreSharing, SparesTakeTheCoresThatNoDeviceUses) {
  const CoreSharing sharing({on_cores({1})}, {}, {0, 1, 2});
  EXPECT_EQ(sharing.spare_cores(), (std::vector<int>{0, 2}));
}

TEST(CoreSharing, ThereIsNoPlaceForASpareWhenDevicesUseAllCores) {
  EXPECT_FALSE(CoreSharing({on_cores({0}), on_cores({1})}, {0}, {0, 1}).spare_cores().has_value());
}

TEST(CoreSharing, SparesOfUnpinnedDevicesStartAnywhere) {
  EXPECT_EQ(CoreSharing({on_cores({})}, {}, {0, 1}).spare_cores(), std::vector<int>{});
}

// --- RespawnBackoff ---

TEST(RespawnBackoff, DoublesUpToItsLastPauseAndGivesUpAfterFiveInARow) {
  RespawnBackoff backoff(0.25, 1);
  std::vector<double> pauses;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(backoff.exhausted());
    backoff.failed(kStart);
    pauses.push_back(std::chrono::duration<double>(backoff.not_before() - kStart).count());
  }
  EXPECT_EQ(pauses, (std::vector<double>{0.25, 0.5, 1, 1, 1}));
  EXPECT_TRUE(backoff.exhausted());
}

TEST(RespawnBackoff, BeginsAnewAfterASuccess) {
  RespawnBackoff backoff(0.25, 5);
  for (int i = 0; i < 4; ++i) backoff.failed(kStart);
  backoff.worked();
  backoff.failed(kStart);
  EXPECT_EQ(backoff.not_before(), at(0.25));
  EXPECT_EQ(backoff.attempts(), 1);
}

TEST(RespawnBackoff, ForeignKillsCostNothingAtFirstAndGiveUpLate) {
  RespawnBackoff backoff(0.25, 5);
  for (int i = 0; i < RespawnBackoff::kFreeForeignKills; ++i) backoff.killed_by_others(kStart);
  EXPECT_LE(backoff.not_before(), kStart);
  for (int i = RespawnBackoff::kFreeForeignKills; i < RespawnBackoff::kForeignKills; ++i) {
    EXPECT_FALSE(backoff.exhausted());
    backoff.killed_by_others(kStart);
    EXPECT_EQ(backoff.not_before(), at(0.25));
  }
  EXPECT_TRUE(backoff.exhausted());
}

// --- PhaseWatch ---

TEST(PhaseWatch, ExpiresAtThePhasesLimit) {
  PhaseWatch watch;
  watch.start(Phase::kLoad, 4, 100, 0, kStart);
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
  watch.start(Phase::kMeasure, 4, 100, 7, kStart);
  EXPECT_FALSE(watch.check(20, at(3)).has_value());
  EXPECT_TRUE(watch.check(21, at(4))->progressing);
  watch.start(Phase::kMeasure, 4, 100, 7, kStart);
  EXPECT_FALSE(watch.check(20, at(3)).has_value());
  EXPECT_FALSE(watch.check(20, at(4))->progressing) << "it beat, but no longer at the end";
}

TEST(PhaseWatch, BeginsAnewWithEachPhaseWithinTheWhole) {
  PhaseWatch watch;
  watch.start(Phase::kLoad, 4, 6, 0, kStart);
  watch.next_phase(Phase::kMeasure, 4, 0, at(3.5));
  EXPECT_FALSE(watch.check(0, at(5)).has_value());
  const auto expired = watch.check(0, at(6));
  ASSERT_TRUE(expired.has_value());
  EXPECT_EQ(expired->phase, Phase::kMeasure);
  EXPECT_EQ(expired->limit_seconds, 6) << "the whole ran out, not the phase";
}

TEST(PhaseWatch, BuildsOutsideOfTheWholeButWithinOneLimitAndWhatIsLeft) {
  PhaseWatch watch;
  watch.start(Phase::kPrepare, 4, 6, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  EXPECT_FALSE(watch.check(0, at(15)).has_value());
  watch.next_phase(Phase::kPrepare, 4, 0, at(17));
  EXPECT_FALSE(watch.check(0, at(20)).has_value());
  EXPECT_EQ(watch.check(0, at(21))->limit_seconds, 4) << "the phase ends as ever";

  watch.start(Phase::kPrepare, 4, 6, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  watch.next_phase(Phase::kMeasure, 4, 0, at(17));
  watch.next_phase(Phase::kMeasure, 4, 0, at(20));
  EXPECT_EQ(watch.check(0, at(21))->limit_seconds, 6) << "of which 15 s were building";

  watch.start(Phase::kPrepare, 4, 6, 0, kStart);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  watch.next_phase(Phase::kPrepare, 4, 0, at(17));
  watch.next_phase(Phase::kBuild, 20, 0, at(18));
  const auto expired = watch.check(0, at(23));
  ASSERT_TRUE(expired.has_value()) << "all that is built has the limit of one build";
  EXPECT_EQ(expired->phase, Phase::kBuild);
  EXPECT_EQ(expired->limit_seconds, 20);

  watch.start(Phase::kPrepare, 4, 6, 0, kStart, 10);
  watch.next_phase(Phase::kBuild, 20, 0, at(2));
  EXPECT_FALSE(watch.check(0, at(9)).has_value());
  EXPECT_EQ(watch.check(0, at(10))->limit_seconds, 10) << "the budget ends";
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

TEST(Seconds, AreBoundedSoThatADeadlineCannotOverflow) {
  EXPECT_EQ(seconds(-1), seconds(0));
  EXPECT_EQ(seconds(std::numeric_limits<double>::quiet_NaN()), seconds(0));
  EXPECT_GT(Clock::TimePoint::clock::now() + seconds(1e300), Clock::TimePoint::clock::now());
}

}  // namespace
}  // namespace nightshift::scheduler
