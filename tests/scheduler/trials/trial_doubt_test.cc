// Which evaluations are doubted (trials/doubts.h), in whole studies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::JobKind;
using search::Trust;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kGood = 1;

class TrialDoubt : public ::testing::Test {
 protected:
  // Runs a study in which kGood is twice as good as the rest, but for what `script` says of it
  // where it is doubted.
  struct Asked {
    std::vector<Trust> baseline, explored, confirmed, good;  // `good`: kGood, confirmed
  };
  Asked run(StudyDriver& study, const std::function<void(JobEnded&)>& script = {}) {
    Asked asked;
    study.cost = [](int x, std::size_t) { return x == kGood ? 0.5 : 1.0; };
    study.pool.on_measure = [&](const Job& order) {
      const auto& trial = study.journal.history.trials[order.trial.value - 1].proposed;
      const int x = fakes::x_of(trial.configuration);
      const Trust trust = order.evaluation().sampling.trust;
      const bool confirms = trial.job == JobKind::kConfirm;
      if (x < 0) asked.baseline.push_back(trust);
      if (x >= 0 && trial.job == JobKind::kExplore) asked.explored.push_back(trust);
      if (x >= 0 && confirms) (x == kGood ? asked.good : asked.confirmed).push_back(trust);
      JobEnded ended = study.answer(order);
      if (script && trust == Trust::kNone && x == kGood) script(ended);
      return ended;
    };
    study.run();
    return asked;
  }
};

TEST_F(TrialDoubt, AHostKernelIsDoubtedInTheFirstEvaluationOfItsConfirmationsAlone) {
  StudyDriver study(fakes::claiming(fakes::host_problem(3)), 1, 1);
  const Asked asked = run(study);
  EXPECT_THAT(asked.baseline, Each(Trust::kUsual));
  EXPECT_THAT(asked.explored, Each(Trust::kUsual));
  ASSERT_GE(asked.good.size(), 2U);
  EXPECT_EQ(asked.good.front(), Trust::kNone);
  EXPECT_THAT(std::vector(asked.good.begin() + 1, asked.good.end()), Each(Trust::kUsual));
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), kGood);
}

TEST_F(TrialDoubt, SoIsACudaKernel) {
  search::CudaBackend cuda;
  StudyDriver study(fakes::claiming(fakes::one_parameter_problem(3, cuda)), 1, 1);
  const Asked asked = run(study);
  EXPECT_THAT(asked.baseline, Each(Trust::kUsual));
  EXPECT_THAT(asked.explored, Each(Trust::kUsual));
  ASSERT_GE(asked.good.size(), 2U);
  EXPECT_EQ(asked.good.front(), Trust::kNone);
  EXPECT_THAT(std::vector(asked.good.begin() + 1, asked.good.end()), Each(Trust::kUsual));
}

// As a problem in Python is.
TEST_F(TrialDoubt, SoIsWhatAServerOfProtocol2Measures) {
  search::Problem problem = fakes::claiming(fakes::command_problem(3));
  auto& command = std::get<search::CommandBackend>(problem.backend);
  command.mode = search::CommandBackend::Mode::kServer;
  command.protocol = 2;
  ASSERT_TRUE(search::serves_frames(problem));
  StudyDriver study(problem, 1, 1);
  const Asked asked = run(study, [](JobEnded& ended) {
    auto& measured = std::get<search::Measured>(ended.report.outcome);
    measured.measurement.conditions.emplace_back("audit", "on the same inputs alone");
  });
  EXPECT_THAT(asked.baseline, Each(Trust::kUsual));
  EXPECT_THAT(asked.explored, Each(Trust::kUsual));
  ASSERT_GE(asked.good.size(), 2U);
  EXPECT_EQ(asked.good.front(), Trust::kNone);
  EXPECT_THAT(std::vector(asked.good.begin() + 1, asked.good.end()), Each(Trust::kUsual))
      << "all that can be asked was";
}

TEST_F(TrialDoubt, WhatWasCutOffHasNotHeld) {
  StudyDriver study(fakes::claiming(fakes::host_problem(3)), 1, 1);
  int left = 4;
  const Asked asked = run(study, [&](JobEnded& ended) {
    if (left == 4) ended.report.outcome = search::DeviceLost{"away"};
    auto* measured = std::get_if<search::Measured>(&ended.report.outcome);
    if (left == 3) measured->measurement.censored = true;
    if (left == 2) measured->measurement.conditions.emplace_back("audit", "cut short");
    --left;
  });
  ASSERT_GE(asked.good.size(), 5U);
  EXPECT_THAT(std::vector(asked.good.begin(), asked.good.begin() + 4), Each(Trust::kNone));
  EXPECT_THAT(std::vector(asked.good.begin() + 4, asked.good.end()), Each(Trust::kUsual));
  EXPECT_EQ(left, 0);
}

TEST_F(TrialDoubt, WhatFailsWhereItIsDoubtedIsNotAcceptedAndSaysWhy) {
  StudyDriver study(fakes::claiming(fakes::host_problem(3)), 1, 1);
  run(study, [](JobEnded& ended) {
    ended.report.outcome = search::LaunchFailed{"its time is not that of its work"};
  });
  std::string reasons;
  for (const auto& verdict : study.observer.verdicts) {
    if (verdict.verdict.acceptance.index() == 0) continue;
    reasons += search::reason_of(verdict.verdict.acceptance);
  }
  EXPECT_THAT(reasons, HasSubstr("its time is not that of its work"));
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), -1);
}

TEST_F(TrialDoubt, AProgramIsNotAsked) {
  StudyDriver study(fakes::claiming(fakes::command_problem(3)), 1, 1);
  const Asked asked = run(study);
  EXPECT_FALSE(asked.good.empty());
  EXPECT_THAT(asked.good, Each(Trust::kUsual));
}

TEST_F(TrialDoubt, WhereNobodyIsTrustedAllButTheBaselineIs) {
  search::Problem problem = fakes::claiming(fakes::host_problem(3));
  problem.sampling.trust = Trust::kNone;
  StudyDriver study(problem, 1, 1);
  const Asked asked = run(study);
  EXPECT_THAT(asked.baseline, Each(Trust::kUsual));
  EXPECT_THAT(asked.explored, Each(Trust::kNone));
  ASSERT_FALSE(asked.good.empty());
}

}  // namespace
}  // namespace nightshift::scheduler
