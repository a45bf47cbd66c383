#include "search/vain_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string found(const std::string& text) {
  const std::vector<Parameter> parameters = {
      {"n", ParameterType::kInt, {std::int64_t{1}, std::int64_t{2}}, {}, {}},
      {"x", ParameterType::kFloat, {0.5, 1.0}, {}, {}},
      {"fast", ParameterType::kBool, {false, true}, {}, {}},
      {"mode", ParameterType::kString, {std::string("1: int64(4)"), std::string("b")}, {}, {}}};
  return vain_comparison(Expression::parse(text), parameters);
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

TEST(VainComparison, IsNotWhereTheAnswerDepends) {
  for (const char* text :
       {"mode == 'a'", "n == 4", "n == x", "fast == 1", "x != True", "mode in ('b', 4)",
        "'4' in mode", "n in range(3)", "mode in []", "[n] == [mode]", "min(n, 2) == 3", "n < 2"}) {
    EXPECT_THAT(found(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
