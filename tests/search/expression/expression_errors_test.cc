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
  expect_parse_error("a && b", 2, "found '&&', write 'and'");
  expect_parse_error("(a || b)", 3, "found '||', write 'or'");
  expect_parse_error("a & b |", 7, "found the end of the text");
  expect_parse_error("a &", 3, "found the end of the text");
  expect_parse_error("& a", 0, "found '&'");
  expect_parse_error("~", 1, "found the end of the text");
  expect_parse_error("a ~ b", 2, "an operator or the end, found '~'");
  expect_parse_error("a < < b", 4, "found '<'");
  expect_parse_error("a <<< b", 4, "found '<'");
  expect_parse_error("a <> b", 3, "found '>'");
  expect_parse_error("!a", 0, "found '!', write 'not'");
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

TEST(ExpressionSyntax, EscapesThatAreNoneAreNamed) {
  expect_parse_error(R"(S == '\N{BULLET}')", 6, R"(the escape "\\N" names a character)");
  expect_parse_error(R"('a\x6')", 2, "takes 2 hexadecimal digits");
  expect_parse_error(R"('\u00e')", 1, "takes 4 hexadecimal digits");
  expect_parse_error(R"('\U0001f60z')", 1, "takes 8 hexadecimal digits");
  expect_parse_error(R"('\ud83d')", 1, "half of a character");
  expect_parse_error(R"('\U00110000')", 1, "or none");
}

TEST(ExpressionSyntax, WhatPythonHasBesidesIsNamed) {
  expect_parse_error("a is 1", 2, "found 'is', write '==' or '!='");
  expect_parse_error("a is not None", 2, "found 'is', write '==' or '!='");
  expect_parse_error("a.startswith('x')", 1, "values have no methods");
  expect_parse_error("'x'.upper() == a", 3, "values have no methods");
  expect_parse_error("np.log2(a)", 2, "values have no methods");
  expect_parse_error("[1, 2][a]", 6, "elements and slices");
  expect_parse_error("(1, 2)[0]", 6, "elements and slices");
  expect_parse_error("{1: 2}", 0, "a set may stand after 'in' only");
  expect_parse_error("{1, 2} == a", 0, "a set may stand after 'in' only");
  expect_parse_error("a in {}", 5, "dictionary");
  expect_parse_error("a in {1: 2}", 7, "','");
  expect_parse_error("a in {1, 2} | {3}", 12, "an operator or the end, found '|'");
  expect_parse_error("(a := 3)", 3, "found ':'");
  expect_parse_error("f'{a}'", 1, "found ''{a}''");
}

TEST(ExpressionSyntax, FunctionsAreKnownWithTheirArguments) {
  expect_parse_error("cbrt(2)", 0, "unknown function 'cbrt'; there are min, max");
  expect_parse_error("1 + abs(1, 2)", 4, "abs() does not take 2 arguments");
  expect_parse_error("min()", 0, "min() does not take 0 arguments");
  expect_parse_error("range(1, 2, 3, 4)", 0, "range() does not take 4 arguments");
  expect_parse_error("math.7", 4, "");
  expect_parse_error("math.tau", 5, "unknown function 'tau'");
  expect_parse_error("math.sqrt", 9, "'('");
  expect_parse_error("pow(2)", 0, "pow() does not take 1 arguments");
  expect_parse_error("log(1, 2, 3)", 0, "log() does not take 3 arguments");
  expect_parse_error("sorted([1])", 0, "unknown function 'sorted'");
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
  expect_error("1 & 2.0", 2, "a bit operator needs whole numbers of up to 64 bits, found 2.0");
  expect_error("0.5 << 1", 4, "whole numbers of up to 64 bits, found 0.5");
  expect_error("~1.5", 0, "whole numbers");
  expect_error("1 | 'a'", 2, "expected a number, found a text");
  expect_error("~[1]", 0, "expected a number, found a list");
  expect_error("1 << -1", 2, "a shift by less than 0 bits");
  expect_error("1 >> -1", 2, "a shift by less than 0 bits");
  expect_error("(1 << 64) & 1", 10, "whole numbers of up to 64 bits");
  expect_error("sqrt(-1)", 0, "at least 0");
  expect_error("log(0)", 0, "above 0");
  expect_error("sum(1)", 0, "a list or a range()");
  expect_error("len(1)", 0, "a list or a text");
  expect_error("sum(['a'])", 0, "expected a number, found a text");
  expect_error("gcd(1.5, 2)", 4, "whole numbers");
  expect_error("round(1.5, -1)", 6, "tens and hundreds");
  expect_error("round(1e300)", 0, "64 bits");
  expect_error("1 // 0 in []", 2, "division by zero");
  expect_error("'a' + 1 not in ()", 4, "expected a number");
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
