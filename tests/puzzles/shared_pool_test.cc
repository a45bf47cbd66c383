// What a pool that several studies share promises to each.
#include "scheduler/forked_shared_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "pool_driver.h"
#include "tests/fakes/paths.h"

namespace nightshift::puzzles {
namespace {

using scheduler::JobEnded;
using scheduler::SharedEvent;
using scheduler::StudyIndex;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Ne;
using ::testing::Not;

class SharedPool : public ::testing::Test {
 protected:
  SharedPool() {
    scheduler::ForkedPoolOptions options;
    options.evaluator_program = testing_paths::program("misbehave");
    options.scratch_folder = scratch_.path();
    options.builders = 0;
    options.respawn_first = 0.001;
    options.respawn_last = 0.01;
    pool_ = std::make_unique<scheduler::ForkedSharedPool>(plain_devices(1), options);
  }

  StudyIndex admit(const std::string& kind = "", bool keeps_used = true, int spares = 0) {
    return pool_->admit({std::make_shared<search::Problem>(puzzle_problem()), artifacts_.path(),
                         spares, false, true, kind, keeps_used});
  }
  // With one that does not keep what has served, and has a spare.
  StudyIndex admit_with_spare() { return admit("a", false, 1); }
  void wait_for_processes(std::size_t count) {
    const auto until = patience();
    while (pool_->process_ids().size() != count && std::chrono::steady_clock::now() < until) {
      (void)pool_->wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
    }
    EXPECT_EQ(pool_->process_ids().size(), count);
  }
  // The process that measured "good" for a study, which then leaves.
  int measured_and_left(const std::string& kind, const char* name = "good") {
    const StudyIndex study = admit(kind);
    start(study, name, 1);
    EXPECT_TRUE(next_end());
    const std::vector<int> processes = pool_->process_ids();
    pool_->dismiss(study);
    return processes.empty() ? -1 : processes.front();
  }
  // Until the study can measure, then starts that.
  void start(StudyIndex study, const char* name, std::uint64_t trial, bool spares = false) {
    pool_->open(study, 0, spares);
    while (!pool_->can_measure(study, 0)) note(pool_->wait(patience()));
    scheduler::Job job;
    job.trial = {trial};
    job.evaluation().configuration = puzzle(name);
    pool_->start(study, job);
  }
  // The next end of a job.
  std::optional<SharedEvent> next_end() {
    const auto until = patience();
    while (std::chrono::steady_clock::now() < until) {
      SharedEvent event = pool_->wait(until);
      if (std::holds_alternative<JobEnded>(event.event)) return event;
      note(event);
    }
    return std::nullopt;
  }
  static void note(const SharedEvent& event) {
    EXPECT_FALSE(std::holds_alternative<scheduler::DeviceFailed>(event.event));
  }
  static std::chrono::steady_clock::time_point patience() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }

  TemporaryFolder scratch_, artifacts_;
  std::unique_ptr<scheduler::ForkedSharedPool> pool_;
};

TEST_F(SharedPool, EachStudyHearsOfItsOwnJobs) {
  const StudyIndex first = admit(), second = admit();
  for (const StudyIndex study : {first, second, first}) {
    start(study, "good", 1);
    const auto end = next_end();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->study, study);
  }
}

// Retiring what measures ends its job at once: nobody has been told when the study goes. Its number
// is given to the next one, which must not hear of it.
TEST_F(SharedPool, WhatAStudyLeavesBehindDoesNotReachItsSuccessor) {
  for (int i = 0; i < 5; ++i) {
    const StudyIndex first = admit();
    start(first, "hang", 100);
    pool_->retire(first, 0, "the test says so");
    pool_->dismiss(first);
    const StudyIndex second = admit();
    start(second, "good", 7);
    const auto end = next_end();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->study, second);
    EXPECT_EQ(std::get<JobEnded>(end->event).trial.value, 7U);
    pool_->dismiss(second);
  }
}

// --- Processes that change hands ---

TEST_F(SharedPool, AProcessGoesOnForTheNextStudyOfItsKind) {
  const int process = measured_and_left("a");
  ASSERT_GT(process, 0);
  for (std::uint64_t trial = 7; trial < 10; ++trial) {
    const StudyIndex next = admit("a");
    start(next, "good", trial);
    EXPECT_THAT(pool_->process_ids(), ElementsAre(process));
    const auto end = next_end();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->study, next);
    EXPECT_EQ(std::get<JobEnded>(end->event).trial.value, trial);
    EXPECT_FALSE(std::get<JobEnded>(end->event).fresh_process) << "it has served others";
    pool_->dismiss(next);
  }
}

