#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "search/expression.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

const Value* nothing(std::string_view) { return nullptr; }

struct Failure {
  std::string message = "no error";
  std::size_t position = 0;
};

template <class F>
Failure failure_of(F&& f) {
  try {
    f();
  } catch (const ExpressionError& error) {
    return {error.what(), error.position()};
  }
  return {};
}

void expect_parse_error(const std::string& text, std::size_t position, const std::string& message) {
  const Failure failure = failure_of([&] { Expression::parse(text); });
  EXPECT_EQ(failure.position, position) << text;
  EXPECT_THAT(failure.message, HasSubstr(message)) << text;
}

void expect_error(const std::string& text, std::size_t position, const std::string& message) {
  const Expression e = Expression::parse(text);
  const Failure failure = failure_of([&] { e.evaluate(nothing); });
  EXPECT_EQ(failure.position, position) << text;
  EXPECT_THAT(failure.message, HasSubstr(message)) << text;
}

TEST(ExpressionSyntax, MessageNamesThePlaceAndWhatWasExpected) {
  const Failure failure = failure_of([] { Expression::parse("a + * b"); });
  EXPECT_EQ(failure.message,
            "character 5: expected a number, a name, a text, '(' or '[', found '*'");
}

TEST(ExpressionSyntax, Diagnostics) {
  expect_parse_error("", 0, "found the end of the text");
  expect_parse_error("a +", 3, "found the end of the text");
  expect_parse_error("(a + b", 6, "',' or ')'");
  expect_parse_error("[1, 2", 5, "',' or ']'");
  expect_parse_error("a b", 2, "an operator or the end, found 'b'");
  expect_parse_error("a = 1", 2, "write '=='");
  expect_parse_error("a && b", 2, "write 'and'");
  expect_parse_error("a | b", 2, "write 'or'");
  expect_parse_error("a <> b", 3, "found '>'");
  expect_parse_error("!a", 0, "found '!'");
  expect_parse_error("a and or b", 6, "found 'or'");
  expect_parse_error("1 if a", 6, "'else'");
  expect_parse_error("'abc", 0, "closing '");
  expect_parse_error("3 ? 4", 2, "found \"?\"");
  expect_parse_error("12abc", 0, "expected a number");
  expect_parse_error("0x", 0, "expected a number");
  expect_parse_error("1e999", 0, "beyond the range");
  expect_parse_error("None", 0, "None");
  expect_parse_error("p[1]", 2, "in quotes");
  expect_parse_error("lambda p: p", 0, "found 'lambda'");
}

TEST(ExpressionSyntax, FunctionsAreKnownWithTheirArguments) {
  expect_parse_error("sqrt(2)", 0, "unknown function 'sqrt'; there are min, max");
  expect_parse_error("1 + abs(1, 2)", 4, "abs() does not take 2 arguments");
  expect_parse_error("min()", 0, "min() does not take 0 arguments");
  expect_parse_error("range(1, 2, 3, 4)", 0, "range() does not take 4 arguments");
  expect_parse_error("math.7", 4, "");
}

TEST(ExpressionSyntax, Comprehensions) {
  expect_parse_error("[x for]", 6, "the name of a variable");
  expect_parse_error("[x for x 3]", 9, "'in'");
  expect_parse_error("[x for x, y in z]", 8, "'in'");
  expect_parse_error("[a, b for b in c]", 2, "']'");
}

TEST(ExpressionTypes, MistakesNameTheOperator) {
  expect_error("1 + 'a'", 2, "expected a number, found a text");
  expect_error("'a' < 1", 4, "cannot order a text and a number");
  expect_error("[1] < [2]", 4, "found a list");
  expect_error("1 in 2", 2, "'in' needs a list or a tuple on its right, found a number");
  expect_error("-'a'", 0, "expected a number");
  expect_error("(-8) ** 0.5", 5, "fractional power");
  expect_error("log2(0)", 0, "above 0");
  expect_error("int(1e300)", 0, "64 bits");
  expect_error("ceil(1e308 * 10)", 0, "64 bits");
  expect_error("min([])", 0, "at least one");
  expect_error("range(0, 3, 0)", 0, "step");
  expect_error("range(0.5)", 6, "whole numbers");
  expect_error("[1, 2]", 0, "expected one value, found a list");
  expect_error("1 + width", 4, "unknown name 'width'");
  expect_error("3 // 0", 2, "division by zero");
}

TEST(ExpressionLimits, HostileNestingIsRefused) {
  constexpr std::size_t kDeep = 10'000;
  for (const std::string opening : {"(", "[", "-", "not ", "abs(", "2**", "1 if 1 else "}) {
    std::string text;
    for (std::size_t i = 0; i < kDeep; ++i) text += opening;
    const Failure failure = failure_of([&] { Expression::parse(text + "1"); });
    EXPECT_THAT(failure.message, HasSubstr("levels deep")) << opening;
  }
}

TEST(ExpressionLimits, LongIsNotDeep) {
  std::string sum = "1";
  std::string logic = "1";
  for (int i = 0; i < 20'000; ++i) {
    sum += " + 1";
    logic += " and 1";
  }
  EXPECT_EQ(to_json(Expression::parse(sum).evaluate(nothing)), "20001");
  EXPECT_TRUE(Expression::parse(logic).holds(nothing));
}

TEST(ExpressionLimits, NestingWithinReasonIsFine) {
  EXPECT_EQ(
      to_json(
          Expression::parse(std::string(80, '(') + "7" + std::string(80, ')')).evaluate(nothing)),
      "7");
}

TEST(ExpressionLimits, EndlessEvaluationIsRefused) {
  const Expression loops = Expression::parse(
      "1 in [0 for l in [range(1000000)] for i in (1, 2, 3) for j in [0 for k in l if -1 in l]]");
  EXPECT_THAT(failure_of([&] { loops.evaluate(nothing); }).message, HasSubstr("too long"));
}

TEST(Expression, EmptyOneCannotBeEvaluated) {
  EXPECT_THROW(Expression().holds(nothing), ExpressionError);
}

}  // namespace
}  // namespace nightshift::search
