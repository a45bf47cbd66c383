#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/errors.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using search::JobKind;
using ::testing::HasSubstr;

search::Problem with_reference(search::Problem problem) {
  std::get<search::HostBackend>(problem.backend).reference.file = "/reference.cc";
  return problem;
}

TEST(TunerBuilds, ReferenceAndBaselineAreBuiltBeforeAnythingElse) {
  StudyDriver study(with_reference(fakes::host_problem(4)), 1, 2);
  study.run();
  ASSERT_EQ(study.pool.built.size(), 6U);
  EXPECT_EQ(study.pool.built[0].build().target, ipc::BuildTarget::kReference);
  EXPECT_TRUE(study.pool.built[1].build().configuration.is_baseline());
  for (const Job& order : study.pool.measured) {
    EXPECT_EQ(order.evaluation().reference, "ref-1");
    EXPECT_EQ(order.evaluation().artifact,
              "a" + std::to_string(fakes::x_of(order.evaluation().configuration)));
  }
}

TEST(TunerBuilds, WithoutAReferenceTheBaselineIsIt) {
  StudyDriver study(fakes::host_problem(2), 1, 1);
  study.run();
  for (const Job& order : study.pool.measured) EXPECT_EQ(order.evaluation().reference, "a-1");
}

TEST(TunerBuilds, AStudyGoesOnWhereItsLastConfigurationEndsAtOnce) {
  search::Problem problem = fakes::claiming(fakes::command_problem(4));
  std::get<search::CommandBackend>(problem.backend).baseline_argv.clear();
  problem.baseline = search::Configuration({{"x", search::Value(std::int64_t{3})}});
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return x == 1 ? 0.5 : 1.0; };
  study.run();
  ASSERT_FALSE(study.observer.verdicts.empty());
  const auto& last = study.journal.history.confirmations.back();
  EXPECT_EQ(last.purpose, Purpose::kHoldOut) << "the claim comes after the last of them";
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), 1);
}

// Without an artifact nothing else says that the two are the same.
TEST(TunerBuilds, TheBaselinesOwnConfigurationOfAProgramIsNotMeasuredAgain) {
  search::Problem problem = fakes::command_problem(4);
  std::get<search::CommandBackend>(problem.backend).baseline_argv.clear();
  problem.baseline = search::Configuration({{"x", search::Value(std::int64_t{2})}});
  StudyDriver study(problem);
  study.run();
  const auto* twin = std::get_if<search::Skipped>(&study.explored(2).finished->report.outcome);
  ASSERT_NE(twin, nullptr);
  EXPECT_EQ(find_trial(study.journal.history, twin->same_as)->proposed.job, JobKind::kBaseline);
  EXPECT_EQ(study.explored(2).finished->normalised->value, 1);
  EXPECT_EQ(study.observer.last.measured, 3U);
  EXPECT_EQ(study.observer.last.skipped, 1U);
  EXPECT_EQ(study.searcher.told.size(), 4U) << "its score is 1";
  for (const ConfirmationSetup& setup : study.journal.history.confirmations) {
    EXPECT_NE(setup.candidate, study.explored(2).proposed.id) << "no duel with itself";
  }
}

// Its runs are none that died with a configuration in hand.
TEST(TunerBuilds, ABuildWithoutRoomInterruptsTheStudyAndFailsNothing) {
  StudyDriver study(fakes::host_problem(4), 1, 1);
  const auto build = study.pool.on_build;
  study.pool.on_build = [&](const Job& order) {
    JobEnded done = build(order);
    if (order.build().configuration.is_baseline()) return done;
    done.artifact.reset();
    done.report.outcome = search::BuildFailed{"ld: No space left on device"};
    done.lack = "there is no space left in /full";
    return done;
  };
  try {
    study.run();
    FAIL() << "it went on";
  } catch (const NoRoomError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no space left in /full"));
  }
  EXPECT_EQ(study.journal.history.status, "interrupted");
  for (const TrialRecord& trial : study.journal.history.trials) {
    EXPECT_TRUE(!trial.finished || !search::is_failure(trial.finished->report.outcome));
  }
}

TEST(TunerBuilds, BuildsRunAheadOfMeasurements) {
  StudyDriver study(fakes::host_problem(12), 1, 2);
  std::size_t ahead = 0;
  study.pool.on_measure = [&](const Job& order) {
    ahead = std::max(ahead, study.pool.built.size() - study.pool.measured.size());
    return study.answer(order);
  };
  study.run();
  EXPECT_GE(ahead, 2U);
}

