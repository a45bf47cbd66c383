#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/summary/front.h"
#include "scheduler/summary/summary.h"
#include "scheduler/trials/report_check.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::StudyDriver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Time with a little noise, and energy, which is exact. Four configurations and the baseline:
//           x      -1    0     1     2     3
//   time         1.00  0.50  0.80  0.90  1.20
//   energy       1.00  1.50  0.70  0.95  0.40
constexpr double kTimes[] = {1.0, 0.5, 0.8, 0.9, 1.2};
constexpr double kEnergies[] = {1.0, 1.5, 0.7, 0.95, 0.4};

search::Problem two_objectives(search::Problem problem) {
  problem.objectives = {{"time", "ms"}, {"energy", "J"}};
  return problem;
}

void script(StudyDriver& study) {
  study.cost = [](int x, std::size_t) { return kTimes[x + 1]; };
  study.figures["energy"] = [](int x, int) { return kEnergies[x + 1]; };
}

const search::Observation& told(const StudyDriver& study, std::uint64_t index) {
  const auto it =
      std::ranges::find(study.searcher.told, index, [](const auto& entry) { return entry.first; });
  return it->second;
}

std::vector<std::uint64_t> trials_of(const std::vector<StudySummary::FrontMember>& front) {
  std::vector<std::uint64_t> trials;
  for (const auto& member : front) trials.push_back(member.contender.trial.value);
  return trials;
}

TEST(Objectives, WithoutWeightsTheFirstIsJudgedAndAllAreTold) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  script(study);
  study.run();
  const search::Observation& first = told(study, 0);
  EXPECT_NEAR(first.score->value, 0.5, 0.005);
  ASSERT_EQ(first.objectives.size(), 2U);
  EXPECT_EQ(first.objectives[0].value, first.score->value);
  EXPECT_EQ(first.objectives[1].value, 1.5);
  EXPECT_EQ(first.objectives[1].standard_error, 0);
  ASSERT_FALSE(study.observer.verdicts.empty());
  EXPECT_NEAR(study.observer.verdicts[0].verdict.ratio, 0.5, 0.005);
}

TEST(Objectives, ASingleOneIsToldAsBefore) {
  StudyDriver study(fakes::command_problem(4));
  study.run();
  EXPECT_TRUE(told(study, 0).objectives.empty());
}

TEST(Objectives, WeightsAreSearchedAndAcceptedOn) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[0].weight = 1;
  problem.objectives[1].weight = 3;
  StudyDriver study(problem);
  script(study);
  study.run();
  // 1.2^(1/4) * 0.4^(3/4) = 0.52644: a slower configuration wins.
  EXPECT_NEAR(told(study, 3).score->value, 0.52644, 0.001);
  EXPECT_NEAR(told(study, 3).score->standard_error,
              0.25 * 0.52644 * told(study, 3).objectives[0].standard_error /
                  told(study, 3).objectives[0].value,
              1e-5);
  const auto& last = study.observer.verdicts.back().verdict;
  EXPECT_TRUE(std::holds_alternative<search::Accept>(last.acceptance));
  EXPECT_NEAR(last.ratio, 0.52644, 0.002);
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), 3);
}

TEST(Objectives, WhatIsBeyondALimitIsMeasuredButNoCandidate) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[1].at_most = 1;
  StudyDriver study(problem);
  script(study);
  study.run();
  const FinishedTrial& beyond = *study.explored(0).finished;
  EXPECT_TRUE(std::holds_alternative<search::Measured>(beyond.report.outcome));
  EXPECT_EQ(beyond.beyond_limits, "exceeds limit on energy: 1.5 J > 1 J");
  EXPECT_FALSE(beyond.normalised);
  EXPECT_TRUE(beyond.value);
  EXPECT_FALSE(told(study, 0).score);
  EXPECT_TRUE(told(study, 0).objectives.empty());
  EXPECT_EQ(study.observer.last.beyond_limits, 1U);
  EXPECT_EQ(study.observer.last.measured, 4U);
  for (const auto& verdict : study.observer.verdicts) {
    EXPECT_NE(verdict.candidate, study.explored(0).proposed.id);
  }
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), 1);
  // A limit alone is no aim: there is nothing to trade off.
  EXPECT_TRUE(front_of(study.journal.history, study.problem).members.empty());
}

TEST(Objectives, ALimitExceededInTheConfirmationRejects) {
  search::Problem problem = two_objectives(fakes::command_problem(1));
  problem.objectives[1].at_most = 1.6;
  StudyDriver study(problem);
  script(study);
  study.figures["energy"] = [](int x, int evaluation) {
    return x == 0 && evaluation == 2 ? 1.75 : 1.0;
  };
  study.run();
  ASSERT_EQ(study.observer.verdicts.size(), 1U);
  const search::Acceptance& acceptance = study.observer.verdicts[0].verdict.acceptance;
  EXPECT_TRUE(std::holds_alternative<search::Reject>(acceptance));
  EXPECT_EQ(search::reason_of(acceptance),
            "when it was confirmed, the candidate exceeds limit on energy: 1.75 J > 1.6 J");
}

