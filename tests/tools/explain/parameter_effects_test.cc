#include "tools/explain/parameter_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/told_study.h"
#include "tools/report/report_figures.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

search::Parameter numbers(const std::string& name, std::int64_t count) {
  search::Parameter p;
  p.name = name;
  for (std::int64_t v = 1; v <= count; ++v) p.values.emplace_back(v);
  return p;
}

search::Problem problem_of(std::vector<search::Parameter> parameters) {
  search::Problem problem;
  problem.backend = search::CommandBackend{};
  problem.parameters = std::move(parameters);
  return problem;
}

// One explored trial that ended, with a figure or without.
void add(scheduler::History& history, search::Configuration c, std::optional<double> figure) {
  scheduler::TrialRecord trial;
  trial.proposed.id = search::TrialId{history.trials.size() + 1};
  trial.proposed.configuration = std::move(c);
  trial.finished.emplace();
  trial.finished->id = trial.proposed.id;
  trial.finished->device = "node/cpu:1";
  trial.finished->value = figure;
  if (figure) {
    trial.finished->normalised = search::Score{*figure / 10, 0};
    trial.finished->report.outcome = search::Measured{};
  } else {
    trial.finished->report.outcome = search::BuildFailed{"no"};
  }
  history.events.push_back(scheduler::FinishedEvent{history.trials.size()});
  history.trials.push_back(std::move(trial));
}

search::Configuration configuration(std::int64_t a, std::int64_t b) {
  return search::Configuration({{"A", search::Value(a)}, {"B", search::Value(b)}});
}

TEST(ExplainedShare, IsTheAdjustedShareOfAOneWayAnalysis) {
  // Within 2 + 2 = 4 of total 4 + 36 (means 2 and 8 around 5): 1 - (4 / 4) / (58 / 5).
  EXPECT_NEAR(explained_share({{1, 2, 3}, {7, 8, 9}}).value_or(0), 1 - 1 / 11.6, 1e-12);
  EXPECT_EQ(explained_share({{1, 1}, {2, 2}}), 1);
}

TEST(ExplainedShare, OfGroupsThatDoNotDifferIsNone) {
  EXPECT_EQ(explained_share({{1, 2, 3}, {1, 2, 3}}), 0);  // below zero before it is cut
  EXPECT_EQ(explained_share({{5, 5}, {5, 5}}), 0);
}

TEST(ExplainedShare, OfOneGroupIsNoneAndOfAsManyAsFiguresUnknown) {
  EXPECT_EQ(explained_share({{1}, {2}, {3}}), std::nullopt);
  EXPECT_EQ(explained_share({{1, 2, 3}}), 0);
  EXPECT_EQ(explained_share({{1, 2, 3}, {}}), 0);
  EXPECT_EQ(explained_share({{2}, {2}}), 0) << "nothing varies";
  EXPECT_EQ(explained_share({}), 0);
}

TEST(ParameterEffects, AParameterThatVariesAloneExplainsAll) {
  scheduler::History history;
  for (std::int64_t a = 1; a <= 6; ++a)
    add(history, configuration(a, 1), 7.0 / static_cast<double>(a));
  const auto effects = parameter_effects(history, problem_of({numbers("A", 7), numbers("B", 2)}));
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_EQ(effects[0].explained, 1);
  EXPECT_EQ(explained_text(effects[0]), "all (nothing else varied)");
}

TEST(ParameterEffects, OneConfigurationAValueExplainsNothingThatIsKnown) {
  scheduler::History history;
  for (std::int64_t a = 1; a <= 6; ++a)
    add(history, configuration(a, 1 + a % 2), static_cast<double>(a));
  const auto effects = parameter_effects(history, problem_of({numbers("A", 7), numbers("B", 2)}));
  ASSERT_THAT(effects, SizeIs(2));
  EXPECT_EQ(effects[0].name, "B");
  EXPECT_EQ(explained_text(effects[0]), "0.00 %");
  EXPECT_EQ(effects[1].explained, std::nullopt);
  EXPECT_EQ(explained_text(effects[1]), "unknown (one configuration a value)");
}

TEST(ParameterEffects, OfFiguresThatDoNotVaryNothingIsExplained) {
  scheduler::History history;
  for (std::int64_t a = 1; a <= 3; ++a) add(history, configuration(a, 1), 5);
  const auto effects = parameter_effects(history, problem_of({numbers("A", 3)}));
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_EQ(explained_text(effects[0]), "0.00 %");
}

TEST(ParameterEffects, OrderParametersByWhatTheyExplain) {
  scheduler::History history;
  for (std::int64_t a : {1, 2}) {
    for (std::int64_t b : {1, 2, 3}) {
      add(history, configuration(a, b),
          std::pow(10.0, static_cast<double>(b)) * (a == 1 ? 1 : 1.1));
    }
  }
  const auto effects = parameter_effects(history, problem_of({numbers("A", 2), numbers("B", 4)}));
  ASSERT_THAT(effects, SizeIs(2));
  EXPECT_EQ(effects[0].name, "B");
  EXPECT_EQ(effects[1].name, "A");
  EXPECT_EQ(effects[1].explained, 0);
  // ln: within 3 ln(1.1)^2 / 2, total that and 4 ln(10)^2.
  const double within = 1.5 * std::pow(std::log(1.1), 2);
  const double total = within + 4 * std::pow(std::log(10), 2);
  EXPECT_NEAR(effects[0].explained.value_or(0), 1 - within / 3 / (total / 5), 1e-12);
  ASSERT_THAT(effects[0].values, SizeIs(3));  // nothing was measured with B=4
  const ValueEffect& first = effects[0].values[0];
  EXPECT_EQ(first.label, "1");
  EXPECT_EQ(first.count, 2U);
  EXPECT_NEAR(first.median, 10.5, 1e-12);
  EXPECT_NEAR(first.low, 10.25, 1e-12);
  EXPECT_NEAR(first.high, 10.75, 1e-12);
  EXPECT_DOUBLE_EQ(first.best, 10);
}