TEST(TunerBuilds, EqualArtifactsAreMeasuredOnceAndTheSearcherLearnsFromBoth) {
  StudyDriver study(fakes::host_problem(6), 1, 4);
  study.artifact = [](const ipc::BuildRequest& r) {
    const int x = fakes::x_of(r.configuration);
    return "a" + std::to_string(x < 0 ? x : x / 3);
  };
  study.cost = [](int x, std::size_t) { return x < 0 ? 1.0 : 1.0 + x / 3 * 0.5; };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 2U);
  EXPECT_EQ(study.observer.last.skipped, 4U);
  ASSERT_EQ(study.searcher.told.size(), 6U);
  for (const auto& [x, observation] : study.searcher.told) {
    ASSERT_TRUE(observation.score) << x;
    EXPECT_NEAR(observation.score->value, 1.0 + static_cast<double>(x / 3) * 0.5, 0.02);
    for (const auto& [other, beside] : study.searcher.told) {
      EXPECT_EQ(observation.code == beside.code, x / 3 == other / 3) << x << " and " << other;
    }
  }
  const auto& skipped = std::get<search::Skipped>(study.explored(2).finished->report.outcome);
  EXPECT_EQ(skipped.same_as, study.explored(0).proposed.id);
}

TEST(TunerBuilds, WhenTheTimeIsUpTrialsThatWaitAreLeftForAResumedStudy) {
  search::Problem timed = fakes::host_problem(1000);
  timed.budget = {};
  timed.budget.seconds = 2;
  StudyDriver study(timed, 1, 8);
  study.run();
  std::size_t unfinished = 0;
  for (const TrialRecord& t : study.journal.history.trials) unfinished += t.finished ? 0 : 1;
  EXPECT_GE(unfinished, 1U);
  EXPECT_EQ(study.journal.history.status, "completed");

  search::Problem longer = timed;
  longer.budget.seconds = 4;
  StudyDriver resumed(longer, 1, 8);
  resumed.resume(study.journal.history);
  for (std::size_t i = 0; i < study.journal.history.trials.size(); ++i) {
    EXPECT_TRUE(resumed.journal.history.trials[i].finished) << "trial " << i + 1;
  }
}

TEST(TunerBuilds, ADeviceThatIsLostWhileAVisitIsBuiltDoesNotHoldTheStudyUp) {
  StudyDriver first(fakes::host_problem(3), 2, 1);
  first.cost = [](int x, std::size_t) { return x == 0 ? 0.5 : 1.0; };
  first.pool.on_measure = [&](const Job& order) {
    const auto& trial = first.journal.history.trials[order.trial.value - 1].proposed;
    if (trial.job == JobKind::kConfirm) first.pool.injected = {Interrupted{2}};
    return first.answer(order);
  };
  ASSERT_TRUE(first.run().interrupted);
  StudyDriver second(fakes::host_problem(3), 2, 1);
  second.cost = first.cost;
  second.pool.on_build = [&](const Job& order) {
    if (!order.build().configuration.is_baseline() && second.pool.retired.empty()) {
      second.pool.injected.push_back(DeviceFailed{1, "gone"});
    }
    JobEnded done;
    const std::string hash = second.artifact(order.build());
    done.artifact = ipc::Artifact{hash, 1};
    return done;
  };
  EXPECT_FALSE(second.resume(first.journal.history).interrupted);
  ASSERT_EQ(second.observer.verdicts.size(), 2U);
  EXPECT_EQ(search::name_of(second.observer.verdicts[0].verdict.acceptance), "undecided");
  EXPECT_EQ(search::name_of(second.observer.verdicts[1].verdict.acceptance), "accept");
}

TEST(TunerBuilds, AnArtifactEqualToTheBaselinesScoresOne) {
  StudyDriver study(fakes::host_problem(1), 1, 1);
  study.artifact = [](const ipc::BuildRequest&) { return "same"; };
  study.run();
  EXPECT_EQ(study.pool.measured.size(), 1U);
  EXPECT_EQ(study.searcher.told.at(0).second.score->value, 1);
}

TEST(TunerBuilds, AFailedTwinSpeaksForTheOthers) {
  StudyDriver study(fakes::host_problem(2), 1, 2);
  study.artifact = [](const ipc::BuildRequest& r) {
    return r.configuration.is_baseline() ? std::string("base") : std::string("twin");
  };
  study.failures[{0, 1}] = search::WrongResult{"y", 0, 1, 2, 1, 0.1};
  study.run();
  EXPECT_FALSE(study.searcher.told.at(0).second.score);
  EXPECT_FALSE(study.searcher.told.at(1).second.score);
  EXPECT_EQ(study.pool.measured.size(), 2U);
}

