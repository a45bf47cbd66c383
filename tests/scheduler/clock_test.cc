#include "scheduler/clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

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

// In processes of their own, whose clocks alone move.
TEST(ClockDeathTest, TheRecordsGoesOnAfterWhatAJournalHas) {
  const auto moved = [](double ahead) {
    const SystemClock clock;
    const double last = clock.unix_seconds() + ahead;
    SystemClock::go_on_after(last);
    const double now = clock.unix_seconds();
    const bool is_after = now >= last + SystemClock::kBetweenRuns && now < last + 60;
    const bool is_told = std::abs(clock_shift(clock) + ahead + SystemClock::kBetweenRuns) < 1;
    return is_after && is_told ? 0 : 1;
  };
  EXPECT_EXIT(std::_Exit(moved(3600)), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::_Exit(moved(20)), ::testing::ExitedWithCode(0), "");
  static_assert(SystemClock::kBetweenRuns < kLeastShift, "as little is not told");
}

TEST(ClockDeathTest, TimesThatArePastOrThatNoClockHasLeaveTheRecordsAsItIs) {
  const auto stays = [](double last) {
    SystemClock::go_on_after(last);
    return std::abs(clock_shift(SystemClock())) < 1 ? 0 : 1;
  };
  for (const double last : {1e9, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EXIT(std::_Exit(stays(last)), ::testing::ExitedWithCode(0), "") << last;
  }
}

}  // namespace
}  // namespace nightshift::scheduler
