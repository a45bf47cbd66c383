#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "search/parameter_space.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Parameter parameter(std::string name, std::vector<Value> values) {
  Parameter result;
  result.name = std::move(name);
  result.values = std::move(values);
  return result;
}

const Value kOne = std::int64_t{1};
const Value kTwo = std::int64_t{2};

std::string error_of(std::vector<Parameter> parameters,
                     std::initializer_list<const char*> texts = {}) {
  std::vector<Expression> constraints;
  for (const char* text : texts) constraints.push_back(Expression::parse(text));
  try {
    ParameterSpace space(std::move(parameters), std::move(constraints));
  } catch (const SpaceError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SpaceErrors, Parameters) {
  EXPECT_EQ(error_of({}), "there are no parameters");
  EXPECT_EQ(error_of({parameter("a", {})}), "parameter 'a' has no values");
  EXPECT_EQ(error_of({parameter("a", {kOne}), parameter("a", {kTwo})}),
            "the parameter 'a' is declared twice");
  EXPECT_EQ(error_of({parameter("a", {kOne, true})}), "parameter 'a' lists the value true twice");
  EXPECT_EQ(error_of({parameter("a", {std::numeric_limits<double>::quiet_NaN()})}),
            "parameter 'a' has a value that is not finite");
  Parameter a = parameter("a", {kOne});
  a.default_value = kTwo;
  EXPECT_EQ(error_of({a}), "the default 2 of parameter 'a' is none of its values");
}

TEST(SpaceErrors, UnknownNamesAreListedWithTheKnown) {
  EXPECT_EQ(error_of({parameter("tile", {kOne}), parameter("unroll", {kOne})}, {"tiel > 0"}),
            "the expression 'tiel > 0' uses 'tiel', which is no parameter; there are tile, unroll");
}

TEST(SpaceErrors, ConditionOnItself) {
  Parameter a = parameter("a", {kOne, kTwo});
  a.active_when = Expression::parse("a > 1");
  EXPECT_THAT(error_of({a}), HasSubstr("depends on that parameter itself"));
}

TEST(SpaceErrors, TheConstraintThatExcludesEverythingIsNamed) {
  const std::vector<Parameter> parameters = {parameter("a", {kOne, kTwo}),
                                             parameter("b", {kOne, kTwo})};
  EXPECT_THAT(error_of(parameters, {"a > 0", "a * b > 100", "b > 0"}),
              HasSubstr("'a * b > 100' holds for no combination"));
  EXPECT_THAT(error_of(parameters, {"a > 0", "1 > 2"}), HasSubstr("'1 > 2'"));
}

TEST(SpaceErrors, ConstraintsThatExcludeEachOther) {
  EXPECT_THAT(error_of({parameter("a", {kOne, kTwo}), parameter("b", {kOne, kTwo})},
                       {"a > 1", "b > 1", "a != b"}),
              AllOf(HasSubstr("no configuration satisfies all the constraints together"),
                    HasSubstr("excluded most")));
}

TEST(SpaceErrors, ConstraintThatCannotBeEvaluatedNamesTheConfiguration) {
  EXPECT_THAT(error_of({parameter("a", {kOne, std::string("x")})}, {"a + 1 > 0"}),
              AllOf(HasSubstr("'a + 1 > 0' cannot be evaluated for {\"a\": \"x\"}"),
                    HasSubstr("character 3: expected a number, found a text")));
}

TEST(SpaceErrors, Lists) {
  const std::vector<Parameter> parameters = {parameter("a", {kOne, kTwo})};
  const auto list_error = [&](const std::vector<Configuration>& configurations) -> std::string {
    try {
      ParameterSpace::from_list(parameters, configurations);
    } catch (const SpaceError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(list_error({}), "the list of configurations is empty");
  EXPECT_THAT(list_error({Configuration({{"b", kOne}})}),
              HasSubstr("no valid value for parameter 'a'"));
  EXPECT_THAT(list_error({Configuration({{"a", std::int64_t{9}}})}), HasSubstr("parameter 'a'"));
  EXPECT_THAT(list_error({Configuration({{"a", kOne}, {"b", kOne}})}),
              HasSubstr("a name that is no parameter"));
  EXPECT_THAT(list_error({Configuration({{"a", kOne}}), Configuration({{"a", 1.0}})}),
              HasSubstr("listed twice"));
}

}  // namespace
}  // namespace nightshift::search
