#include "search/vain_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string found(const std::string& text, const std::set<std::string>& narrowed = {}) {
  const std::vector<Parameter> parameters = {
      {"n", ParameterType::kInt, {std::int64_t{1}, std::int64_t{2}}, {}, {}},
      {"x", ParameterType::kFloat, {0.5, 1.0}, {}, {}},
      {"fast", ParameterType::kBool, {false, true}, {}, {}},
      {"mode", ParameterType::kString, {std::string("1: int64(4)"), std::string("b")}, {}, {}},
      {"kind", ParameterType::kString, {std::string("b"), std::string("c")}, {}, {}},
      {"way", ParameterType::kString, {std::string("x"), std::string("y")}, {}, {}}};
  const auto vain = vain_comparison(Expression::parse(text), parameters, narrowed);
  return vain ? vain->words : "";
}

TEST(VainComparison, OfATextWithANumberIsFound) {
  EXPECT_THAT(found("mode == 4"),
              AllOf(HasSubstr("'mode', whose values are texts such as '1: int64(4)', with the "
                              "number 4"),
                    HasSubstr("never true")));
  EXPECT_THAT(found("n > 1 and 4 != mode"), HasSubstr("never false"));
  EXPECT_THAT(found("n == 'a'"),
              HasSubstr("whose values are numbers such as 1, with the text 'a'"));
  EXPECT_THAT(found("n < mode == 2"), HasSubstr("never true"));
  EXPECT_THAT(found("mode in (1, 2)"), HasSubstr("never true"));
  EXPECT_THAT(found("x not in ['0.5']"), HasSubstr("never false"));
  EXPECT_THAT(found("fast == 'True'"), HasSubstr("never true"));
  EXPECT_THAT(found("n * 2 == mode"), HasSubstr("a number with 'mode'"));
  EXPECT_THAT(found("1 if mode == 3 else 0"), HasSubstr("never true"));
}

TEST(VainComparison, WithATextThatIsNoValueIsFound) {
  EXPECT_THAT(found("mode == 'a'"),
              AllOf(HasSubstr("where 'a' is no value"), HasSubstr("never true")));
  EXPECT_THAT(found("'Y' != way or n > 1"),
              HasSubstr("where 'Y' is no value: that is never false"));
  EXPECT_THAT(found("way in ['u', 'v']"), HasSubstr("where 'u' is no value"));
  EXPECT_THAT(found("way not in (1, 'v')"), HasSubstr("never false"));
  EXPECT_THAT(found("x > 0.5 if way == 'b' else True"), HasSubstr("where 'b' is no value"));
}

TEST(VainComparison, IsFoundInsideListsAndNestedComparisons) {
  EXPECT_THAT(found("n in [1, '2']"),
              AllOf(HasSubstr("'n', whose values are numbers such as 1, with the text '2'"),
                    HasSubstr("never true")));
  EXPECT_THAT(found("n not in (1, '2')"), HasSubstr("never false"));
  EXPECT_THAT(found("n in [1] + ['2']"), HasSubstr("the text '2'"));
  EXPECT_THAT(found("[n, x] == [1, '2']"), HasSubstr("'x', whose values are numbers such as 0.5"));
  EXPECT_THAT(found("(n, way) in [(1, 'x'), ('2', 'y')]"), HasSubstr("the text '2'"));
  EXPECT_THAT(found("not (n == 1 and (x > 0.5) == ('1' == n))"), HasSubstr("the text '1'"));
  EXPECT_THAT(found("any(i == '1' for i in [n, 2])"), HasSubstr("a number with the text '1'"));
  EXPECT_THAT(found("any(i == 1 for i in [way, mode])"), HasSubstr("a text with the number 1"));
  EXPECT_THAT(found("all(i != '1' for i in range(n))"), HasSubstr("never false"));
  EXPECT_THAT(found("min(n, x) == '1'"), HasSubstr("never true"));
  EXPECT_THAT(found("len(way) == '1'"), HasSubstr("never true"));
  EXPECT_THAT(found("(n if fast else 2) == '1'"), HasSubstr("never true"));
  EXPECT_THAT(found("(n or 2) == '1'"), HasSubstr("never true"));
}

TEST(VainComparison, IsNotWhereAListMayHaveEither) {
  for (const char* text :
       {"way in ['x', 'u']", "way in ['x', 2]", "n in [1, 7]", "any(i == '1' for i in [n, way])",
        "(n if fast else way) == 'x'", "(n, way) in [(1, 'x'), (1, 2, 3)]", "[n] == ['1', 2]",
        "any(i == 1 for i in [n]) or any(i == 'x' for i in [way])", "max([n, 2]) == 2"}) {
    EXPECT_THAT(found(text), IsEmpty()) << text;
  }
}

TEST(VainComparison, IsNotWithATextThatValuesMayHaveHad) {
  EXPECT_THAT(found("way == 'b'", {"way"}), IsEmpty());
  EXPECT_THAT(found("mode == way", {"way"}), IsEmpty());
  EXPECT_THAT(found("way == 2", {"way"}), HasSubstr("never true"));
}

TEST(VainComparison, KnowsTheTextAndTheValues) {
  const std::vector<Parameter> parameters = {
      {"way", ParameterType::kString, {std::string("fused"), std::string("split")}, {}, {}}};
  const auto vain = vain_comparison(Expression::parse("way == 'fuse'"), parameters);
  ASSERT_TRUE(vain);
  EXPECT_EQ(vain->text, "fuse");
  EXPECT_THAT(vain->values, ElementsAre("fused", "split"));
}

TEST(VainComparison, IsNotWhereTheAnswerDepends) {
  for (const char* text :
       {"mode == 'b'", "mode == kind", "mode == way", "way == way", "way in ['x', 'z']",
        "'a' == 'b'", "n == 4", "n == x", "fast == 1", "x != True", "mode in ('b', 4)",
        "'4' in mode", "n in range(3)", "mode in []", "[n] == [mode]", "min(n, 2) == 3", "n < 2"}) {
    EXPECT_THAT(found(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
