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

}  // namespace
}  // namespace nightshift::scheduler
