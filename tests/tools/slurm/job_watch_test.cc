#include "tools/slurm/job_watch.h"

#include <gtest/gtest.h>

#include <csignal>

namespace nightshift::tools {
namespace {

constexpr int kUnfinished = 75, kInterrupted = 7;

JobTerms ends_at(double end) { return {end, true, true, false, "node1"}; }

TEST(JobWatch, StopsBeforeTheEnd) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  EXPECT_EQ(watch.next_look(), 3480);
  EXPECT_FALSE(watch.is_time_to_stop(3479));
  watch.learn(ends_at(3600), 3480);
  EXPECT_TRUE(watch.is_time_to_stop(3480));
  EXPECT_TRUE(watch.hands_on(SIGUSR2));
  EXPECT_FALSE(watch.next_look());
  EXPECT_TRUE(watch.should_requeue(kUnfinished));
  EXPECT_TRUE(watch.should_requeue(kInterrupted));
}

TEST(JobWatch, KeepsToALimitThatWasRaised) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  watch.learn(ends_at(7200), 3480);
  EXPECT_FALSE(watch.is_time_to_stop(3480));
  EXPECT_EQ(watch.next_look(), 7080);
}

TEST(JobWatch, AShortJobKeepsAQuarterOfItsTime) {
  JobWatch watch(120);
  watch.learn(ends_at(1060), 1000);
  EXPECT_EQ(watch.stop_at(), 1045);
}

TEST(JobWatch, WhereSlurmDoesNotAnswerItIsAskedAgain) {
  JobWatch watch(120);
  watch.learn(std::nullopt, 100);
  EXPECT_FALSE(watch.stop_at());
  EXPECT_EQ(watch.next_look(), 160);
  watch.learn(ends_at(3600), 160);
  EXPECT_EQ(watch.next_look(), 3480);
  watch.learn(std::nullopt, 3480);
  EXPECT_TRUE(watch.is_time_to_stop(3480));  // by what was known last
}

TEST(JobWatch, AJobWithoutAnEndRunsOn) {
  JobWatch watch(120);
  watch.learn(JobTerms{std::nullopt, true, true, false, ""}, 0);
  EXPECT_FALSE(watch.next_look());
  EXPECT_FALSE(watch.is_time_to_stop(1e12));
}

TEST(JobWatch, TheEndIsToldOnce) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  EXPECT_TRUE(watch.hands_on(SIGUSR2));
  EXPECT_FALSE(watch.hands_on(SIGUSR2));
  EXPECT_FALSE(watch.hands_on(SIGUSR1));
  EXPECT_TRUE(watch.hands_on(SIGTERM));
}

TEST(JobWatch, WhoeverCancelsAJobWantsItsEnd) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  EXPECT_TRUE(watch.hands_on(SIGTERM));
  EXPECT_FALSE(watch.should_requeue(kUnfinished));
  JobWatch near(120);
  near.learn(ends_at(3600), 0);
  EXPECT_TRUE(near.hands_on(SIGUSR2));
  EXPECT_TRUE(near.hands_on(SIGTERM));
  EXPECT_FALSE(near.should_requeue(kUnfinished));
}

TEST(JobWatch, OnlyWorkThatIsLeftIsQueuedAgain) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  EXPECT_FALSE(watch.should_requeue(kUnfinished));  // paused studies: nobody's time was over
  EXPECT_TRUE(watch.hands_on(SIGUSR2));
  EXPECT_FALSE(watch.should_requeue(0));
  EXPECT_FALSE(watch.should_requeue(3));
  JobWatch forbidden(120);
  forbidden.learn(JobTerms{3600, false, true, true, ""}, 0);
  EXPECT_TRUE(forbidden.hands_on(SIGUSR2));
  EXPECT_FALSE(forbidden.should_requeue(kUnfinished));
}

TEST(JobWatch, APreemptedJobThatHasEndedIsQueuedAgain) {
  JobWatch watch(120);
  watch.learn(ends_at(3600), 0);
  EXPECT_TRUE(watch.ended_unasked(kUnfinished));
  EXPECT_TRUE(watch.ended_unasked(kInterrupted));
  EXPECT_FALSE(watch.ended_unasked(0));
  JobTerms terms = ends_at(3600);
  terms.preempted = true;
  watch.learn(terms, 100);
  EXPECT_TRUE(watch.should_requeue(kUnfinished));
  EXPECT_FALSE(watch.should_requeue(3));
  terms.runs = false;  // by now Slurm itself has put it back
  watch.learn(terms, 100);
  EXPECT_FALSE(watch.should_requeue(kUnfinished));
}

}  // namespace
}  // namespace nightshift::tools
