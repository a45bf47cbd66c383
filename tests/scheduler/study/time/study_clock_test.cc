#include "scheduler/study/time/study_clock.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"

namespace nightshift::scheduler {
namespace {

TEST(StudyClock, ARunsOwnTimeStartsWhenSomethingCanBeDone) {
  fakes::FakeClock time;
  StudyClock clock(time);
  clock.begin_run();
  time.advance(5);
  EXPECT_FALSE(clock.has_started());
  EXPECT_EQ(clock.run_seconds(), 0);
  EXPECT_EQ(clock.waited(), 0);
  clock.start();
  time.advance(2);
  EXPECT_TRUE(clock.has_started());
  EXPECT_EQ(clock.run_seconds(), 2);
  EXPECT_EQ(clock.waited(), 5);
}

TEST(StudyClock, EarlierRunsCountFromTheBeginning) {
  fakes::FakeClock time;
  StudyClock clock(time);
  clock.had_earlier(30);
  clock.begin_run();
  time.advance(5);
  EXPECT_EQ(clock.elapsed(), 30);
  clock.start();
  time.advance(2);
  EXPECT_EQ(clock.elapsed(), 32);
}

}  // namespace
}  // namespace nightshift::scheduler