TEST(Objectives, ABaselineBeyondALimitIsStillTheReference) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[1].at_most = 0.8;
  StudyDriver study(problem);
  script(study);
  study.run();
  EXPECT_EQ(fakes::x_of(study.observer.last.incumbent_configuration), 1);
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 0.8, 0.005);
}

TEST(Objectives, ATwinOfWhatIsBeyondALimitIsBeyondIt) {
  search::Problem problem = two_objectives(fakes::host_problem(3));
  problem.objectives[1].at_most = 1;
  StudyDriver study(problem, 1, 1);
  script(study);
  study.artifact = [](const ipc::BuildRequest& r) {
    const int x = fakes::x_of(r.configuration);
    return "a" + std::to_string(x == 2 ? 0 : x);
  };
  study.run();
  EXPECT_TRUE(std::holds_alternative<search::Skipped>(study.explored(2).finished->report.outcome));
  EXPECT_FALSE(told(study, 2).score);
}

TEST(Objectives, ATwinIsToldWhatItsOwnerWas) {
  StudyDriver study(two_objectives(fakes::host_problem(3)), 1, 1);
  script(study);
  study.artifact = [](const ipc::BuildRequest& r) {
    const int x = fakes::x_of(r.configuration);
    return "a" + std::to_string(x == 2 ? 0 : x);
  };
  study.run();
  ASSERT_EQ(told(study, 2).objectives.size(), 2U);
  EXPECT_EQ(told(study, 2).objectives[1].value, 1.5);
}

TEST(Objectives, WhatIsSoughtMustBePositive) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  script(study);
  study.figures["energy"] = [](int x, int) { return x == 2 ? 0.0 : 1.0; };
  study.run();
  const auto* failed =
      std::get_if<search::LaunchFailed>(&study.explored(2).finished->report.outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message, HasSubstr("the figure 'energy' is 0 J; it must be positive"));
}

TEST(Objectives, WhatNoRatioCanBeTakenOfFails) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  script(study);
  study.figures["energy"] = [](int x, int) { return x == 2 ? 1e-310 : x == 3 ? 1e300 : 1.0; };
  study.run();
  for (const auto& [x, figure] : {std::pair(2U, "1e-310 J"), std::pair(3U, "1e+300 J")}) {
    const auto* failed =
        std::get_if<search::LaunchFailed>(&study.explored(x).finished->report.outcome);
    ASSERT_NE(failed, nullptr);
    EXPECT_THAT(failed->message,
                HasSubstr("the figure 'energy' is " + std::string(figure) + ", of which no ratio"));
  }
}

TEST(Objectives, NoSampleOfWhatIsSoughtMayBeBelowZero) {
  const search::Problem problem = two_objectives(fakes::command_problem(4));
  search::Measurement measurement;
  measurement.figures = {{"time", {-1, 5, 5}}, {"energy", {1}}};
  const auto report = checked({search::Measured{measurement}, {}}, search::Scoring(problem));
  const auto* failed = std::get_if<search::LaunchFailed>(&report.outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->message, HasSubstr("the figure 'time' has a sample of -1"));
}

TEST(Objectives, WhatOnlyHasALimitMayBeZero) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[1].at_most = 1;
  StudyDriver study(problem);
  script(study);
  study.figures["energy"] = [](int, int) { return 0.0; };
  study.run();
  EXPECT_EQ(study.observer.last.measured, 4U);
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 0.5, 0.005);
}

TEST(Objectives, AnEfficiencyIsAccepted) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.scalarisation = search::Scalarisation::kEfficiency;
  problem.objectives[0].role = search::Role::kTime;
  problem.objectives[1].role = search::Role::kSize;
  StudyDriver study(problem);
  script(study);
  study.run();
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 1.2 * 0.4,
              0.005);  // 0.75, 0.56, 0.855, 0.48
}

TEST(Objectives, TheFrontIsWhatNothingBeats) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  script(study);
  study.run();
  const auto [front, has_baseline] = front_of(study.journal.history, study.problem);
  EXPECT_FALSE(has_baseline) << "x = 1 beats it in both";
  const auto trial = [&](int x) { return study.explored(x).proposed.id.value; };
  EXPECT_THAT(trials_of(front), ElementsAre(trial(0), trial(1), trial(3)));
  ASSERT_EQ(front[0].contender.figures.size(), 2U);
  EXPECT_EQ(front[0].contender.figures[1].value, 1.5);
  EXPECT_NEAR(front[0].scores[0].value, 0.5, 0.005);
  const auto point =
      front_point(study.journal.history, study.problem, study.explored(2).proposed.id);
  ASSERT_TRUE(point && point->scores.size() == 2);
  EXPECT_EQ(point->scores[1].value, 0.95);
  const StudySummary summary = summarise(study.journal.history, study.problem);
  EXPECT_EQ(trials_of(summary.front), trials_of(front));
}