// All builds but that of the baseline end as `outcome` says.
void script_builds(StudyDriver& study, const std::function<search::TrialOutcome(int x)>& outcome) {
  study.pool.on_build = [&study, outcome](const Job& order) {
    JobEnded done;
    const int x = fakes::x_of(order.build().configuration);
    if (x < 0) {
      done.artifact = ipc::Artifact{study.artifact(order.build()), 1};
    } else {
      done.report.outcome = outcome(x);
    }
    return done;
  };
}

TEST(TunerBuilds, AStudyInWhichNothingBuildsEndsEarlyWithItsReason) {
  StudyDriver study(fakes::host_problem(1000), 1, 2);
  script_builds(study, [](int x) {
    return search::BuildFailed{"k.cc:" + std::to_string(x) + ": error: no such header"};
  });
  const StudyEnd end = study.run();
  EXPECT_EQ(end.reason, "none of the first 200 configurations builds, all for one reason");
  EXPECT_FALSE(end.interrupted);
  EXPECT_LT(study.observer.last.evaluations, 210U) << "but for those that were on their way";

  StudyDriver resumed(fakes::host_problem(1000), 1, 2);
  resumed.pool.on_build = study.pool.on_build;
  EXPECT_THAT(resumed.resume(study.journal.history).reason, HasSubstr("for one reason"));
  EXPECT_GE(resumed.observer.last.evaluations, 400U) << "who goes on asks for as many again";
}

TEST(TunerBuilds, BuildsThatFailForSeveralReasonsAreLearntFrom) {
  StudyDriver study(fakes::host_problem(200), 1, 2);
  script_builds(study, [](int x) {
    return search::BuildFailed{x % 2 == 0 ? "error: too many registers" : "error: too much memory"};
  });
  study.run();
  EXPECT_EQ(study.observer.last.evaluations, 200U);
}

TEST(TunerBuilds, ARefusedBuildIsTheTrialsOutcome) {
  StudyDriver study(fakes::host_problem(3), 1, 1);
  study.pool.on_build = [&](const Job& order) {
    JobEnded done;
    if (fakes::x_of(order.build().configuration) == 1) {
      done.report.outcome = search::TrialOutcome{search::BuildFailed{"error: no"}};
    } else {
      const std::string hash = study.artifact(order.build());
      done.artifact = ipc::Artifact{hash, 1};
    }
    return done;
  };
  study.run();
  EXPECT_EQ(study.explored(1).finished->report.outcome,
            search::TrialOutcome{search::BuildFailed{"error: no"}});
  EXPECT_EQ(study.observer.last.measured, 2U);
}

TEST(TunerBuilds, ABuilderThatDiesIsTriedAgainOnce) {
  StudyDriver study(fakes::host_problem(1), 1, 1);
  int attempts = 0;
  study.pool.on_build = [&](const Job& order) {
    JobEnded done;
    if (fakes::x_of(order.build().configuration) == 0) {
      ++attempts;
      done.killed_by_others = true;
      done.report.outcome = search::TrialOutcome{
          search::Crashed{search::Crashed::Cause::kSignal, 9, search::Phase::kBuild, ""}};
    } else {
      done.artifact = ipc::Artifact{"base", 1};
    }
    return done;
  };
  study.run();
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(std::holds_alternative<search::Crashed>(study.explored(0).finished->report.outcome));
}

TEST(TunerBuilds, ABuildThatWasHeldIsTriedAgainAndCounts) {
  StudyDriver study(fakes::host_problem(1), 1, 1);
  int attempts = 0;
  study.pool.on_build = [&](const Job& order) {
    JobEnded done;
    if (fakes::x_of(order.build().configuration) == 0 && ++attempts == 1) {
      done.killed_by_others = true;
      done.report.outcome = search::TrialOutcome{
          search::TimedOut{search::Phase::kBuild, 120, false, "the compiler was stopped"}};
    } else {
      done.artifact = ipc::Artifact{study.artifact(order.build()), 1};
    }
    return done;
  };
  study.run();
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(std::holds_alternative<search::Measured>(study.explored(0).finished->report.outcome));
}

// With one builder nothing else is built meanwhile.
void hang_with(StudyDriver& study, int x) {
  study.pool.hangs = [x](const Job& job) {
    return job.builds() && fakes::x_of(job.build().configuration) == x;
  };
}

