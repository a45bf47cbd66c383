#include "tools/explain/study_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tools/document/document_writers.h"
#include "tools/explain/model_blocks.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A study of A, B and C, each from 0 to 5, whose configurations are tried in the order of the space,
// one in `each`; what becomes of them is the test's.
class StudyModelTest : public ::testing::Test {
 protected:
  StudyModelTest() {
    problem_.backend = search::CommandBackend{};
    for (const char* name : {"A", "B", "C"}) {
      search::Parameter p;
      p.name = name;
      for (std::int64_t v = 0; v < 6; ++v) p.values.emplace_back(v);
      problem_.parameters.push_back(std::move(p));
    }
  }

  using Score = std::function<std::optional<double>(std::int64_t, std::int64_t, std::int64_t)>;

  void explore(int each, const Score& score) {
    int number = 0;
    for (std::int64_t a = 0; a < 6; ++a) {
      for (std::int64_t b = 0; b < 6; ++b) {
        for (std::int64_t c = 0; c < 6; ++c) {
          if (number++ % each == 0) add(a, b, c, score(a, b, c));
        }
      }
    }
  }

  scheduler::TrialRecord& add(std::int64_t a, std::int64_t b, std::int64_t c,
                              std::optional<double> score) {
    scheduler::TrialRecord& trial = history_.trials.emplace_back();
    trial.proposed.id = search::TrialId{history_.trials.size()};
    trial.proposed.configuration = search::Configuration(
        {{"A", search::Value(a)}, {"B", search::Value(b)}, {"C", search::Value(c)}});
    trial.finished.emplace();
    trial.finished->id = trial.proposed.id;
    if (score) {
      trial.finished->value = *score * 10;
      trial.finished->normalised = search::Score{*score, 0};
      trial.finished->report.outcome = search::Measured{{{{"time", {*score * 10}}}, {}}};
    } else {
      trial.finished->report.outcome = search::BuildFailed{"no"};
    }
    return trial;
  }

  StudyModel told() const { return study_model(history_, problem_); }
  StudyModel advised(std::vector<search::Expression> constraints = {}) const {
    const search::ParameterSpace space(problem_.parameters, std::move(constraints));
    return study_model(history_, problem_, &space);
  }
  static std::int64_t value(const StudyModel::Advice& advice, const char* name) {
    return std::get<std::int64_t>(*advice.configuration.find(name));
  }

  search::Problem problem_;
  scheduler::History history_;
};

double falling(std::int64_t a, std::int64_t b, std::int64_t) {
  return 2 - 0.2 * static_cast<double>(b) - 0.05 * static_cast<double>(a);
}

TEST_F(StudyModelTest, OrdersParametersByWhatTheyExplain) {
  explore(2, falling);
  const StudyModel model = told();
  EXPECT_THAT(model.doubt, IsEmpty());
  ASSERT_EQ(model.parts.size(), 3U);
  EXPECT_EQ(model.parts[0].parameter, "B");
  EXPECT_GT(model.parts[0].share, 0.7);
  EXPECT_EQ(model.parts[1].parameter, "A");
  EXPECT_GT(model.quality.explained, 0.8);
  EXPECT_EQ(model.parts[0].values.front().label, "0");
  EXPECT_GT(model.parts[0].values.front().score, model.parts[0].values.back().score);
  double all = model.rest;
  for (const StudyModel::Part& part : model.parts) all += part.share;
  for (const StudyModel::Pair& pair : model.pairs) all += pair.share;
  EXPECT_NEAR(all, 1, 1e-6);
}

TEST_F(StudyModelTest, SaysWhenThereIsTooLittle) {
  explore(20, falling);
  const StudyModel model = advised();
  EXPECT_THAT(model.doubt, HasSubstr("too little data: 11 configurations"));
  EXPECT_FALSE(model.has_shares);
  EXPECT_FALSE(model.advice);
  EXPECT_THAT(to_text(model_blocks(model), 0), HasSubstr("too little data"));
}

TEST_F(StudyModelTest, SaysWhenItIsPoorAndAdvisesNothing) {
  explore(3, [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return 1 + 0.1 * static_cast<double>((a * 7919 + b * 104729 + c * 1299709) * 2654435761 % 97);
  });
  const StudyModel model = advised();
  EXPECT_TRUE(model.has_shares);
  EXPECT_THAT(model.doubt, HasSubstr("The model is poor"));
  EXPECT_FALSE(model.advice);
}

TEST_F(StudyModelTest, SaysWhenNothingMatters) {
  explore(3, [](auto...) { return 1.0; });
  EXPECT_THAT(told().doubt, HasSubstr("score alike"));
  EXPECT_FALSE(told().has_shares);
}

TEST_F(StudyModelTest, SaysWhenTheParametersAreNotKnown) {
  explore(3, falling);
  problem_.parameters.clear();
  EXPECT_THAT(told().doubt, HasSubstr("not known"));
}

TEST_F(StudyModelTest, LeavesFailuresOut) {
  explore(2, [](std::int64_t a, std::int64_t b, std::int64_t c) -> std::optional<double> {
    if (c == 2) return std::nullopt;
    return falling(a, b, c);
  });
  const StudyModel model = told();
  EXPECT_EQ(model.scored + model.failed, 108U);
  EXPECT_EQ(model.failed, 36U);
  EXPECT_LT(model.parts[2].share, 0.05) << "that C fails at 2 is no score";
  EXPECT_EQ(model.parts[2].parameter, "C");
}

