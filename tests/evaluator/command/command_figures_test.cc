#include "evaluator/command/command_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace nightshift::evaluator {
namespace {

using search::FigureRule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const search::Objective kTime{"time", "ms", search::Direction::kMinimise};
const search::Objective kPower{"power", "W", search::Direction::kMinimise};

std::vector<double> values(const RunResult& result, std::size_t figure = 0) {
  return std::get<std::vector<search::Samples>>(result).at(figure).values;
}

std::vector<double> json_time(std::string_view output) {
  return values(FigureRules({kTime}, {}).read_output(output, 1));
}

std::vector<double> matched(const std::string& pattern, std::string_view output) {
  return values(
      FigureRules({kTime}, {{FigureRule::Source::kRegex, pattern}}).read_output(output, 1));
}

std::string complaint(std::string_view output) {
  try {
    json_time(output);
  } catch (const FigureError& e) {
    return e.what();
  }
  return "read";
}

TEST(Figures, LastLineThatIsAnObjectCounts) {
  EXPECT_THAT(json_time("{\"time\": 1}\nlog\n{\"time\": 2.5}\ndone\n"), ElementsAre(2.5));
  EXPECT_THAT(json_time("  {\"time\": 3}\r\n\n"), ElementsAre(3));
  EXPECT_THAT(json_time("{\"time\": 4}"), ElementsAre(4));
}

TEST(Figures, ListIsManySamples) {
  EXPECT_THAT(json_time("{\"time\": [3, 1, 2]}"), ElementsAre(3, 1, 2));
}

TEST(Figures, KeyMayDifferFromTheObjectivesName) {
  const FigureRules rules({kTime, kPower}, {{FigureRule::Source::kJson, "t_ms"}});
  const auto result = rules.read_output("{\"t_ms\": 5, \"power\": 300}", 1);
  EXPECT_THAT(values(result, 0), ElementsAre(5));
  EXPECT_THAT(values(result, 1), ElementsAre(300));
  EXPECT_EQ(std::get<std::vector<search::Samples>>(result)[1].objective, "power");
}

TEST(Figures, WallTimeIsInTheUnitOfTheObjective) {
  const FigureRules rules({kTime}, {{FigureRule::Source::kWallTime, ""}});
  EXPECT_THAT(values(rules.read_output("", 0.25)), ElementsAre(250));
}

TEST(Figures, EveryMatchIsASample) {
  EXPECT_THAT(matched("time: ([0-9.e+-]+) ms", "time: 1.5 ms, time: 2e1 ms\nx\ntime: 3 ms"),
              ElementsAre(1.5, 20, 3));
}

TEST(Figures, LongLinesDoNotOverflowTheMatcher) {
  const std::string line(1 << 20, 'a');
  EXPECT_THROW(matched("(a|b)*c", line), FigureError);
  EXPECT_THAT(matched("^t=([0-9]+)", "t=7 " + line + "\n"), ElementsAre(7));
}

TEST(Figures, WhatIsMissingIsSaidWithWhatWasPrinted) {
  EXPECT_THAT(complaint(""), AllOf(HasSubstr("'time'"), HasSubstr("it printed nothing")));
  EXPECT_THAT(complaint("all went well\n"), HasSubstr("all went well"));
  EXPECT_THAT(complaint("{\"tiem\": 1}"), AllOf(HasSubstr("no 'time'"), HasSubstr("tiem")));
  EXPECT_THAT(complaint("{'time': 1}"), HasSubstr("{'time': 1}"));
  EXPECT_THAT([] { matched("t=([0-9]+)", "x=1"); }, ThrowsMessage<FigureError>(HasSubstr("x=1")));
}

TEST(Figures, OnlyFiniteNumbersAreFigures) {
  EXPECT_THAT(complaint("{\"time\": NaN}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": -Infinity}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": null}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": 1e999}"), HasSubstr("1e999"));
  EXPECT_THAT(complaint("{\"time\": \"3\"}"), HasSubstr("neither a number nor a list"));
  EXPECT_THAT(complaint("{\"time\": true}"), HasSubstr("neither a number nor a list"));
  EXPECT_THAT(complaint("{\"time\": []}"), HasSubstr("empty list"));
  EXPECT_THAT(complaint("{\"time\": [1, \"x\"]}"), HasSubstr("no number"));
  EXPECT_THAT([] { matched("t=(.*)", "t=abc"); }, ThrowsMessage<FigureError>(HasSubstr("abc")));
  EXPECT_THAT([] { matched("t=(.*)", "t=nan"); }, ThrowsMessage<FigureError>(HasSubstr("finite")));
}

TEST(Figures, NanElsewhereDoesNotSpoilTheObject) {
  EXPECT_THAT(json_time("{\"note\": \"NaN \\\" NaN\", \"loss\": NaN, \"time\": 2}"),
              ElementsAre(2));
  EXPECT_EQ(object_in("{\"note\": \"NaN\", \"x\": NaN}")["note"], "NaN");
}

search::TrialOutcome reported(std::string_view line) {
  return std::get<search::TrialOutcome>(FigureRules({kTime}, {}).read_reply(line, 1));
}

TEST(Figures, ErrorIsATypedFailure) {
  EXPECT_EQ(reported("{\"error\": \"no\", \"kind\": \"build_failed\"}"),
            search::TrialOutcome(search::BuildFailed{"no"}));
  EXPECT_EQ(reported("{\"error\": \"no\"}"), search::TrialOutcome(search::LaunchFailed{"no"}));
  EXPECT_EQ(reported("{\"error\": \"no\", \"kind\": \"other\"}"),
            search::TrialOutcome(search::LaunchFailed{"no"}));
  const auto wrong = std::get<search::WrongResult>(
      reported("{\"error\": \"off\", \"kind\": \"wrong_result\", \"output\": \"c\", "
               "\"element\": 4, \"got\": 1, \"expected\": 3}"));
  EXPECT_EQ(wrong.message, "off");
  EXPECT_EQ(wrong.output, "c");
  EXPECT_EQ(wrong.element, 4u);
  EXPECT_EQ(wrong.error, 2);
}

TEST(Figures, AReplyIsNoAnswerWhenItHasNeitherFigureNorError) {
  const FigureRules rules({kTime, kPower}, {});
  const auto flaw = [&](std::string_view line) { return rules.flaw_in_reply(object_in(line)); };
  EXPECT_EQ(flaw("{\"time\": 1, \"power\": \"what?\"}"), "") << "an answer, if a bad one";
  EXPECT_EQ(flaw("{\"error\": \"no\"}"), "");
  EXPECT_EQ(flaw("{\"time\": 1}"), "it has no 'power' and no 'error'");
  EXPECT_EQ(flaw("{\"level\": \"info\", \"error\": null}"), "it has no 'time' and no 'error'");
}

TEST(Figures, AByteOrderMarkIsNoPartOfTheLine) {
  EXPECT_THAT(json_time("\xEF\xBB\xBF{\"time\": 3}\n"), ElementsAre(3));
}

TEST(Figures, AFigureMayBeCalledError) {
  const FigureRules rules({kTime, {"error", ""}}, {});
  EXPECT_THAT(values(rules.read_reply("{\"time\": 1, \"error\": 0.02}", 1), 1), ElementsAre(0.02));
  EXPECT_THAT(values(rules.read_reply("{\"time\": 1, \"error\": [0, 1]}", 1), 1),
              ElementsAre(0, 1));
  EXPECT_EQ(std::get<search::TrialOutcome>(rules.read_reply("{\"error\": \"no\"}", 1)),
            search::TrialOutcome(search::LaunchFailed{"no"}));
  EXPECT_EQ(reported("{\"time\": 1, \"error\": 2}"),
            search::TrialOutcome(search::LaunchFailed{"an error without words"}));
}

TEST(Figures, NullErrorIsNone) {
  EXPECT_THAT(json_time("{\"error\": null, \"time\": 1}"), ElementsAre(1));
}

TEST(Figures, NestingWithoutEndIsNoObject) {
  std::string deep = "{\"time\": ";
  deep += std::string(100000, '[');
  EXPECT_TRUE(object_in(deep).is_discarded());
  deep += std::string(100000, ']') + "}";
  EXPECT_THAT(complaint(deep), HasSubstr("'time'"));
}

TEST(Figures, RulesThatCannotWorkAreRefused) {
  const auto refused = [](search::Objective objective, FigureRule rule) {
    return [=] { FigureRules({objective}, {rule}); };
  };
  EXPECT_THAT(refused(kTime, {FigureRule::Source::kRegex, "("}),
              ThrowsMessage<std::runtime_error>(HasSubstr("no regular expression")));
  EXPECT_THAT(refused(kTime, {FigureRule::Source::kRegex, "t=.*"}),
              ThrowsMessage<std::runtime_error>(HasSubstr("no group")));
  EXPECT_THAT(refused(kPower, {FigureRule::Source::kWallTime, ""}),
              ThrowsMessage<std::runtime_error>(HasSubstr("'W'")));
}

}  // namespace
}  // namespace nightshift::evaluator
