#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/expression.h"

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;

std::string list(std::string_view text) {
  std::string out;
  for (const Value& value : Expression::parse_list(text)) {
    out += (out.empty() ? "" : " ") + to_json(value);
  }
  return out;
}

std::string error_of(std::string_view text) {
  try {
    Expression::parse_list(text);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ExpressionList, Literals) {
  EXPECT_EQ(list("[1, 2, 3]"), "1 2 3");
  EXPECT_EQ(list("(1, 2.5, 'a', True)"), "1 2.5 \"a\" true");
  EXPECT_EQ(list("[1, 2,]"), "1 2");
  EXPECT_EQ(list("[-1]"), "-1");
  EXPECT_EQ(list("[]"), "");
  EXPECT_EQ(list("()"), "");
  EXPECT_EQ(list("(7,)"), "7");
}

// What Python gives, each of them.
TEST(ExpressionList, GeneratorsAreAskedForNoMoreThanDecides) {
  EXPECT_EQ(list("[any(4 % x == 0 for x in [1, 0])]"), "true");
  EXPECT_EQ(list("[all(4 % x > 2 for x in [1, 0])]"), "false");
  EXPECT_EQ(list("[any(x == 1 or 1 / x for x in (y for y in [1, 0]))]"), "true");
  EXPECT_EQ(list("[4 in (8 // x for x in [2, 0])]"), "true");
  EXPECT_EQ(list("[4 not in (8 // x for x in [2, 0])]"), "false");
  EXPECT_NE(error_of("[any(1 // y == 1 for x in [1, 2] if x > 1 for y in [x, 0])]"), "no error")
      << "none decides before it";
  EXPECT_NE(error_of("[any([4 % x == 0 for x in [1, 0]])]"), "no error") << "a list is whole";
  EXPECT_NE(error_of("[4 in [8 // x for x in [2, 0]]]"), "no error");
  EXPECT_NE(error_of("[any(4 % x == 0 for x in [0, 1])]"), "no error");
  EXPECT_NE(error_of("[sum(4 % x for x in [1, 0])]"), "no error");
}

TEST(ExpressionList, GeneratorsOfGeneratorsKeepTheirVariables) {
  EXPECT_EQ(list("[x + y for x in (a * b for a in [1, 2] for b in [10, 20]) for y in [x]]"),
            "20 40 40 80");
  EXPECT_EQ(list("[x for x in (a + b for a in range(2) if a >= 0 for b in (c for c in range(3)))]"),
            "0 1 2 1 2 3");
  EXPECT_EQ(list("[any(a == x for x in (b for b in [1, a])) for a in [1, 2, 3]]"),
            "true true true");
}

TEST(ExpressionList, Ranges) {
  EXPECT_EQ(list("range(3)"), "0 1 2");
  EXPECT_EQ(list("range(1, 4)"), "1 2 3");
  EXPECT_EQ(list("range(10, 0, -4)"), "10 6 2");
  EXPECT_EQ(list("list(range(2))"), "0 1");
  EXPECT_EQ(list("tuple(range(1, 3))"), "1 2");
  EXPECT_EQ(list("range(5, 1)"), "");
  EXPECT_EQ(list("range(9223372036854775806, 9223372036854775807, 5)"), "9223372036854775806");
}

TEST(ExpressionList, Comprehensions) {
  EXPECT_EQ(list("[2**i for i in range(6)]"), "1 2 4 8 16 32");
  EXPECT_EQ(list("[i for i in range(10) if i % 3 == 0]"), "0 3 6 9");
  EXPECT_EQ(list("[i for i in range(20) if i > 2 if i < 6]"), "3 4 5");
  EXPECT_EQ(list("[10 * a + b for a in (1, 2) for b in [a, 3]]"), "11 13 22 23");
  EXPECT_EQ(list("[x for x in [y * y for y in range(4)] if x]"), "1 4 9");
  EXPECT_EQ(list("[max([i, j]) for i in range(2) for j in range(2)]"), "0 1 1 1");
  EXPECT_EQ(list("list(i * i for i in range(3))"), "0 1 4");
  EXPECT_EQ(list("[x for x in [1, 2] for x in [x, 9]]"), "1 9 2 9");
  EXPECT_EQ(list("[i if i else 7 for i in range(2)]"), "7 1");
  EXPECT_EQ(list("[len2 for len2 in ('a', 'b')]"), "\"a\" \"b\"");
}

TEST(ExpressionList, InnerVariablesEndWithTheirComprehension) {
  EXPECT_EQ(list("[i + max([j for j in range(i + 1)]) for i in range(3)]"), "0 2 4");
  EXPECT_THAT(error_of("[max([j for j in range(2)]) + j for i in range(3)]"),
              HasSubstr("unknown name 'j'"));
  EXPECT_THAT(error_of("[x for x in [x]]"), HasSubstr("unknown name 'x'"));
}

TEST(ExpressionList, WhatIsNoListOfValues) {
  EXPECT_THAT(error_of("7"), HasSubstr("expected a list, a tuple or a range()"));
  EXPECT_THAT(error_of("[1, [2]]"), HasSubstr("expected one value, found a list"));
  EXPECT_THAT(error_of("[n]"), HasSubstr("unknown name 'n'"));
  EXPECT_THAT(error_of("[i for i in 3]"), HasSubstr("after 'in'"));
  EXPECT_THAT(error_of("list(3)"), HasSubstr("list() needs"));
}

TEST(ExpressionList, LengthIsLimited) {
  EXPECT_THAT(error_of("range(1000001)"), HasSubstr("more than 1000000 elements"));
}

TEST(ExpressionList, PlusJoinsLists) {
  EXPECT_EQ(list("[1, 2] + list(range(3, 10, 3))"), "1 2 3 6 9");
  EXPECT_EQ(list("[1] + [2 * i for i in range(1, 4)] + list((0.5,))"), "1 2 4 6 0.5");
  EXPECT_EQ(list("(1,) + tuple([2])"), "1 2");
  EXPECT_THAT(error_of("[1] + 2"), HasSubstr("expected a number, found a list"));
  EXPECT_THAT(error_of("[1] - [2]"), HasSubstr("expected a number, found a list"));
}

TEST(ExpressionList, JoinedListsAreBounded) {
  EXPECT_THAT(error_of("list(range(600000)) + list(range(600000))"),
              HasSubstr("a list of more than 1000000 elements"));
}

TEST(ExpressionList, JoinedListsStandInConstraints) {
  const Expression e = Expression::parse("x in [1, 2] + list(range(8, 10)) and max([0] + [x]) > 1");
  std::string holds;
  for (std::int64_t i = 0; i < 11; ++i) {
    const Value x = i;
    holds += e.holds([&](std::string_view) { return &x; }) ? '1' : '0';
  }
  EXPECT_EQ(holds, "00100000110");
}

TEST(ExpressionLists, JoinOthersOfTheirKind) {
  EXPECT_THAT(error_of("[1] + (2,)"), HasSubstr("found a list and a tuple; list(...) makes"));
  EXPECT_THAT(error_of("(1,) + [2]"), HasSubstr("found a tuple and a list"));
  EXPECT_THAT(error_of("range(2) + [2]"), HasSubstr("found a range and a list"));
  EXPECT_THAT(error_of("range(2) + range(3)"), HasSubstr("found a range and a range"));
  EXPECT_THAT(error_of("[1] + (i for i in [2])"), HasSubstr("found a list and a generator"));
  EXPECT_THAT(error_of("[1] * 2"), HasSubstr("cannot be repeated"));
}

bool holds(const std::string& text) {
  return Expression::parse(text).holds([](std::string_view) { return nullptr; });
}

TEST(ExpressionLists, AreEqualToThoseOfTheirKindAlone) {
  for (const char* text : {"[1, 2] == [1, 2.0]",
                           "(1,) == (True,)",
                           "range(0) == range(5, 1)",
                           "range(1) != range(2)",
                           "[] != range(5, 1)",
                           "(1,) != [1]",
                           "[1] != (1,)",
                           "range(2) != [0, 1]",
                           "() != []",
                           "list(range(2)) == [0, 1]",
                           "tuple([1]) == (1,)",
                           "[i for i in [1]] == [1]",
                           "(i for i in [1]) != (i for i in [1])",
                           "[(1,)] != [[1]]",
                           "[1] not in [(1,), 2]",
                           "(1,) in [(1,), 2]",
                           "1 in {1, 2}",
                           "bool(i for i in [])",
                           "not []",
                           "not range(0)"}) {
    EXPECT_TRUE(holds(text)) << text;
  }
  EXPECT_THAT(error_of("[len(i for i in [1])]"), HasSubstr("len() does not count"));
}

}  // namespace
}  // namespace nightshift::search
