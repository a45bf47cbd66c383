#include "search/table/unseen_rule.h"

#include <gtest/gtest.h>

#include "search/table/shape_matrix.h"

namespace nightshift::search {
namespace {

using Why = UnseenAnswer::Why;

TreeLessons lessons() {
  TreeLessons all;
  for (const std::int64_t n : {64, 96, 192, 1024, 2048, 4096})
    all.shapes.push_back({{{"N", n}}, 1});
  all.costs = {{0, -0.3, 0.2}, {0, -0.3, kUnusable}, {0, -0.3, 0.2},
               {0, 0.2, -0.3}, {0, 0.2, -0.3},       {0, 0.2, -0.3}};
  all.choices = {1, 2};
  return all;
}

TEST(UnseenRule, AnswersWithinWhatWasMeasured) {
  const UnseenRule rule = learned_rule(lessons(), 2, 0.03);
  EXPECT_EQ(answer_of(rule, {{"N", 128}}).choice, 1U);
  EXPECT_EQ(answer_of(rule, {{"N", 1024 + 64}}).choice, 2U);
  for (const std::int64_t n : {63, 4097}) {
    const UnseenAnswer answer = answer_of(rule, {{"N", n}});
    EXPECT_EQ(answer.choice, 0U);
    EXPECT_EQ(answer.why, Why::kOutside);
  }
}

TEST(UnseenRule, AChoiceNeedsTheDivisorsOfTheShapesItRanOn) {
  const UnseenRule rule = learned_rule(lessons(), 2, 0.03);
  EXPECT_EQ(rule.divisors[1][0], 32);
  EXPECT_EQ(rule.divisors[2][0], 64) << "it did not run on 96";
  const UnseenAnswer answer = answer_of(rule, {{"N", 100}});
  EXPECT_EQ(answer.choice, 0U);
  EXPECT_EQ(answer.why, Why::kUnvouched);
  EXPECT_EQ(answer_of(rule, {{"N", 1024 + 32}}).why, Why::kUnvouched);
}

TEST(UnseenRule, IsJudgedByTheShapesThatItDidNotSee) {
  const std::vector<LeftOut> errors = left_out(lessons(), 3, 0.03);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_NEAR(errors[0].geometric_mean, 1, 1e-12) << "one leaf for all is unsure";
  EXPECT_LT(errors[1].geometric_mean, 0.96);
  EXPECT_LE(errors[1].worst, 1.03);
  EXPECT_EQ(depth_of(errors, 0.03), 1U);
}

TEST(UnseenRule, ADepthThatLosesOnAShapeIsNotTaken) {
  EXPECT_EQ(depth_of({{0, 1, 1.2, 1}, {1, 0.8, 1.01, 1.2}, {2, 0.9, 1.1, 1.01}}, 0.03), 2U);
  EXPECT_EQ(depth_of({{0, 1.2, 1.2, 1.5}}, 0.03), 0U);
}

TEST(UnseenRule, OfNoShapesItIsTheDefault) {
  EXPECT_EQ(answer_of(learned_rule({}, 3, 0.03), {{"N", 5}}).choice, 0U);
}

}  // namespace
}  // namespace nightshift::search
