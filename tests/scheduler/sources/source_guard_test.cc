#include "scheduler/sources/source_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_sources.h"

namespace nightshift::scheduler {
namespace {

using fakes::FakeSources;
using ::testing::HasSubstr;
using Standing = SourceLook::Standing;

struct SourceGuardTest : ::testing::Test {
  SourceGuardTest() { problem.backend = search::HostBackend{}; }

  search::Problem problem;
  fakes::FakeClock clock;
  FakeSources files;
  SourceGuard guard{&files, problem, clock};
};

TEST_F(SourceGuardTest, WithoutFilesAndWithFilesThatStayAllCounts) {
  SourceGuard none(nullptr, problem, clock);
  EXPECT_EQ(none.disturbance(), "");
  EXPECT_EQ(guard.disturbance(), "");
  EXPECT_FALSE(guard.holds());
  EXPECT_FALSE(guard.is_over(true)) << "the end of the budget is no matter of sources";
}

TEST_F(SourceGuardTest, AFileThatWasWrittenAnewDisturbsAndHoldsNothing) {
  files.disturbed = true;
  EXPECT_THAT(guard.disturbance(), HasSubstr("written anew"));
  EXPECT_FALSE(guard.holds());
  EXPECT_FALSE(guard.take_news());
  EXPECT_EQ(guard.disturbance(), "");
}

TEST_F(SourceGuardTest, AFileThatIsGoneIsWaitedForAndTold) {
  files.become(Standing::kGone);
  EXPECT_THAT(guard.disturbance(), HasSubstr("k.cc is gone"));
  EXPECT_TRUE(guard.holds());
  EXPECT_THAT(*guard.take_news(), HasSubstr("k.cc is gone since the study began"));
  EXPECT_FALSE(guard.is_over(false));
  EXPECT_NE(guard.disturbance(), "");
  EXPECT_FALSE(guard.take_news()) << "once";
  clock.advance(SourceGuard::kForAFile / 2);
  files.become(Standing::kAsBegun);
  EXPECT_THAT(guard.disturbance(), HasSubstr("k.cc is gone")) << "of what has just ended";
  EXPECT_FALSE(guard.holds());
  EXPECT_THAT(*guard.take_news(), HasSubstr("k.cc is as it was"));
  clock.advance(SourceGuard::kForAFile);
  EXPECT_FALSE(guard.is_over(false));
}

TEST_F(SourceGuardTest, ItIsOverWhenItStaysAwayOrTheTimeIsUp) {
  files.become(Standing::kGone);
  guard.disturbance();
  EXPECT_TRUE(guard.is_over(true));
  EXPECT_FALSE(guard.is_over(false));
  clock.advance(SourceGuard::kForAFile);
  EXPECT_TRUE(guard.is_over(false));
  EXPECT_THAT(guard.reason(), HasSubstr("once it is back"));
}

TEST_F(SourceGuardTest, AnotherContentIsWaitedForMoreBriefly) {
  files.become(Standing::kChanged);
  guard.disturbance();
  EXPECT_FALSE(guard.is_over(false)) << "an editor may be about to write it";
  clock.advance(SourceGuard::kForItsContent);
  EXPECT_TRUE(guard.is_over(false));
  EXPECT_THAT(guard.reason(), HasSubstr("k.cc has changed since the study began"));
}

// It may have the other file in its memory when that is back.
TEST_F(SourceGuardTest, OfWhatAServerHasReadAnotherContentIsTheEndAndAGapIsNot) {
  search::CommandBackend server;
  server.mode = search::CommandBackend::Mode::kServer;
  problem.backend = server;
  files.become(Standing::kGone);
  guard.disturbance();
  EXPECT_FALSE(guard.is_over(false));
  files.become(Standing::kChanged);
  guard.disturbance();
  EXPECT_TRUE(guard.is_over(false));
  EXPECT_THAT(guard.reason(), HasSubstr("k.cc has changed"));
}

TEST_F(SourceGuardTest, WhatIsGivenUpIsOver) {
  files.become(Standing::kGone, 2);
  guard.disturbance();
  guard.give_up();
  guard.disturbance();
  EXPECT_TRUE(guard.is_over(false));
}

}  // namespace
}  // namespace nightshift::scheduler
