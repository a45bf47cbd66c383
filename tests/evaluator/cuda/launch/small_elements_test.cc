#include "evaluator/cuda/launch/small_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/rng.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "tests/evaluator/cuda/launch/support_setup.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::ElementType;

// Answers on the fake GPU, whose expected elements are doubles.
class SmallElementsTest : public SupportTest {
 protected:
  // Of what is expected, what `made` makes of each in `type`.
  std::optional<std::uint64_t> lost(const std::vector<double>& expected,
                                    const std::function<double(double)>& made,
                                    ElementType type = ElementType::kFloat32) {
    std::vector<double> got(expected.size());
    std::ranges::transform(expected, got.begin(), made);
    const DeviceBuffer right = on_device(expected), numbers = on_device(got);
    const DeviceBuffer answer(expected.size() * search::bytes_of(type), "test", context_->stream());
    const DeviceVector doubles{right.data(), ElementType::kFloat64, expected.size()};
    const DeviceVector answers{answer.data(), type, expected.size()};
    support_->convert({numbers.data(), ElementType::kFloat64, expected.size()}, answers);
    const auto norm = support_->norm(doubles);
    const double rms = std::sqrt(norm.squares / static_cast<double>(norm.numbers));
    return SmallElements(*support_, answers, doubles, rms).lost();
  }
  // `count` numbers of size `size`, with all digits.
  static std::vector<double> of_size(double size, int count) {
    base::Rng dice(static_cast<std::uint64_t>(count));
    std::vector<double> numbers;
    for (int i = 0; i < count; ++i) {
      numbers.push_back((dice.coin() ? -size : size) * (1 + dice.uniform()));
    }
    return numbers;
  }
  static std::vector<double> both(std::vector<double> some, const std::vector<double>& others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
  }
  static double zero_below(double number, double size) {
    return std::abs(number) < size ? 0 : number;
  }

  static DeviceBuffer on_device(const std::vector<double>& numbers) {
    DeviceBuffer buffer(numbers.size() * sizeof(double), "test", context_->stream());
    check(driver().cuMemcpyHtoD_v2(buffer.data(), numbers.data(), buffer.size()), "test");
    return buffer;
  }
};

TEST_F(SmallElementsTest, ZerosBesideLargeOnesAreLost) {
  const auto expected = both(of_size(1, 1000), of_size(1e-5, 16));
  const auto found = lost(expected, [](double e) { return zero_below(e, 1e-3); });
  ASSERT_TRUE(found);
  EXPECT_GE(*found, 1000U);
  EXPECT_EQ(
      std::abs(expected[*found]),
      std::abs(*std::max_element(expected.begin() + 1000, expected.end(),
                                 [](double a, double b) { return std::abs(a) < std::abs(b); })));
  EXPECT_FALSE(lost(expected, [](double e) { return e; }));
}

TEST_F(SmallElementsTest, FewerThanSixteenAreNot) {
  EXPECT_FALSE(lost(both(of_size(1, 1000), of_size(1e-5, 15)),
                    [](double e) { return zero_below(e, 1e-3); }));
}

TEST_F(SmallElementsTest, NextLargerOnesWithoutSuchAnErrorShowThatItIsNoRounding) {
  std::vector<double> expected;
  for (const double size : {1.0, 0.1, 0.03, 0.01, 1e-3, 1e-4}) {
    expected = both(expected, of_size(size, 200));
  }
  EXPECT_TRUE(lost(expected, [](double e) { return zero_below(e, 5e-3); }));
  EXPECT_TRUE(lost(expected, [](double e) { return std::abs(e) < 5e-3 ? e / 3 : e; }));
  // What is lost in some sizes and stays in smaller ones too is no loss of the small.
  EXPECT_FALSE(
      lost(expected, [](double e) { return std::abs(e) > 5e-3 && std::abs(e) < 2.5e-2 ? 0 : e; }));
}

// As much error in elements of any size.
TEST_F(SmallElementsTest, RoundingThatTakesSmallOnesIsRight) {
  std::vector<double> expected;
  for (int octave = 0; octave < 30; ++octave) {
    expected = both(expected, of_size(std::ldexp(1, -octave), 100));
  }
  EXPECT_FALSE(lost(expected, [](double e) { return static_cast<double>(float(1 + e) - 1); }));
  EXPECT_FALSE(lost(expected, [](double e) { return std::rint(e * 4096) / 4096; }));
  for (const ElementType type : {ElementType::kBfloat16, ElementType::kFloat16}) {
    EXPECT_FALSE(lost(
        expected, [](double e) { return e; }, type));
    EXPECT_TRUE(lost(
        expected, [](double e) { return zero_below(e, 0x1p-7); }, type));
  }
}

// Nothing tells of the rounding of 1 then but that of 1.
TEST_F(SmallElementsTest, AloneTheyCountFromTheRoundingOfTheLargeOnes) {
  const auto zero = [](double e) { return zero_below(e, 1e-2); };
  EXPECT_TRUE(lost(both(of_size(1, 1000), of_size(1e-6, 100)), zero));
  EXPECT_FALSE(lost(both(of_size(1, 1000), of_size(1e-9, 100)), zero));
  // What is left of numbers near 1 has few digits.
  EXPECT_FALSE(lost(both(of_size(1, 1000), std::vector<double>(100, std::ldexp(3, -20))), zero));
  EXPECT_FALSE(lost(both(of_size(1, 1000), of_size(1e-4, 100)), zero, ElementType::kBfloat16));
}

TEST_F(SmallElementsTest, WhatHardwareFlushesIsNotLost) {
  EXPECT_FALSE(lost(both(of_size(1e-30, 1000), of_size(1e-38, 100)),
                    [](double e) { return zero_below(e, 1e-35); }));
}

TEST_F(SmallElementsTest, NoAnswerAndAnswersOfZerosHaveNone) {
  const auto zero = [](double) { return 0.0; };
  EXPECT_FALSE(lost({}, zero));
  EXPECT_FALSE(lost(std::vector<double>(100), zero));
  EXPECT_FALSE(lost(std::vector<double>(100, NAN), [](double) { return NAN; }));
  EXPECT_FALSE(lost(
      std::vector<double>(100, 3), [](double e) { return e; }, ElementType::kInt32));
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
