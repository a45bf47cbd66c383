#include "evaluator/answers/draw_ends.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace nightshift::evaluator {
namespace {

using Argument = search::Argument;

Argument argument_of(Argument::Fill fill, search::ElementType type, double low, double high) {
  Argument argument;
  argument.fill = fill;
  argument.type = type;
  argument.low = low;
  argument.high = high;
  return argument;
}

TEST(DrawEnds, OfThreeQuartersOfAllSeedsTheLastIsDrawn) {
  std::map<DrawEnds, int> seen;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) ++seen[ends_of(base::mix_seed(seed, 0))];
  EXPECT_EQ(seen.size(), 3U);
  for (const auto& [ends, count] : seen) {
    EXPECT_NEAR(count, ends == DrawEnds::kDrawn ? 6000 : 1000, 250);
  }
}

TEST(DrawEnds, ASeedIsFoundForAllOfThem) {
  for (const auto ends : {DrawEnds::kDrawn, DrawEnds::kLargestLast, DrawEnds::kLeastLast}) {
    EXPECT_EQ(ends_of(seed_with(ends, 7)), ends);
    EXPECT_EQ(seed_with(ends, 7), seed_with(ends, 7)) << "so that an answer can be kept";
    EXPECT_NE(seed_with(ends, 7), seed_with(ends, 8));
  }
}

TEST(DrawEnds, TheLastIsTheLargestOrTheLeastThatThereCanBe) {
  const auto uniform = argument_of(Argument::Fill::kUniform, search::ElementType::kFloat32, -2, 6);
  const auto last = drawn_end(uniform, DrawEnds::kLargestLast, 100);
  EXPECT_EQ(last->at, 99U);
  EXPECT_LT(static_cast<float>(last->number), 6.0F) << "as of all that are drawn";
  EXPECT_GT(last->number, 5.999);
  EXPECT_EQ(drawn_end(uniform, DrawEnds::kLeastLast, 100)->at, 99U);
  EXPECT_EQ(drawn_end(uniform, DrawEnds::kLeastLast, 100)->number, -2);
  const auto whole = argument_of(Argument::Fill::kUniform, search::ElementType::kInt32, 0, 9);
  EXPECT_EQ(drawn_end(whole, DrawEnds::kLargestLast, 100)->number, 9);
  const auto normal = argument_of(Argument::Fill::kNormal, search::ElementType::kFloat64, 1, 2);
  EXPECT_EQ(drawn_end(normal, DrawEnds::kLargestLast, 100)->number, 12);
  EXPECT_EQ(drawn_end(normal, DrawEnds::kLeastLast, 100)->number, -10);
}

TEST(DrawEnds, WhatIsNotDrawnHasNone) {
  using Fill = Argument::Fill;
  for (const Fill fill : {Fill::kConstant, Fill::kSequence, Fill::kBits, Fill::kFile}) {
    const auto argument = argument_of(fill, search::ElementType::kFloat32, 0, 1);
    EXPECT_FALSE(drawn_end(argument, DrawEnds::kLargestLast, 100));
  }
  const auto uniform = argument_of(Fill::kUniform, search::ElementType::kFloat32, 0, 1);
  EXPECT_FALSE(drawn_end(uniform, DrawEnds::kDrawn, 100));
  EXPECT_FALSE(drawn_end(uniform, DrawEnds::kLargestLast, 2)) << "a tenth of a short vector";
}

}  // namespace
}  // namespace nightshift::evaluator
