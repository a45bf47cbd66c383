#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "tests/fakes/fake_batch.h"

// A part of BatchRunner: what the plan of a batch says, carried out.
namespace nightshift::scheduler {
namespace {

using fakes::command_problem;
using fakes::FakeBatch;
using fakes::FakeStudy;
using ::testing::ElementsAre;

// Its own budget is used up where it is taken up.
TEST(BatchRunner, WhatABudgetWasMadeUpForInEarlierRunsItHas) {
  FakeBatch batch(1, 1);
  FakeStudy& study = batch.add(command_problem(100'000));
  study.problem->budget.trials = 0;
  batch.pool.injected.push_back({batch.pool.seconds() + 40, {{}, Interrupted{}}});
  batch.run();
  study.problem->budget.seconds = batch.terms[0].budget_seconds = 40;
  batch.standings.resize(1);
  batch.standings[0].made_up = 20;
  const std::size_t before = batch.pool.measured.size();
  EXPECT_THAT(batch.kinds(batch.run()), ElementsAre("completed"));
  EXPECT_GE(batch.pool.measured.size() - before, 15U);
}

TEST(BatchRunner, WhereNothingCanBeKeptAnyMoreAllEndsAndNothingBegins) {
  FakeBatch batch(1);
  for (int i = 0; i < 3; ++i) batch.add(command_problem(10));
  batch.terms[0].priority = 1;
  batch.lost_at = batch.pool.seconds() + 3;
  std::size_t begun = 0;
  batch.on_begun = [&](const std::vector<DeviceIndex>&) { ++begun; };
  const BatchOutcome outcome = batch.run();
  EXPECT_THAT(batch.kinds(outcome), ElementsAre("interrupted", "waits", "waits"));
  EXPECT_EQ(outcome.ends[0]->reason, "the folder is gone");
  EXPECT_EQ(outcome.lost, "the folder is gone");
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(begun, 1U);
  EXPECT_LE(batch.pool.measured.size(), 5U);
}

}  // namespace
}  // namespace nightshift::scheduler