TEST_F(SharedPool, AnotherKindOrNoneHasAProcessOfItsOwn) {
  for (const auto& [first, second] : {std::pair("a", "b"), std::pair("a", ""), std::pair("", "")}) {
    const int process = measured_and_left(first);
    const StudyIndex next = admit(second);
    start(next, "good", 7);
    EXPECT_THAT(pool_->process_ids(), Contains(Ne(process)));
    const auto end = next_end();
    ASSERT_TRUE(end);
    EXPECT_TRUE(std::get<JobEnded>(end->event).fresh_process);
    pool_->dismiss(next);
  }
}

// What failed may have left something behind.
TEST_F(SharedPool, AFreshProcessIsStartedWhereOneIsAskedFor) {
  const int process = measured_and_left("a");
  const StudyIndex next = admit("a");
  pool_->open(next, 0, false);
  while (!pool_->can_measure(next, 0)) note(pool_->wait(patience()));
  scheduler::Job job;
  job.trial = {3};
  job.fresh_process = true;
  job.evaluation().configuration = puzzle("good");
  pool_->start(next, job);
  const auto end = next_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(std::get<JobEnded>(end->event).fresh_process);
  EXPECT_THAT(pool_->process_ids(), Not(Contains(process)));
}

TEST_F(SharedPool, AProcessThatDiedIsNoOnesLegacy) {
  const int process = measured_and_left("a", "segfault");
  const StudyIndex next = admit("a");
  start(next, "good", 7);
  EXPECT_THAT(pool_->process_ids(), Not(Contains(process)));
  const auto end = next_end();
  ASSERT_TRUE(end);
  EXPECT_EQ(std::get<JobEnded>(end->event).trial.value, 7U);
}

// Nobody's code has run in it, so that this is as good as a process of its own.
TEST_F(SharedPool, ASpareGoesOnForTheNextStudyAndWhatHasServedDoesNot) {
  const StudyIndex first = admit_with_spare();
  start(first, "good", 1, true);
  ASSERT_TRUE(next_end());
  wait_for_processes(2);
  const int served = pool_->process_ids()[0];
  const int spare = pool_->process_ids()[1];
  pool_->dismiss(first);
  const StudyIndex next = admit_with_spare();
  start(next, "good", 7, true);
  EXPECT_THAT(pool_->process_ids(), Contains(spare));
  const auto end = next_end();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->study, next);
  EXPECT_TRUE(std::get<JobEnded>(end->event).fresh_process);
  EXPECT_THAT(pool_->process_ids(), Not(Contains(served)));
  EXPECT_EQ(pool_->process_ids().front(), spare) << "it is the one that measures";
}

// Wherever it has got to when its study leaves: it serves the next one when it has started.
TEST_F(SharedPool, ASpareThatStillStartsGoesOnAsWell) {
  StudyIndex study = admit_with_spare();
  for (std::uint64_t trial = 1; trial < 20; ++trial) {
    start(study, trial % 3 == 0 ? "segfault" : "good", trial, true);
    const auto end = next_end();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->study, study);
    EXPECT_EQ(std::get<JobEnded>(end->event).trial.value, trial);
    EXPECT_TRUE(std::get<JobEnded>(end->event).fresh_process) << trial;
    for (std::uint64_t turn = 0; turn < trial % 5; ++turn) {
      (void)pool_->wait(std::chrono::steady_clock::now());
    }
    pool_->dismiss(study);
    study = admit_with_spare();
  }
  pool_->dismiss(study);
  wait_for_processes(0);
}

// A device that nobody opens again keeps none of them.
TEST_F(SharedPool, SparesThatNobodyTakesOverLeaveByThemselves) {
  const StudyIndex first = admit_with_spare();
  start(first, "good", 1, true);
  ASSERT_TRUE(next_end());
  wait_for_processes(2);
  pool_->dismiss(first);
  wait_for_processes(0);
}

TEST_F(SharedPool, WhatNobodyTakesOverLeavesByItself) {
  (void)measured_and_left("a");
  const auto until = patience();
  while (!pool_->process_ids().empty() && std::chrono::steady_clock::now() < until) {
    (void)pool_->wait(std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  }
  EXPECT_THAT(pool_->process_ids(), IsEmpty());
}

}  // namespace
}  // namespace nightshift::puzzles
