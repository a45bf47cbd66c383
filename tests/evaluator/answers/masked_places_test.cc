#include "evaluator/answers/masked_places.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace nightshift::evaluator {
namespace {

constexpr int kDigits = 24;
constexpr double kGate = 2e-6;

std::vector<double> scores(int count) {
  base::Rng dice(3);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(dice.uniform() - 0.5);
  return numbers;
}

// `count` masks behind 100 scores.
std::vector<double> with_mask(double mask, int count, int scores_of = 100) {
  std::vector<double> numbers = scores(scores_of);
  numbers.insert(numbers.end(), static_cast<std::size_t>(count), mask);
  return numbers;
}

TEST(MaskedPlaces, OneLargeNumberManyTimesIsAMask) {
  for (const double mask : {-1e9, 1e30, -static_cast<double>(std::numeric_limits<float>::max()),
                            std::numeric_limits<double>::lowest()}) {
    const auto found = masked_places(with_mask(mask, 40), kDigits, kGate);
    ASSERT_TRUE(found) << mask;
    EXPECT_TRUE(found->is_certain);
    EXPECT_EQ(found->count, 40u);
    EXPECT_EQ(found->rest.count, 100u);
    EXPECT_LE(found->rest.largest, 0.5);
    EXPECT_GT(found->from, found->rest.largest);
    EXPECT_LT(found->from, std::abs(mask));
  }
}

TEST(MaskedPlaces, FewerThanSixteenAreNone) {
  EXPECT_FALSE(masked_places(with_mask(-1e9, 15), kDigits, kGate));
  EXPECT_TRUE(masked_places(with_mask(-1e9, 16), kDigits, kGate));
}

TEST(MaskedPlaces, GatesThatTellOfTheOthersNeedNone) {
  EXPECT_FALSE(masked_places(with_mask(-1e4, 40), kDigits, kGate));
  EXPECT_TRUE(masked_places(with_mask(-1e4, 40), 8, 4e-3));
  EXPECT_FALSE(masked_places(with_mask(-100, 40), 8, 1.0)) << "nearer than 1/256";
}

TEST(MaskedPlaces, TwoMasksMayStandBesideEachOther) {
  std::vector<double> numbers = with_mask(-1e9, 40);
  numbers.insert(numbers.end(), 20, -2e9);
  const auto found = masked_places(numbers, kDigits, kGate);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count, 60u);
  numbers.push_back(5);  // which is beside them as well
  EXPECT_EQ(masked_places(numbers, kDigits, kGate)->rest.count, 101u);
  numbers.push_back(1e6);
  EXPECT_FALSE(masked_places(numbers, kDigits, kGate)) << "answers of all sizes";
}

TEST(MaskedPlaces, AMaskThatWasAddedIsNotCertain) {
  std::vector<double> numbers = scores(100);
  for (const double score : scores(40)) numbers.push_back(-1e9 + score);
  const auto found = masked_places(numbers, kDigits, kGate);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_certain);
  EXPECT_EQ(found->count, 40u);
}

// As of a matrix times its inverse in float32.
TEST(MaskedPlaces, WhatRoundingLeftBesideOneIsNoAnswer) {
  std::vector<double> numbers(40, 1.0);
  for (int i = 1; i <= 100; ++i) numbers.push_back(std::ldexp(i % 5 - 2, -26));
  EXPECT_FALSE(masked_places(numbers, kDigits, kGate));
}

TEST(MaskedPlaces, ZerosAloneAndNothingAreNoOthers) {
  EXPECT_FALSE(masked_places(std::vector<double>{}, kDigits, kGate));
  EXPECT_FALSE(masked_places(with_mask(-1e9, 40, 0), kDigits, kGate));
  std::vector<double> numbers(40, -1e9);
  numbers.resize(100);
  EXPECT_FALSE(masked_places(numbers, kDigits, kGate));
}

TEST(MaskedPlaces, InfinitiesAreNone) {
  EXPECT_FALSE(
      masked_places(with_mask(-std::numeric_limits<double>::infinity(), 40), kDigits, kGate));
}

}  // namespace
}  // namespace nightshift::evaluator
