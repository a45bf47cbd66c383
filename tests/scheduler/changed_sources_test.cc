// Sources that go away or change while a study runs: nothing in its journal is of others than those
// that it began with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/fakes/fake_sources.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::JobKind;
using ::testing::Contains;
using ::testing::HasSubstr;
using Standing = SourceLook::Standing;

struct Changing : StudyDriver {
  explicit Changing(search::Problem p, int builders = 0) : StudyDriver(std::move(p), 1, builders) {
    StudyDriver::sources = &files;
    pool.on_build = [this, build = pool.on_build](const Job& job) {
      JobEnded done = build(job);
      if (while_building) while_building(job, done);
      return done;
    };
    pool.on_measure = [this](const Job& job) {
      JobEnded done = answer(job);
      if (while_measuring) while_measuring(job, done);
      return done;
    };
  }
  std::size_t builds_of(int x) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        pool.built, [x](const Job& job) { return fakes::x_of(job.build().configuration) == x; }));
  }
  fakes::FakeSources files;
  std::function<void(const Job&, JobEnded&)> while_building, while_measuring;
};

// The compiler says that there is no such file.
void fail_build(JobEnded& done) {
  done.artifact.reset();
  done.report.outcome = search::BuildFailed{"fatal error: k.cc: No such file or directory"};
}

TEST(ChangedSources, ABuildThatLacksItsSourceIsMadeAgainOnceItIsBack) {
  Changing study(fakes::host_problem(8), 1);
  bool was_away = false;
  study.while_building = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.build().configuration) != 2 || std::exchange(was_away, true)) return;
    study.files.become(Standing::kGone, 5);
    fail_build(done);
  };
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_EQ(study.observer.last.measured, 8U);
  EXPECT_EQ(study.builds_of(2), 2U);
  EXPECT_EQ(study.explored(2).finished->attempts, 1U) << "it has not begun until then";
  EXPECT_THAT(study.observer.remarks, Contains(HasSubstr("k.cc is gone since the study began")));
  EXPECT_THAT(study.observer.remarks, Contains(HasSubstr("k.cc is as it was")));
}

TEST(ChangedSources, TheBaselineToo) {
  Changing study(fakes::host_problem(4), 1);
  bool was_away = false;
  study.while_building = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.build().configuration) != -1 || std::exchange(was_away, true)) return;
    study.files.become(Standing::kGone, 3);
    fail_build(done);
  };
  EXPECT_EQ(study.failure_of_run(), "no error");
  EXPECT_EQ(study.observer.last.measured, 4U);
}

// Its machine code is of nobody knows what.
TEST(ChangedSources, WhatIsBuiltMeanwhileIsBuiltAnew) {
  Changing study(fakes::host_problem(8), 1);
  bool changed = false;
  study.while_building = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.build().configuration) != 3 || std::exchange(changed, true)) return;
    done.artifact->hash = "of other code";
    study.files.become(Standing::kChanged, 2);
  };
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_EQ(study.explored(3).finished->artifact, "a3");
  EXPECT_EQ(study.builds_of(3), 2U);
}

TEST(ChangedSources, WhatIsMeasuredMeanwhileIsMeasuredAgain) {
  Changing study(fakes::command_problem(6));
  int times = 0;
  study.while_measuring = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.evaluation().configuration) != 4 || ++times > 1) return;
    done.report = fakes::measured(0.001, 1);  // of another program
    study.files.disturbed = true;             // and by now it is as it was
  };
  EXPECT_FALSE(study.run().interrupted);
  EXPECT_GT(times, 1);
  EXPECT_GT(*study.explored(4).finished->value, 0.5);
  EXPECT_EQ(study.explored(4).finished->attempts, 1U);
}

TEST(ChangedSources, AProgramThatCannotBeStartedMeanwhileHasNotFailed) {
  Changing study(fakes::command_problem(6));
  int times = 0;
  study.while_measuring = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.evaluation().configuration) != 4 || ++times > 1) return;
    done.report.outcome = search::LaunchFailed{"cannot start ./bench"};
    study.files.become(Standing::kGone, 4);
  };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 6U);
}

TEST(ChangedSources, WhatStaysAwayEndsTheStudyAndFailsNothing) {
  Changing study(fakes::host_problem(40), 2);
  study.while_building = [&](const Job& job, JobEnded& done) {
    if (fakes::x_of(job.build().configuration) == 5) study.files.become(Standing::kGone);
    if (study.files.standing == Standing::kGone) fail_build(done);
  };
  const double began = study.pool.seconds();
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_THAT(end.reason, HasSubstr("k.cc is gone since the study began"));
  EXPECT_EQ(study.journal.history.status, "interrupted");
  EXPECT_EQ(study.journal.history.status_reason, end.reason);
  for (const TrialRecord& trial : study.journal.history.trials) {
    const bool failed = trial.finished && search::is_failure(trial.finished->report.outcome);
    EXPECT_FALSE(failed) << trial.proposed.id.value;
  }
  EXPECT_GE(study.pool.seconds() - began, SourceGuard::kForAFile);
}

TEST(ChangedSources, NoClaimRestsOnTwoVersions) {
  search::Problem problem = fakes::claiming(fakes::host_problem(6));
  Changing study(problem, 1);
  study.cost = [](int x, std::size_t) { return x == 3 ? 0.5 : 1.0; };
  study.while_measuring = [&](const Job& job, JobEnded&) {
    const TrialRecord& trial = study.journal.history.trials.at(job.trial.value - 1);
    if (trial.proposed.job != JobKind::kConfirm) return;
    const auto& setup =
        study.journal.history.confirmations.at(trial.proposed.confirmation.value - 1);
    if (setup.purpose == Purpose::kHoldOut) study.files.become(Standing::kChanged);
  };
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_THAT(end.reason, HasSubstr("k.cc has changed since the study began"));
  ASSERT_FALSE(study.observer.setups.empty()) << "a duel was won before";
  for (const ConfirmationSetup& setup : study.observer.setups) {
    EXPECT_NE(setup.purpose, Purpose::kHoldOut);
  }
  EXPECT_EQ(study.journal.history.confirmations.back().purpose, Purpose::kHoldOut);
}

TEST(ChangedSources, ABudgetThatEndsMeanwhileIsTheirEnd) {
  search::Problem problem = fakes::host_problem(40);
  problem.budget.seconds = 4;
  Changing study(problem, 1);
  study.while_building = [&](const Job& job, JobEnded&) {
    if (fakes::x_of(job.build().configuration) == 1) study.files.become(Standing::kGone);
  };
  const double began = study.pool.seconds();
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_THAT(end.reason, HasSubstr("k.cc is gone"));
  EXPECT_LT(study.pool.seconds() - began, SourceGuard::kForAFile);
}

TEST(ChangedSources, ADeviceOnWhichNoEvaluatorStartsWithoutThemIsNoFault) {
  Changing study(fakes::command_problem(20));
  study.while_measuring = [&](const Job& job, JobEnded&) {
    if (fakes::x_of(job.evaluation().configuration) != 5) return;
    study.files.become(Standing::kGone);
    study.pool.injected.emplace_back(DeviceFailed{0, "its program cannot be started"});
  };
  const StudyEnd end = study.run();
  EXPECT_TRUE(end.interrupted);
  EXPECT_THAT(end.reason, HasSubstr("k.cc is gone"));
}

}  // namespace
}  // namespace nightshift::scheduler
