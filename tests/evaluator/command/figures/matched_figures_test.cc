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

TEST(MatchedFigures, AWordBehindThemKeepsItsScale) {
  EXPECT_THAT(matched("v: ([0-9.]+)", "v: 900 tokens\nv: 1 token in all\nv: 7"),
              ElementsAre(900, 1, 7));
  EXPECT_THAT(complaint("v: ([0-9.]+)", "v: 900 tokens\nv: 1.2 Ktokens"),
              AllOf(HasSubstr("is of 'Ktokens'"), HasSubstr("an earlier one of 'tokens'")));
  FigureUnit unit(search::Objective{"gain", "", search::Direction::kMinimise});
  (void)matched_figures(base::BoundedRegex("v: ([0-9.]+)"), "v", unit, "gain", "v: 1.2 Mpixels");
  EXPECT_EQ(unit.counted(), "Mpixels");
}

TEST(MatchedFigures, AListHasTheUnitOfItsLast) {
  for (const char* text : {"r: 5, 7, 9 us", "r: 5, 7 us", "r: 5; 7; 9 us", "r: 5 , 7 , 9 us"}) {
    EXPECT_THAT(matched("r: *([0-9.]+)", text), ElementsAre(0.005)) << text;
  }
  EXPECT_THAT(matched("r: *([0-9.]+)", "r: 5, 7, 9"), ElementsAre(5));
  EXPECT_THAT(matched("r: *([0-9.]+)", "r: 5, 7, x us"), ElementsAre(5));
  EXPECT_THAT(matched("r: *([0-9.]+)", "r: 5 us, 7 ms"), ElementsAre(0.005));
}

TEST(MatchedFigures, AUnitFurtherOnInTheLineIsNotPassedOver) {
  const auto read = [](const std::string& expression, const std::string& unit_word) {
    FigureUnit unit(search::Objective{"time", unit_word, search::Direction::kMinimise});
    try {
      return std::to_string(matched_figures(base::BoundedRegex(expression), expression, unit,
                                            "time", "BM_x/8,100,900.5,899,us")
                                .front());
    } catch (const FigureError& e) {
      return std::string(e.what());
    }
  };
  const std::string expression = "BM_x/8,[0-9]+,([0-9.]+)";
  EXPECT_THAT(read(expression, "ms"),
              AllOf(HasSubstr("would be taken to be in 'ms', and 'us' stands further on"),
                    HasSubstr("give the objective that unit")));
  EXPECT_THAT(read(expression, "us"), HasSubstr("900.5"));
  EXPECT_THAT(read(expression + ".*", "ms"), HasSubstr("900.5")) << "asked for";
  EXPECT_THAT(read(expression, ""), HasSubstr("900.5")) << "no unit is assumed";
}

TEST(MatchedFigures, OfManyOperationsIsDivided) {
  EXPECT_THAT(matched("t ([0-9.]+)", "t 5 ms/100 iterations\nt 5 ms/10 iterations"),
              ElementsAre(0.05, 0.5));
  EXPECT_THAT(matched("t ([0-9.]+)", "t 5 ms per 1,000 calls"), ElementsAre(0.005));
  EXPECT_THAT(complaint("t ([0-9.]+)", "t 5 ms/100 iterations\nt 5 ms"),
              HasSubstr("of all operations by its unit, and an earlier one of one operation"));
}

TEST(MatchedFigures, WordsForPowersOfTenAreNoUnits) {
  EXPECT_THAT(complaint("t ([0-9.]+)", "t 900 thousand"), HasSubstr("is in 'thousand'"));
  EXPECT_THAT(complaint("t ([0-9.]+)", "t 1.2 million"), HasSubstr("is in 'million'"));
  EXPECT_THAT(complaint("t ([0-9.]+)", "t 5 cal"), HasSubstr("is in 'cal'"));
  EXPECT_THAT(complaint("t ([0-9.]+)", "t 5 \u2030"), HasSubstr("no unit that we know"));
}

TEST(MatchedFigures, ALabelThatSaysAnotherUnitIsAnError) {
  for (const char* text :
       {"time_us=5 unit=ms", "time=5us unit=ms", "time[ms] = 5 us", "time_us: 5 ms"}) {
    EXPECT_THAT(complaint("time.*?([0-9.]+)", text), HasSubstr("that has the units")) << text;
  }
  EXPECT_THAT(matched("time.*?([0-9.]+)", "\"time (us)\",5"), ElementsAre(0.005));
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
  EXPECT_THAT(matched(":([0-9.]+)", "00:34.5"), ElementsAre(34.5));
}

TEST(MatchedFigures, ALineIsReadAsFarAsItsWorkIsBounded) {
  const std::string blanks(kRegexLineBytes - 100, ' ');
  EXPECT_THAT(matched("t=([0-9]+)", blanks + "t=123 " + blanks), ElementsAre(123));
  const std::string cut(kRegexLineBytes - 4, ' ');
  EXPECT_THAT(complaint("t=([0-9]+)", cut + "t=123456"), HasSubstr("print shorter lines"));
  EXPECT_THAT(complaint("t=((?:a*)*)b", "t=" + std::string(4000, 'a')),
              AllOf(HasSubstr("the expression 't=((?:a*)*)b'"), HasSubstr("takes too long")));
}

TEST(MatchedFigures, AHexadecimalNumberIsRefused) {
  for (const char* text : {"gain 0x1p3 ms", "gain 0x1p3", "gain 0x1.8p-3", "gain 0X1F"}) {
    for (const char* expression : {"gain ([0-9]+)", "gain (.*)", "gain (-?[0-9a-fxXp.-]+)"})
      EXPECT_THAT(complaint(expression, text), HasSubstr("hexadecimal")) << text << expression;
  }
  EXPECT_THAT(matched("gain ([0-9.]+)", "at 0x7ffe0: gain 5"), ElementsAre(5));
  EXPECT_THAT(complaint("gain (.*)", "gain -0x1p3"), HasSubstr("hexadecimal"));
}

}  // namespace
}  // namespace nightshift::evaluator
