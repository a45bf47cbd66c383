#include "scheduler/trials/baselines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nightshift::scheduler {
namespace {

search::Problem problem_with(search::Normalisation normalisation, double given = 0) {
  search::Problem problem;
  problem.scheduling.normalisation = normalisation;
  problem.scheduling.given_baseline = given;
  return problem;
}

// The score of an evaluation that took `value` on the device at that time; 0 where there is none.
double score(const Baselines& baselines, const std::string& device, double value, double at) {
  const auto score = baselines.score(device, {{value, 0}}, at);
  return score ? score->value : 0;
}

TEST(Baselines, ScoresAreInterpolatedInTimeBetweenBaselines) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  baselines.record("a", {{1.0, 0}}, 100);
  EXPECT_EQ(score(baselines, "a", 1.1, 105), 1.1) << "before the next one, relative to the last";
  baselines.record("a", {{1.2, 0}}, 110);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.1, 105), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.05, 102.5), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.2, 110), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.2, 1000), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.0, 50), 1) << "before the first, relative to the first";
}

TEST(Baselines, EachObjectiveHasTheScatterOfItsOwnFigure) {
  search::Problem problem = problem_with(search::Normalisation::kMatrix);
  problem.objectives = {{"time", "ms"}, {"size", "B"}};
  Baselines baselines(problem);
  const auto record = [&](double time, double at) {
    baselines.record("a", {{time, 0}, {5, 0}}, at);
  };
  record(1, 0);
  record(1.1, 10);
  EXPECT_EQ(baselines.objective_errors(), std::vector<double>({0, 0})) << "of two nothing is known";
  EXPECT_EQ(baselines.objectives("a", {{1, 0}, {5, 0}}, 0)[0].standard_error, 0);
  record(1, 20);
  const double error = std::log(1.1) / std::sqrt(2.0);
  EXPECT_NEAR(baselines.objective_errors()[0], error, 1e-12);
  EXPECT_EQ(baselines.objective_errors()[1], 0) << "a size never varies";
  // One sample, whose own error is 0.
  const auto scores = baselines.objectives("a", {{0.5, 0}, {10, 0}}, 20);
  EXPECT_NEAR(scores[0].standard_error, 0.5 * kBothEvaluations * error, 1e-12);
  EXPECT_EQ(scores[1].standard_error, 0);
}

TEST(Baselines, TheErrorOfTwoIsThatOfTheirWeightedMean) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  baselines.record("a", {{1, 0.03}}, 0);
  baselines.record("a", {{1, 0.04}}, 10);
  EXPECT_NEAR(baselines.score("a", {{1, 0}}, 5)->standard_error, 0.025, 1e-12);
  EXPECT_NEAR(baselines.score("a", {{1, 0}}, 0)->standard_error, 0.03, 1e-12);
}

TEST(Baselines, DevicesAreNeverMixed) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  baselines.record("a", {{1, 0}}, 0);
  EXPECT_FALSE(baselines.has("b"));
  EXPECT_EQ(score(baselines, "b", 3, 1), 0);
  baselines.record("b", {{3, 0}}, 1);
  EXPECT_DOUBLE_EQ(score(baselines, "b", 3, 2), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1, 2), 1);
  EXPECT_EQ(baselines.value("b"), 3);
}

TEST(Baselines, AnEntryExpires) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  baselines.record("a", {{1, 0}}, 0);
  baselines.record("b", {{2, 0}}, 0);
  baselines.expire("a");
  EXPECT_FALSE(baselines.has("a"));
  EXPECT_FALSE(baselines.value("a"));
  EXPECT_FALSE(baselines.score("a", {{1, 0}}, 1));
  EXPECT_TRUE(baselines.objectives("a", {{1, 0}}, 1).empty());
  EXPECT_FALSE(baselines.cost("a", {{1, 0}}));
  EXPECT_TRUE(baselines.has("b"));
  baselines.record("a", {{5, 0}}, 2);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 5, 1), 1) << "nothing of the old one is left";
}

TEST(Baselines, GivenIsTheFigureOfTheUser) {
  Baselines baselines(problem_with(search::Normalisation::kGiven, 4));
  baselines.record("a", {{1, 0.5}}, 0);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1, 1), 0.25);
  EXPECT_EQ(baselines.score("a", {{1, 0}}, 1)->standard_error, 0) << "it has no error";
  EXPECT_EQ(score(baselines, "b", 1, 1), 0) << "a device proves itself all the same";
}

TEST(Baselines, NoneIsTheFirstOfTheStudyWhateverTheDevice) {
  Baselines baselines(problem_with(search::Normalisation::kNone));
  baselines.record("a", {{2, 0}}, 0);
  baselines.record("b", {{3, 0}}, 1);
  baselines.record("a", {{9, 0}}, 2);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1, 3), 0.5);
  EXPECT_DOUBLE_EQ(score(baselines, "b", 3, 3), 1.5);
}

TEST(Baselines, ADisturbedOneIsPassedOver) {
  const auto with_third = [](double third) {
    Baselines baselines(problem_with(search::Normalisation::kMatrix));
    for (const auto& [value, at] : {std::pair(1.0, 0), {1.0, 10}, {third, 20}, {1.0, 30}}) {
      baselines.record("a", {{value, 0}}, at);
    }
    return score(baselines, "a", 1, 20);
  };
  EXPECT_DOUBLE_EQ(with_third(1.3), 1) << "far from both neighbours, which agree";
  EXPECT_DOUBLE_EQ(with_third(0.7), 1);
  EXPECT_DOUBLE_EQ(with_third(1.04), 1 / 1.04) << "within a twentieth it is noise";
}

TEST(Baselines, ALevelThatStaysIsNoDisturbance) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  for (const auto& [value, at] : {std::pair(1.0, 0), {1.0, 10}, {1.3, 20}, {1.3, 30}}) {
    baselines.record("a", {{value, 0}}, at);
  }
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.3, 20), 1);
  EXPECT_DOUBLE_EQ(score(baselines, "a", 1.15, 15), 1);
}

TEST(Baselines, TheFirstAndTheLastCanBeDisturbedToo) {
  Baselines first(problem_with(search::Normalisation::kMatrix));
  for (const auto& [value, at] : {std::pair(1.3, 0), {1.0, 10}, {1.0, 20}}) {
    first.record("a", {{value, 0}}, at);
  }
  EXPECT_DOUBLE_EQ(score(first, "a", 1, 0), 1);
  Baselines last(problem_with(search::Normalisation::kMatrix));
  for (const auto& [value, at] : {std::pair(1.0, 0), {1.0, 10}, {1.3, 20}}) {
    last.record("a", {{value, 0}}, at);
  }
  EXPECT_DOUBLE_EQ(score(last, "a", 1, 20), 1);
}

TEST(Baselines, TheScatterBetweenVisitsIsThatOfTheSteps) {
  Baselines baselines(problem_with(search::Normalisation::kMatrix));
  baselines.record("a", {{1, 0}}, 0);
  baselines.record("a", {{std::exp(0.02), 0}}, 1);
  EXPECT_EQ(baselines.evaluation_error(), 0) << "one step says nothing";
  baselines.record("a", {{1, 0}}, 2);
  EXPECT_NEAR(baselines.evaluation_error(), 0.02 / std::sqrt(2.0), 1e-12);
  baselines.record("b", {{7, 0}}, 3);
  EXPECT_NEAR(baselines.evaluation_error(), 0.02 / std::sqrt(2.0), 1e-12)
      << "between devices there is no step";
}

}  // namespace
}  // namespace nightshift::scheduler
