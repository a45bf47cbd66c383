#include "scheduler/clock.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"

namespace nightshift::scheduler {
namespace {

TEST(Clock, SettingTheMachinesIsSeenBesideTheRecords) {
  fakes::FakeClock clock;
  EXPECT_EQ(clock_shift(clock), 0);
  const double before = clock.unix_seconds();
  for (const double shift : {7200.0, -7200.0, 0.0}) {
    clock.set(shift);
    EXPECT_EQ(clock_shift(clock), shift);
    EXPECT_EQ(clock.unix_seconds(), before);
  }
}

TEST(Clock, TheRecordsIsTheDaysAsItBeganAndNeverGoesBack) {
  const SystemClock clock, other;
  const double first = clock.unix_seconds();
  const double second = other.unix_seconds();
  EXPECT_GE(second, first);
  EXPECT_GE(clock.unix_seconds(), second);
  EXPECT_GT(clock.wall_seconds(), 1.5e9);
}

TEST(Clock, SecondsOfARecordAreNeverNegative) {
  EXPECT_EQ(recorded_seconds(10, 12.5), 2.5);
  EXPECT_EQ(recorded_seconds(12.5, 10), 0);
}

}  // namespace
}  // namespace nightshift::scheduler
