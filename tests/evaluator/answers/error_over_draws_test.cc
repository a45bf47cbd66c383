#include "evaluator/answers/error_over_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/rng.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;

// Of one element, `answer` in each draw, the error that `error` makes of it.
class ErrorOverDrawsTest : public ::testing::Test {
 protected:
  using Error = std::function<double(double answer)>;
  std::optional<search::WrongResult> of_one(const Error& error,
                                            int draws = ErrorOverDraws::kDraws) {
    ErrorOverDraws errors({0}, 2e-5);
    for (int i = 0; i < draws; ++i) {
      const double answer = 1e-6 * (1 + dice_.uniform());
      errors.add({answer + error(answer)}, {answer});
    }
    return errors.systematic("y", 1e-12);
  }
  // The same of 400 elements of either sign.
  std::optional<search::WrongResult> of_many(const Error& error) {
    ErrorOverDraws errors({}, 2e-5);
    for (int i = 0; i < ErrorOverDraws::kDraws; ++i) {
      std::vector<double> got, expected;
      for (int at = 0; at < 400; ++at) {
        expected.push_back(1e-6 * dice_.normal());
        got.push_back(expected.back() + error(expected.back()));
      }
      errors.add(got, expected);
    }
    return errors.systematic("y", 1e-12);
  }

  base::Rng dice_{5};
};

TEST_F(ErrorOverDrawsTest, AFactorIsNoRounding) {
  for (const double share : {0.08, -0.08, 1e-3}) {
    const auto wrong = of_one([&](double answer) { return share * answer; });
    ASSERT_TRUE(wrong);
    EXPECT_THAT(wrong->message, HasSubstr(share > 0 ? "% too large in each of 24" : "% too small"));
    EXPECT_NEAR(wrong->error, std::abs(share) * wrong->expected, 1e-12);
  }
}

TEST_F(ErrorOverDrawsTest, SoIsOneAmongRoundings) {
  EXPECT_TRUE(of_one([&](double answer) { return (0.08 + 0.002 * dice_.normal()) * answer; }));
}

TEST_F(ErrorOverDrawsTest, AShareThatNoToleranceSeesIsNone) {
  EXPECT_FALSE(of_one([](double answer) { return 1e-5 * answer; }));
}

TEST_F(ErrorOverDrawsTest, WhatScattersIsRounding) {
  EXPECT_FALSE(of_one([&](double answer) { return 0.08 * dice_.normal() * answer; }));
  EXPECT_FALSE(of_one([&](double) { return 1e-7 * dice_.normal(); }));
}

TEST_F(ErrorOverDrawsTest, ABiasThatDoesNotFollowTheAnswerIsRounding) {
  EXPECT_FALSE(of_one([](double) { return 1e-7; }));
  EXPECT_FALSE(of_one([&](double) { return 1e-7 * (1 + 0.1 * dice_.normal()); }));
}

TEST_F(ErrorOverDrawsTest, OneDrawWithoutTheFactorIsEnough) {
  int draw = 0;
  EXPECT_FALSE(of_one([&](double answer) { return ++draw == 20 ? 0 : 0.08 * answer; }));
}

TEST_F(ErrorOverDrawsTest, FewDrawsSayNothing) {
  EXPECT_FALSE(of_one([](double answer) { return answer / 12; }, ErrorOverDraws::kDraws - 1));
}

// The same inputs in each draw have the same roundings.
TEST_F(ErrorOverDrawsTest, WhatIsTheSameInAllDrawsIsNotJudged) {
  ErrorOverDraws errors({0}, 2e-5);
  std::vector<double> expected, got;
  for (int at = 0; at < 400; ++at) expected.push_back(1e-6 * dice_.normal());
  for (const double answer : expected) got.push_back(1.08 * answer);
  for (int i = 0; i < ErrorOverDraws::kDraws; ++i) errors.add(got, expected);
  EXPECT_FALSE(errors.systematic("y", 0));
}

TEST_F(ErrorOverDrawsTest, NoiseOfManyElementsDoesNotHideAFactor) {
  const auto wrong = of_many([&](double answer) { return 1e-3 * answer + 1e-9 * dice_.normal(); });
  ASSERT_TRUE(wrong);
  EXPECT_THAT(wrong->message, HasSubstr("all of it is about"));
  EXPECT_FALSE(of_many([&](double) { return 1e-9 * dice_.normal(); }));
  // Of a norm that all elements were divided by.
  double share = 0;
  int at = 0;
  EXPECT_FALSE(of_many([&](double answer) {
    if (at++ % 400 == 0) share = 0.01 * dice_.normal();
    return share * answer;
  }));
}

TEST_F(ErrorOverDrawsTest, WhatIsNoNumberIsNotJudged) {
  EXPECT_FALSE(of_one([](double) { return std::nan(""); }));
}

}  // namespace
}  // namespace nightshift::evaluator
