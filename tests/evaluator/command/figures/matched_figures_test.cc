#include "evaluator/command/figures/matched_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> matched(const std::string& expression, std::string_view output) {
  FigureUnit unit(search::Objective{"gain", "", search::Direction::kMinimise});
  return matched_figures(base::BoundedRegex(expression), expression, unit, "gain", output);
}

std::string complaint(const std::string& expression, std::string_view output) {
  try {
    matched(expression, output);
  } catch (const FigureError& e) {
    return e.what();
  }
  return "read";
}

TEST(MatchedFigures, AMinusIsNotLeftOut) {
  EXPECT_THAT(complaint("gain: .*?([0-9.]+)", "gain: -50.x dB"),
              AllOf(HasSubstr("'50.' of '-50.', without its minus"), HasSubstr("(-?[0-9.]+)")));
  for (const char* text :
       {"-50", "x=-0.25 y", "loss -5", "(-5)", "a,-5", "\t-5", "\u22125", "-.5", "|-5|"}) {
    EXPECT_THAT(complaint("([0-9.]+)", text), HasSubstr("without its minus")) << text;
  }
  EXPECT_THAT(matched("(-?[0-9.]+)", "gain: -50"), ElementsAre(-50));
  EXPECT_THAT(complaint("gain: -?([0-9.]+)", "gain: -50"), HasSubstr("minus"));
}

TEST(MatchedFigures, AMinusBetweenTwoThingsIsNone) {
  EXPECT_THAT(matched("run-([0-9]+)", "run-5"), ElementsAre(5));
  EXPECT_THAT(matched("[a-z]+.([0-9]+)", "run-5"), ElementsAre(5));
  EXPECT_THAT(matched("([0-9]+)", "2024-01"), ElementsAre(2024, 1));
  EXPECT_THAT(matched("- .*?([0-9]+)", "gain - 5"), ElementsAre(5));
  EXPECT_THAT(matched("([0-9]+)", "--5 5+-1"), ElementsAre(5, 5, 1));
}

TEST(MatchedFigures, WhatTheExpressionHasItselfWasAskedFor) {
  EXPECT_THAT(matched("gain: -([0-9]+)", "gain: -50"), ElementsAre(50));
  EXPECT_THAT(matched("[(]x[)] gain(?: dB)?: -([0-9]+)", "(x) gain: -50"), ElementsAre(50));
  EXPECT_THAT(matched("v[0-9]+\\.([0-9]+)", "v12.5"), ElementsAre(5));
  EXPECT_THAT(matched("1([0-9]+)", "x 15"), ElementsAre(5));
}

TEST(MatchedFigures, NorAreTheFirstDigits) {
  EXPECT_THAT(complaint("time: .*([0-9.]+)", "time: 12.5"),
              AllOf(HasSubstr("'5' of '12.5'"), HasSubstr("has begun before")));
  EXPECT_THAT(complaint("([0-9]+)$", "time: 1.2e-5"), HasSubstr("'5' of '1.2e-5'"));
  EXPECT_THAT(complaint("\\S([0-9]+)$", "time: .5"), HasSubstr("'5' of '.5'"));
  EXPECT_THAT(complaint(".*([0-9]+)", "gain -125"), HasSubstr("'5' of '-125'"));
  EXPECT_THAT(matched("_([0-9]+)", "x86_64"), ElementsAre(64));
  EXPECT_THAT(matched("[a-z]+([0-9]+)", "sm90"), ElementsAre(90));
  EXPECT_THAT(matched(":([0-9.]+)", "12:34.5"), ElementsAre(34.5));
}

TEST(MatchedFigures, ALineIsReadAsFarAsItsWorkIsBounded) {
  const std::string blanks(kRegexLineBytes - 100, ' ');
  EXPECT_THAT(matched("t=([0-9]+)", blanks + "t=123 " + blanks), ElementsAre(123));
  const std::string cut(kRegexLineBytes - 4, ' ');
  EXPECT_THAT(complaint("t=([0-9]+)", cut + "t=123456"), HasSubstr("print shorter lines"));
  EXPECT_THAT(complaint("t=((?:a*)*)b", "t=" + std::string(4000, 'a')),
              AllOf(HasSubstr("the expression 't=((?:a*)*)b'"), HasSubstr("takes too long")));
}

}  // namespace
}  // namespace nightshift::evaluator
