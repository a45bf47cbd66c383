#include "tools/serve/service_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "problems/judged_source.h"
#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

// A study of a candidate whose exploration ended so.
scheduler::History history_of(search::TrialOutcome outcome) {
  scheduler::History history;
  history.status = "completed";
  scheduler::TrialRecord trial;
  trial.proposed.id = search::TrialId{2};
  trial.proposed.job = search::JobKind::kExplore;
  trial.proposed.configuration =
      search::Configuration({{problems::kCandidateParameter, std::int64_t{7}}});
  scheduler::FinishedTrial finished;
  finished.id = search::TrialId{2};
  finished.report.outcome = std::move(outcome);
  trial.finished = std::move(finished);
  history.trials = {std::move(trial)};
  history.run_seconds = 1.5;
  return history;
}

Proposal seventh(Stage stage = Stage::kHoldOut) {
  Proposal proposal;
  proposal.number = 7;
  proposal.id = "mine";
  proposal.client = "c";
  proposal.problem = "sgemm";
  proposal.stage = stage;
  return proposal;
}

nlohmann::ordered_json answer(search::TrialOutcome outcome, Stage stage = Stage::kHoldOut) {
  return answer_of(seventh(stage), history_of(std::move(outcome)), tests::told_problem());
}

// Doubles hold none of these beyond 2^53.
TEST(ServiceAnswer, WholeNumbersOfAWrongResultHaveAllOfTheirDigits) {
  const auto told = [](const std::string& message, double got, double expected) {
    search::WrongResult wrong;
    wrong.output = "y";
    wrong.got = got;
    wrong.expected = expected;
    wrong.message = message;
    const auto failure = answer(wrong)["failure"];
    return failure["got"].dump() + " " + failure["expected"].dump();
  };
  EXPECT_EQ(told("9007199254740993 where 9007199254740995 was expected, off by 2", 0x1p53,
                 9007199254740996.0),
            "9007199254740993 9007199254740995");
  EXPECT_EQ(told("sums; y[0] is -9223372036854775807 where 18446744073709551615 was expected",
                 -0x1p63, 0x1p64),
            "-9223372036854775807 18446744073709551615");
  EXPECT_EQ(told("no number where 4 was expected; 7 where 5 was expected", 2, 3), "2.0 3.0")
      << "numbers of something else";
  EXPECT_EQ(told(" where ", 2, 3), "2.0 3.0");
}

TEST(ServiceAnswer, ARefusalHasItsKindAndDetails) {
  search::WrongResult wrong;
  wrong.output = "y";
  wrong.element = 12;
  wrong.got = 2;
  wrong.expected = std::numeric_limits<double>::infinity();
  const auto said = answer(wrong);
  EXPECT_EQ(said["id"], "mine");
  EXPECT_EQ(said["client"], "c");
  EXPECT_EQ(said["verdict"], "refused");
  EXPECT_EQ(said["status"], "wrong_result");
  EXPECT_EQ(said["failure"]["output"], "y");
  EXPECT_EQ(said["failure"]["element"], 12);
  EXPECT_EQ(said["failure"]["got"], 2);
  EXPECT_TRUE(said["failure"]["expected"].is_null());
  EXPECT_EQ(said["seconds"], 1.5);
  EXPECT_TRUE(is_refused(seventh(), history_of(wrong)));
}

TEST(ServiceAnswer, ACompilersWordsAreBounded) {
  const auto said = answer(search::BuildFailed{std::string(100'000, 'e') + "the end"});
  const std::string words = said["failure"]["messages"];
  EXPECT_LT(words.size(), 20'000U);
  EXPECT_THAT(words, HasSubstr("the end"));
  EXPECT_THAT(words, HasSubstr("[...]"));
}

TEST(ServiceAnswer, ALimitIsNamedWithItsPhase) {
  const auto said = answer(search::TimedOut{search::Phase::kMeasure, 2.5, false, "slept"});
  EXPECT_EQ(said["failure"]["limit_seconds"], 2.5);
  EXPECT_EQ(said["failure"]["phase"], search::name_of(search::Phase::kMeasure));
}

TEST(ServiceAnswer, EqualMachineCodeIsNeitherBetterNorRefused) {
  const auto said = answer(search::Skipped{search::TrialId{1}});
  EXPECT_EQ(said["verdict"], "same_code");
  EXPECT_FALSE(is_refused(seventh(), history_of(search::Skipped{search::TrialId{1}})));
}

TEST(ServiceAnswer, ACheckThatHoldsIsRight) {
  const auto said = answer(tests::told_measurement({5, 5}), Stage::kCheck);
  EXPECT_EQ(said["verdict"], "right");
  EXPECT_FALSE(said.contains("ratio"));
}

TEST(ServiceAnswer, AScreenSaysTheRatioOfItsOneEvaluation) {
  scheduler::History history = history_of(tests::told_measurement({5, 5}));
  history.trials[0].finished->normalised = search::Score{0.5, 0.01};
  const auto said = answer_of(seventh(Stage::kScreen), history, tests::told_problem());
  EXPECT_EQ(said["verdict"], "right");
  EXPECT_EQ(said["ratio"], 0.5);
  EXPECT_FALSE(answer_of(seventh(Stage::kCheck), history, tests::told_problem()).contains("ratio"));
}

TEST(ServiceAnswer, WhatWasNeverExploredIsUndecided) {
  scheduler::History history;
  history.status_reason = "stopped by a signal";
  const auto said = answer_of(seventh(), history, tests::told_problem());
  EXPECT_EQ(said["verdict"], "undecided");
  EXPECT_EQ(said["reason"], "stopped by a signal");
  EXPECT_EQ(answer_without(seventh(), "late", "no time")["status"], "not_measured");
}

TEST(ServiceAnswer, ASettlementDisprovesWhatWasKeptOnlyByAVerdict) {
  for (const char* verdict : {"not_faster", "same_code", "refused"}) {
    EXPECT_TRUE(disproves({{"verdict", verdict}})) << verdict;
  }
  for (const char* verdict : {"faster", "undecided", "cancelled", "late", "error"}) {
    EXPECT_FALSE(disproves({{"verdict", verdict}})) << verdict;
  }
}

}  // namespace
}  // namespace nightshift::tools
