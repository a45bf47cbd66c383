#include "scheduler/trials/report_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;

search::TrialOutcome figure(const std::string& unit) {
  search::Measured measured;
  measured.measurement.figures = {{"time", {900.0}}};
  if (!unit.empty()) measured.measurement.conditions = {{"unit of time", unit}};
  return measured;
}

std::string flaw_of(ToldUnits& units, search::TrialOutcome outcome) {
  units.check(outcome, {search::Objective{}});
  const auto* failed = std::get_if<search::LaunchFailed>(&outcome);
  return failed == nullptr ? "" : failed->message;
}

TEST(ToldUnits, TheSameInAllEvaluationsAreFine) {
  for (const char* unit : {"", "ms"}) {
    ToldUnits units;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(flaw_of(units, figure(unit)), "") << unit;
  }
}

// "900" (of us) was taken for ms beside "1.2 ms", and 750 times as good.
TEST(ToldUnits, OneThatComesNowAndThenIsAFailureOfWhatDiffersFromTheFirst) {
  ToldUnits with;
  EXPECT_EQ(flaw_of(with, figure("ms")), "");
  EXPECT_THAT(flaw_of(with, figure("")), HasSubstr("'time' came without a unit, and in 'ms' from"));
  EXPECT_EQ(flaw_of(with, figure("ms")), "");
  ToldUnits without;
  EXPECT_EQ(flaw_of(without, figure("")), "");
  EXPECT_THAT(flaw_of(without, figure("ms")), HasSubstr("came in 'ms', and without a unit from"));
}

// "900 tokens" beside "1.2 Ktokens".
TEST(ToldUnits, WordsThatDifferByAPrefixAreAFailureOfTheLaterOne) {
  const auto of = [](const std::string& word) {
    search::Measured measured;
    measured.measurement.figures = {{"time", {900.0}}};
    if (!word.empty()) measured.measurement.conditions = {{"word behind time", word}};
    return search::TrialOutcome(measured);
  };
  ToldUnits units;
  for (const char* word : {"", "tokens", "", "items", "token"}) {
    EXPECT_EQ(flaw_of(units, of(word)), "") << word;
  }
  EXPECT_THAT(flaw_of(units, of("Ktokens")), HasSubstr("'time' is of 'Ktokens', and of 'tokens' "));
  EXPECT_EQ(flaw_of(units, of("tokens")), "");
}

// "accuracy 0.95" beside "accuracy 94 %".
TEST(ToldUnits, AShareBesideANumberAloneIsAFailureOfTheLaterOne) {
  const auto of = [](const std::string& sign) {
    search::Measured measured;
    measured.measurement.figures = {{"time", {0.95}}};
    if (!sign.empty()) measured.measurement.conditions = {{"word behind time", sign}};
    return search::TrialOutcome(measured);
  };
  ToldUnits alone, shares;
  EXPECT_EQ(flaw_of(alone, of("")), "");
  EXPECT_THAT(flaw_of(alone, of("%")), HasSubstr("'time' is of '%', and a number alone from"));
  EXPECT_EQ(flaw_of(alone, of("")), "");
  EXPECT_EQ(flaw_of(shares, of("%")), "");
  EXPECT_THAT(flaw_of(shares, of("")), HasSubstr("is a number alone, and of '%' from"));
  EXPECT_EQ(flaw_of(shares, of("%")), "");
}

TEST(ToldUnits, FailuresSayNothing) {
  ToldUnits units;
  EXPECT_EQ(flaw_of(units, search::LaunchFailed{"no"}), "no");
  EXPECT_EQ(flaw_of(units, figure("ms")), "");
}

}  // namespace
}  // namespace nightshift::scheduler
