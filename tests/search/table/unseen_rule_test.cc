#include "search/table/unseen_rule.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(UnseenRule, AValueThatDividesEveryMeasuredSizeDividesTheAskedOne) {
  TreeLessons all;
  for (const std::int64_t n : {960, 1920, 4800, 9600}) all.shapes.push_back({{{"N", n}}, 1});
  all.costs.assign(4, {0, -0.3, -0.2});
  all.choices = {1, 2};
  all.guards = {{}, {{48, 3, 7}, {}}, {{2}, {}}};
  const UnseenRule rule = learned_rule(all, 2, 0.03);
  EXPECT_EQ(rule.divisors[1][0], 192) << "64, 48 and 3 divide all of them, 7 does not";
  EXPECT_EQ(rule.divisors[2][0], 64);
  EXPECT_EQ(answer_of(rule, {{"N", 1024}}).why, Why::kUnvouched);
  EXPECT_EQ(answer_of(rule, {{"N", 1152}}).choice, 1U);
}

TEST(UnseenRule, AConstraintThatDoesNotHoldLeavesTheDefault) {
  TreeLessons all = lessons();
  all.guards = {{}, {{}, {{"N % V == 0", "N % 96 == 0"}}}, {{}, {{"N in SIZES", ""}}}};
  const UnseenRule rule = learned_rule(all, 2, 0.03);
  EXPECT_EQ(answer_of(rule, {{"N", 96}}).choice, 1U);
  const UnseenAnswer broken = answer_of(rule, {{"N", 128}});
  EXPECT_EQ(broken.choice, 0U);
  EXPECT_EQ(broken.why, Why::kForbidden);
  EXPECT_EQ(answer_of(rule, {{"N", 2048}}).why, Why::kForbidden) << "it cannot be asked";
}

TEST(UnseenRule, ShapesOnWhichAnAnswerDoesNotRunAreCountedApart) {
  TreeLessons all;
  for (const std::int64_t n : {64, 128, 256, 512, 1024}) all.shapes.push_back({{{"N", n}}, 1});
  all.costs.assign(5, {0, -0.3});
  all.costs[2][1] = kUnusable;
  all.choices = {1};
  for (const LeftOut& error : left_out(all, 3, 0.03)) {
    EXPECT_TRUE(std::isfinite(error.geometric_mean)) << error.depth;
    EXPECT_TRUE(std::isfinite(error.of_best)) << error.depth;
    EXPECT_LE(error.worst, 1) << error.depth;
    EXPECT_EQ(error.failed, 1U) << error.depth;
  }
}

TEST(UnseenRule, ADepthWhoseAnswersRunIsTaken) {
  EXPECT_EQ(depth_of({{0, 0.7, 1, 1, 2}, {1, 0.8, 1, 1, 1}, {2, 0.75, 1, 1, 1}}, 0.03), 2U);
  EXPECT_EQ(depth_of({{0, 0.7, 1, 1, 2}, {1, 1.2, 1, 1.5, 1}}, 0.03), 1U);
}

}  // namespace
}  // namespace nightshift::search