TEST_F(StudyModelTest, AdvisesWhatWasNotTried) {
  explore(2, falling);
  const StudyModel model = advised();
  ASSERT_TRUE(model.advice);
  for (const scheduler::TrialRecord& trial : history_.trials) {
    EXPECT_FALSE(trial.proposed.configuration == model.advice->configuration);
  }
  EXPECT_EQ(value(*model.advice, "B"), 5);
  EXPECT_LT(model.advice->score, 1.2);
}

TEST_F(StudyModelTest, NeverAdvisesWhatIsLikelyToFail) {
  explore(2, [](std::int64_t a, std::int64_t b, std::int64_t c) -> std::optional<double> {
    if (b >= 4) return std::nullopt;
    return falling(a, b, c);
  });
  const StudyModel model = advised();
  ASSERT_TRUE(model.advice);
  EXPECT_LT(value(*model.advice, "B"), 4);
  EXPECT_GE(model.advice->works, 0.8);
}

TEST_F(StudyModelTest, NeverAdvisesWhatBreaksAConstraint) {
  explore(2, falling);
  const StudyModel model = advised({search::Expression::parse("A + B <= 4")});
  ASSERT_TRUE(model.advice);
  EXPECT_LE(value(*model.advice, "A") + value(*model.advice, "B"), 4);
}

TEST_F(StudyModelTest, NeverAdvisesWhatIsExpectedBeyondALimit) {
  search::Objective error;
  error.name = "error";
  error.unit = "";
  error.at_most = 2.5;
  problem_.objectives.push_back(error);
  explore(2, falling);
  for (scheduler::TrialRecord& trial : history_.trials) {
    const auto b = std::get<std::int64_t>(*trial.proposed.configuration.find("B"));
    auto& measured = std::get<search::Measured>(trial.finished->report.outcome);
    measured.measurement.figures.push_back({"error", {static_cast<double>(b)}});
    if (b <= 2) continue;
    trial.finished->normalised.reset();
    trial.finished->beyond_limits = "exceeds limit on error";
  }
  const StudyModel model = advised();
  EXPECT_EQ(model.scored, 54U);
  ASSERT_TRUE(model.advice);
  EXPECT_LE(value(*model.advice, "B"), 2);
}

TEST_F(StudyModelTest, TakesWhatFailedWhenItWasConfirmedForAFailure) {
  explore(2, falling);
  const std::size_t before = told().scored;
  scheduler::TrialRecord& confirm = add(0, 0, 0, std::nullopt);
  confirm.proposed.job = search::JobKind::kConfirm;
  confirm.proposed.arm = scheduler::Arm::kCandidate;
  confirm.proposed.candidate = search::TrialId{5};
  EXPECT_EQ(told().scored, before - 1);
  EXPECT_EQ(told().failed, 1U);
}

TEST_F(StudyModelTest, IsOfNoTrialThatIsNotOver) {
  explore(2, falling);
  history_.trials.back().finished.reset();
  scheduler::TrialRecord& lost = history_.trials.front();
  lost.finished->normalised.reset();
  lost.finished->report.outcome = search::DeviceLost{};
  EXPECT_EQ(told().scored, 106U);
  EXPECT_EQ(told().failed, 0U) << "the device is to blame";
}

TEST_F(StudyModelTest, KnowsTheBaselineForMeasured) {
  explore(2, falling);
  history_.trials.pop_back();  // A=5 B=5 C=4
  problem_.baseline = search::Configuration({{"A", search::Value(std::int64_t{5})},
                                             {"B", search::Value(std::int64_t{5})},
                                             {"C", search::Value(std::int64_t{5})}});
  const std::size_t before = told().scored;
  for (const double score : {0.75, 0.8}) {
    scheduler::TrialRecord& baseline = add(0, 0, 0, score);
    baseline.proposed.job = search::JobKind::kBaseline;
    baseline.proposed.configuration = {};
  }
  const StudyModel model = advised({search::Expression::parse("A == 5 and B == 5 and C >= 4")});
  EXPECT_EQ(model.scored, before + 1) << "once, not for each device";
  EXPECT_EQ(model.failed, 0U);
  EXPECT_DOUBLE_EQ(model.best, 0.75);
  ASSERT_TRUE(model.advice);
  EXPECT_EQ(value(*model.advice, "C"), 4) << "the other one that is left is the baseline";
}

TEST_F(StudyModelTest, CountsABaselineThatWasExploredTooOnce) {
  explore(2, falling);
  problem_.baseline = history_.trials.front().proposed.configuration;
  const std::size_t before = told().scored;
  scheduler::TrialRecord& baseline = add(0, 0, 0, 1);
  baseline.proposed.job = search::JobKind::kBaseline;
  baseline.proposed.configuration = {};
  EXPECT_EQ(told().scored, before);
}

TEST_F(StudyModelTest, TakesABaselineThatIsAnotherProgramForNoConfiguration) {
  explore(2, falling);
  const std::size_t before = told().scored;
  search::CommandBackend command;
  command.baseline_argv = {"other"};
  problem_.backend = command;
  scheduler::TrialRecord& baseline = add(0, 0, 0, 1);
  baseline.proposed.job = search::JobKind::kBaseline;
  baseline.proposed.configuration = {};
  EXPECT_EQ(told().scored, before);
}

TEST_F(StudyModelTest, SaysThatItTookASample) {
  for (int round = 0; round < 12; ++round) explore(2, falling);
  const StudyModel model = told();
  EXPECT_EQ(model.scored, 1296U);
  EXPECT_EQ(model.fitted, search::SpaceModel::kMostPoints);
  EXPECT_THAT(to_text(model_blocks(model), 0), HasSubstr("a sample of 1,000 of 1,296"));
}

}  // namespace
}  // namespace nightshift::tools