TEST(ParameterEffects, LeaveOutWhatWasNotMeasuredAndWhatDidNotVary) {
  scheduler::History history;
  add(history, configuration(1, 1), 5);
  add(history, configuration(2, 1), 6);
  add(history, configuration(3, 2), std::nullopt);
  const auto effects = parameter_effects(history, problem_of({numbers("A", 3), numbers("B", 2)}));
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_EQ(effects[0].name, "A");
  EXPECT_THAT(effects[0].values, SizeIs(2));
  EXPECT_THAT(parameter_effects({}, problem_of({numbers("A", 3)})), IsEmpty());
}

TEST(ParameterEffects, PutManyValuesIntoBinsOfAsManyEach) {
  scheduler::History history;
  for (std::int64_t a = 1; a <= 45; ++a) add(history, configuration(a, 1), static_cast<double>(a));
  const auto effects = parameter_effects(history, problem_of({numbers("A", 100)}));
  ASSERT_THAT(effects, SizeIs(1));
  ASSERT_THAT(effects[0].values, SizeIs(15));
  EXPECT_EQ(effects[0].values[0].label, "1 .. 3");
  EXPECT_EQ(effects[0].values[14].label, "43 .. 45");
  EXPECT_EQ(effects[0].values[14].count, 3U);
  EXPECT_LE(effects[0].values.size(), kMostBins);
}

TEST(ParameterEffects, TheBestOfAMaximisedFigureIsTheLargest) {
  scheduler::History history;
  add(history, configuration(1, 1), 5);
  add(history, configuration(1, 2), 7);
  add(history, configuration(2, 2), 6);
  search::Problem problem = problem_of({numbers("A", 2)});
  problem.objectives[0].direction = search::Direction::kMaximise;
  EXPECT_DOUBLE_EQ(parameter_effects(history, problem)[0].values[0].best, 7);
}

TEST(ParameterEffects, AnotherTypeOfTheSameValueIsTheSameValue) {
  scheduler::History history;
  add(history, search::Configuration({{"A", search::Value(1.0)}}), 5);
  add(history, search::Configuration({{"A", search::Value(std::int64_t{2})}}), 6);
  EXPECT_THAT(parameter_effects(history, problem_of({numbers("A", 2)})), SizeIs(1));
}

TEST(ConvergenceSeries, HasWhatEndedInOrderAndTheBestSoFar) {
  scheduler::History history;
  add(history, configuration(1, 1), 20);
  add(history, configuration(1, 2), std::nullopt);
  add(history, configuration(2, 1), 5);
  add(history, configuration(2, 2), 9);
  const Convergence told = convergence_of(history);
  ASSERT_THAT(told.ended, SizeIs(4));
  EXPECT_EQ(told.ended[0].best, 2.0);
  EXPECT_TRUE(told.ended[1].failed);
  EXPECT_FALSE(told.ended[1].score);
  EXPECT_EQ(told.ended[1].best, 2.0);
  EXPECT_EQ(told.ended[2].best, 0.5);
  EXPECT_EQ(told.ended[3].score, 0.9);
  EXPECT_EQ(told.ended[3].best, 0.5);
  EXPECT_THAT(told.accepted, IsEmpty());
}

TEST(ConvergenceSeries, MarksDuelsThatWereWon) {
  tests::ToldStudy study;
  const Convergence told = convergence_of(study.history());
  EXPECT_THAT(told.ended, SizeIs(3));  // of the explored ones; one is in flight
  ASSERT_THAT(told.accepted, SizeIs(1));
  EXPECT_EQ(told.accepted[0].after, 3U);
  EXPECT_DOUBLE_EQ(told.accepted[0].score, 0.5);
  study.history().verdicts[0].verdict.acceptance = search::Reject{"no"};
  EXPECT_THAT(convergence_of(study.history()).accepted, IsEmpty());
}

TEST(DeviceFacts, TellReferencesFromVisits) {
  tests::ToldStudy study;
  scheduler::History& history = study.history();
  history.trials[4].proposed.arm = scheduler::Arm::kBaseline;
  const DeviceFacts facts = devices_of(history).at("node/cpu:1");
  EXPECT_EQ(facts.trials, 5U);
  EXPECT_DOUBLE_EQ(facts.busy, 5 * 0.75);
  EXPECT_THAT(facts.references(), ElementsAre(10));
  EXPECT_THAT(facts.baselines, SizeIs(2));
  EXPECT_FALSE(facts.drift());
  history.trials[4].proposed.job = search::JobKind::kRebaseline;
  EXPECT_NEAR(devices_of(history).at("node/cpu:1").drift().value(), -0.5, 1e-12);
}

TEST(Failures, AreCountedByKindWithTheFirst) {
  const tests::ToldStudy study;
  const auto kinds = failures_of(study.history());
  ASSERT_THAT(kinds, SizeIs(1));
  EXPECT_EQ(kinds.at("crashed").count, 1U);
  EXPECT_EQ(kinds.at("crashed").example->proposed.id.value, 3U);
}

}  // namespace
}  // namespace nightshift::tools
