// The pool's rules that need no process; what needs processes is in tests/puzzles.
#include "scheduler/forked_worker_pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "scheduler/devices/core_sharing.h"
#include "scheduler/pool/respawn_backoff.h"
#include "scheduler/seconds.h"

namespace nightshift::scheduler {
namespace {

using TimePoint = Clock::TimePoint;

constexpr TimePoint kStart{std::chrono::hours(1)};
TimePoint at(double s) { return kStart + seconds(s); }

Device on_cores(std::vector<int> cores) { return {"here", "cpu", "cpu", std::move(cores)}; }

// --- CoreSharing ---

TEST(CoreSharing, SeparateCoresDisturbNobody) {
  const CoreSharing sharing({on_cores({2}), on_cores({3})}, {0, 1}, {0, 1, 2, 3});
  EXPECT_FALSE(sharing.device_disturbs(0, 1));
  EXPECT_FALSE(sharing.builders_disturb(0));
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

TEST(RespawnBackoff, WhatTheSystemRefusesForNowIsWaitedForSomeMinutes) {
  RespawnBackoff backoff(0.25, 5);
  Clock::TimePoint now = kStart;
  for (int i = 1; i < RespawnBackoff::kRefusals; ++i) {
    backoff.refused(now);
    ASSERT_FALSE(backoff.exhausted());
    now = backoff.not_before();
  }
  EXPECT_GE(now - kStart, std::chrono::minutes(4));
  backoff.refused(now);
  EXPECT_TRUE(backoff.exhausted());
  backoff.worked();
  EXPECT_FALSE(backoff.exhausted());
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

// --- Seconds ---

TEST(Seconds, AreBoundedSoThatADeadlineCannotOverflow) {
  EXPECT_EQ(seconds(-1), seconds(0));
  EXPECT_EQ(seconds(std::numeric_limits<double>::quiet_NaN()), seconds(0));
  EXPECT_GT(Clock::TimePoint::clock::now() + seconds(1e300), Clock::TimePoint::clock::now());
}

}  // namespace
}  // namespace nightshift::scheduler