TEST(TunerBuilds, ABuildThatHangsHoldsUpNeitherDuelsNorTheClaim) {
  search::Problem problem = fakes::claiming(fakes::host_problem(20));
  problem.budget = {};
  problem.budget.seconds = 60;
  StudyDriver study(problem, 1, 1);
  study.cost = [](int x, std::size_t) { return x == 1 ? 0.5 : 1.0; };
  hang_with(study, 3);
  const double began = study.pool.seconds();
  study.run();
  EXPECT_EQ(study.journal.history.status, "completed");
  EXPECT_LE(study.pool.seconds() - began, 61);
  ASSERT_FALSE(study.journal.history.confirmations.empty());
  EXPECT_EQ(study.journal.history.confirmations.back().purpose, Purpose::kHoldOut);
  EXPECT_TRUE(search::is_accepted(study.observer.verdicts.back().verdict));
  EXPECT_FALSE(study.explored(3).finished) << "it is left to a later run";
}

TEST(TunerBuilds, ABuildMayTakeTwentyTimesAsLongAsTheSlowestBeforeIt) {
  search::Problem problem = fakes::host_problem(6);
  problem.limits.times_build = 20;
  StudyDriver study(problem, 1, 1);
  const auto builds = study.pool.on_build;
  study.pool.on_build = [&](const Job& job) {
    JobEnded end = builds(job);
    end.report.cost.build = job.build().configuration.is_baseline() ? 5 : 2;
    return end;
  };
  hang_with(study, 3);
  study.run();
  EXPECT_EQ(study.observer.last.measured, 5U);
  const auto& late = std::get<search::TimedOut>(study.explored(3).finished->report.outcome);
  EXPECT_EQ(late.limit_seconds, 40);
  EXPECT_THAT(late.message, HasSubstr("took 2 s: limits.times_build is 20"));
}

TEST(TunerBuilds, ABaselineWhoseBuildHangsEndsWithTheBudget) {
  search::Problem problem = fakes::host_problem(6);
  problem.budget = {};
  problem.budget.seconds = 30;
  StudyDriver study(problem, 1, 1);
  hang_with(study, -1);
  const double began = study.pool.seconds();
  EXPECT_THAT(study.failure_of_run(), HasSubstr("the budget of time was used up"));
  EXPECT_LE(study.pool.seconds() - began, 31);
  EXPECT_EQ(study.pool.built.size(), 1U) << "there is no time for another attempt";
}

TEST(TunerBuilds, ABaselineThatCannotBeBuiltEndsTheStudyWithTheCompilersWords) {
  StudyDriver study(fakes::host_problem(3), 1, 1);
  study.pool.on_build = [](const Job&) {
    JobEnded done;
    done.report.outcome = search::TrialOutcome{search::BuildFailed{"error: expected ';'"}};
    return done;
  };
  try {
    study.run();
    FAIL() << "the study went on";
  } catch (const StudyError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected ';'"));
    EXPECT_THAT(error.what(), HasSubstr("baseline could not be built"));
    EXPECT_THAT(error.what(), HasSubstr("(x=0)"));
  }
  EXPECT_TRUE(study.pool.measured.empty());
}

TEST(TunerBuilds, AConfirmationOfAnEarlierRunRebuildsWhatItNeeds) {
  StudyDriver first(fakes::host_problem(2), 1, 1);
  first.cost = [](int x, std::size_t) { return x == 0 ? 0.5 : 1.0; };
  std::size_t confirms = 0;
  first.pool.on_measure = [&](const Job& order) {
    const JobKind job = first.journal.history.trials[order.trial.value - 1].proposed.job;
    if (job == JobKind::kConfirm && ++confirms == 3) {
      first.pool.injected = {Interrupted{1}, Interrupted{2}};
    }
    return first.answer(order);
  };
  ASSERT_TRUE(first.run().interrupted);

  StudyDriver second(fakes::host_problem(2), 1, 1);
  second.cost = first.cost;
  EXPECT_FALSE(second.resume(first.journal.history).interrupted);
  ASSERT_EQ(second.observer.verdicts.size(), 1U);
  EXPECT_TRUE(
      std::holds_alternative<search::Accept>(second.observer.verdicts[0].verdict.acceptance));
  EXPECT_TRUE(second.pool.measured.front().evaluation().configuration.is_baseline())
      << "a device proves itself before the study goes on";
  for (const Job& order : second.pool.measured) EXPECT_FALSE(order.evaluation().artifact.empty());
}

}  // namespace
}  // namespace nightshift::scheduler
