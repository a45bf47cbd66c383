#include "scheduler/pool/starved_time.h"

#include <gtest/gtest.h>

#include "scheduler/seconds.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::scheduler {
namespace {

using ipc::CoreTimes;

double in_seconds(StarvedTime::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

class StarvedTimes : public ::testing::Test {
 protected:
  void begin() {
    starved_.begin(clock_.now());
    starved_.look(CoreTimes{}, clock_.now());
  }
  // Of a second in which a process had a core for `ran`, and waited for one, altogether.
  void second(double ran, double waited) {
    times_.ran += ran;
    times_.waited += waited;
    clock_.advance(1);
    starved_.look(times_, clock_.now());
  }
  double so_far() const { return in_seconds(starved_.so_far()); }

  fakes::FakeClock clock_;
  StarvedTime starved_;
  CoreTimes times_;
};

TEST_F(StarvedTimes, IsThatOfWaitingForACore) {
  begin();
  second(0.25, 0.75);
  second(0, 1);
  EXPECT_NEAR(so_far(), 1.75, 1e-6);
}

TEST_F(StarvedTimes, IsNoneOfWhoSleepsOrComputes) {
  begin();
  second(0, 0);
  second(1, 0);
  EXPECT_EQ(so_far(), 0);
}

TEST_F(StarvedTimes, IsNoneOfThreadsThatWaitForEachOther) {
  begin();
  second(1, 3);
  EXPECT_EQ(so_far(), 0) << "four threads that spin on one core";
  second(0.5, 3.5);
  EXPECT_NEAR(so_far(), 0.5, 1e-6) << "and have half of it";
}

TEST_F(StarvedTimes, IsThatOfAMachineThatStoodStill) {
  begin();
  const auto due = clock_.now() + seconds(0.1);
  clock_.advance(3.1);
  starved_.woke(due, clock_.now());
  starved_.look(CoreTimes{0, 2}, clock_.now());
  EXPECT_NEAR(so_far(), 3, 1e-6) << "the process waited then as well, which counts once";
  starved_.woke(clock_.now() - seconds(0.05), clock_.now());
  starved_.look(CoreTimes{0, 2}, clock_.now());
  EXPECT_NEAR(so_far(), 3, 1e-6) << "any loop is a little late";
}

TEST_F(StarvedTimes, IsNothingBeforeTheFirstLookOrWithoutAnAnswer) {
  starved_.begin(clock_.now());
  EXPECT_TRUE(starved_.wants_look(clock_.now()));
  starved_.look(CoreTimes{5, 100}, clock_.now());
  EXPECT_EQ(so_far(), 0) << "of jobs before";
  EXPECT_FALSE(starved_.wants_look(clock_.now()));
  clock_.advance(1);
  EXPECT_TRUE(starved_.wants_look(clock_.now()));
  starved_.look(std::nullopt, clock_.now());
  clock_.advance(1);
  starved_.look(CoreTimes{5, 102}, clock_.now());
  EXPECT_EQ(so_far(), 0);
  clock_.advance(1);
  starved_.look(CoreTimes{2, 50}, clock_.now());
  EXPECT_EQ(so_far(), 0) << "threads that are gone";
}

}  // namespace
}  // namespace nightshift::scheduler