TEST(Objectives, WhatTheBaselineBeatsInEverythingIsOnNoFront) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  script(study);
  // The baseline has 1 of both: x = 0 is worse in both, x = 3 is a trade.
  study.cost = [](int x, std::size_t) { return x == 0 || x == 2 ? 1.5 : kTimes[x + 1]; };
  study.figures["energy"] = [](int x, int) { return x == 1 || x == 2 ? 1.1 : kEnergies[x + 1]; };
  study.run();
  const auto [front, has_baseline] = front_of(study.journal.history, study.problem);
  const auto trial = [&](int x) { return study.explored(x).proposed.id.value; };
  EXPECT_THAT(trials_of(front), ElementsAre(trial(1), trial(3)));
  EXPECT_TRUE(has_baseline);
}

TEST(Objectives, TheBaselineMayBeTheWholeFront) {
  StudyDriver study(two_objectives(fakes::command_problem(4)));
  study.cost = [](int x, std::size_t) { return x < 0 ? 1.0 : 2.0 + x; };
  study.figures["energy"] = [](int x, int) { return x < 0 ? 1.0 : 9.0 - x; };
  study.run();
  const StudySummary summary = summarise(study.journal.history, study.problem);
  EXPECT_TRUE(summary.front.empty());
  EXPECT_TRUE(summary.baseline_on_front);
  for (const ConfirmationSetup& setup : study.journal.history.confirmations) {
    EXPECT_NE(setup.purpose, Purpose::kFront) << "what the baseline beats is not measured again";
  }
}

TEST(Objectives, TheFrontHasOnlyWhatKeepsWithinTheLimits) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[1].weight = 1;
  problem.objectives[1].at_most = 1;
  StudyDriver study(problem);
  script(study);
  study.run();
  const StudySummary summary = summarise(study.journal.history, study.problem);
  EXPECT_EQ(summary.beyond_limits, 1U);
  const auto trial = [&](int x) { return study.explored(x).proposed.id.value; };
  EXPECT_THAT(trials_of(summary.front), ElementsAre(trial(1), trial(3)));
}

TEST(Objectives, AMaximisedOneIsTurnedAround) {
  search::Problem problem = two_objectives(fakes::command_problem(4));
  problem.objectives[1] = {"rate", "GB/s", search::Direction::kMaximise};
  StudyDriver study(problem);
  script(study);
  study.figures["rate"] = [](int x, int) { return x < 0 ? 100.0 : 100.0 + 25 * x; };
  study.run();
  EXPECT_EQ(told(study, 1).objectives[1].value, 0.8);
  const auto trial = [&](int x) { return study.explored(x).proposed.id.value; };
  EXPECT_THAT(trials_of(front_of(study.journal.history, study.problem).members),
              ElementsAre(trial(0), trial(1), trial(2), trial(3)));
}

TEST(Objectives, AResumedStudyTellsTheSame) {
  search::Problem problem = two_objectives(fakes::recorded_problem(4));
  problem.objectives[1].weight = 1;
  problem.objectives[0].weight = 1;
  problem.objectives[1].at_most = 1;
  StudyDriver undisturbed(problem);
  script(undisturbed);
  undisturbed.run();
  const std::size_t events = undisturbed.journal.history.events.size();
  for (std::size_t cut = 0; cut <= events; ++cut) {
    StudyDriver resumed(problem);
    script(resumed);
    resumed.resume(undisturbed.journal.cut(cut));
    ASSERT_EQ(resumed.searcher.told.size(), 4U);
    for (const auto& [index, observation] : undisturbed.searcher.told) {
      const search::Observation& again = told(resumed, index);
      ASSERT_EQ(again.score.has_value(), observation.score.has_value());
      ASSERT_EQ(again.objectives.size(), observation.objectives.size());
      if (!again.score) continue;
      EXPECT_EQ(again.score->value, observation.score->value);
      EXPECT_EQ(again.objectives[1].value, observation.objectives[1].value);
    }
    EXPECT_EQ(resumed.observer.last.incumbent_ratio.value(),
              undisturbed.observer.last.incumbent_ratio.value());
  }
}

TEST(Objectives, TheWorstCaseNeedsFiguresOfEachCase) {
  search::Problem problem = fakes::command_problem(4);
  problem.cases.names = {"a", "b"};
  problem.cases.aggregate = search::Aggregate::kWorst;
  const auto complaint = [&](const search::Samples& samples) {
    search::Measurement measurement;
    measurement.figures = {samples};
    const auto report = checked({search::Measured{measurement}, {}}, search::Scoring(problem));
    const auto* failed = std::get_if<search::LaunchFailed>(&report.outcome);
    return failed == nullptr ? "" : failed->message;
  };
  EXPECT_EQ(complaint({"time", {2}, {{1}, {4}}}), "");
  EXPECT_EQ(complaint({"time", {2}}), "no figure was reported of each of the 2 cases");
  EXPECT_EQ(complaint({"time", {2}, {{1}}}),
            "the figure 'time' was reported of 1 cases, not of the problem's 2");
  EXPECT_THAT(complaint({"time", {2}, {{1}, {-4}}}),
              HasSubstr("of a case the figure 'time' is -4"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(complaint({"time", {2}, {{1}, {nan}}}), HasSubstr("which is no number"));
}

}  // namespace
}  // namespace nightshift::scheduler
