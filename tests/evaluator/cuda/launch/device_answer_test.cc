#include "evaluator/cuda/launch/device_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "search/figures/usual_gate.h"
#include "tests/evaluator/cuda/launch/support_setup.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::ElementType;
using ::testing::HasSubstr;

constexpr double kGate = 2e-6;

// One output on the fake GPU, and what a baseline computed of it.
class DeviceAnswerTest : public SupportTest {
 protected:
  template <class T>
  static DeviceAnswer::Verdict judged(const std::vector<T>& got, const std::vector<T>& expected,
                                      ElementType type, search::CudaGate gate) {
    search::CudaBackend cuda;
    search::Argument output;
    output.name = "y";
    output.type = type;
    output.access = search::Argument::Access::kOut;
    cuda.arguments = {output};
    cuda.gates = {gate};
    CasePlan plan;
    plan.shapes.resize(1);
    plan.shapes[0].elements = expected.size();
    DeviceArguments arguments(cuda.arguments, plan, 1, *context_, *support_, {});
    put(expected, arguments);
    const DeviceAnswer answer = DeviceAnswer::of_outputs(cuda, arguments, *context_, *support_);
    put(got, arguments);
    return answer.judge(arguments, *support_);
  }
  static DeviceAnswer::Verdict judged(const std::vector<float>& got,
                                      const std::vector<float>& expected,
                                      double element = search::kElementGate * kGate) {
    return judged(got, expected, ElementType::kFloat32, {0, kGate, element});
  }
  // A half of `mask`, and between them `factor` times what is drawn.
  static std::vector<float> masked(float mask, float factor) {
    base::Rng dice(2);
    std::vector<float> numbers;
    for (int i = 0; i < 200; ++i) {
      const auto score = static_cast<float>(0.125 + dice.uniform());
      numbers.push_back(i % 2 == 0 ? mask : factor * score);
    }
    return numbers;
  }

 private:
  template <class T>
  static void put(const std::vector<T>& numbers, const DeviceArguments& arguments) {
    check(driver().cuMemcpyHtoD_v2(arguments.vector(0).data, numbers.data(),
                                   numbers.size() * sizeof(T)),
          "test");
  }
};

TEST_F(DeviceAnswerTest, WhatIsBesideAMaskIsMeasuredByItsOwnSize) {
  for (const float mask : {-1e9f, -1e30f, std::numeric_limits<float>::lowest()}) {
    const std::vector<float> expected = masked(mask, 1);
    EXPECT_FALSE(judged(expected, expected).wrong);
    EXPECT_FALSE(judged(masked(mask, 1 + 0x1p-23f), expected).wrong);
    for (const float factor : {-1.0f, 0.0f, 1.01f}) {
      const auto verdict = judged(masked(mask, factor), expected);
      ASSERT_TRUE(verdict.wrong) << mask << ", " << factor;
      EXPECT_EQ(verdict.wrong->element % 2, 1u);
      EXPECT_GT(verdict.error, kGate);
    }
  }
}

TEST_F(DeviceAnswerTest, AMaskThatWasAddedHidesNothingEither) {
  std::vector<double> expected, right, wrong;
  base::Rng dice(2);
  for (int i = 0; i < 200; ++i) {
    const double score = 0.125 + dice.uniform();
    expected.push_back(i % 2 == 0 ? score - 1e20 : score);
    right.push_back(expected.back() * (1 + 0x1p-53));
    wrong.push_back(i % 2 == 0 ? score - 1e20 : -score);
  }
  const search::CudaGate gate{0, 1e-12, 1e-11};
  EXPECT_FALSE(judged(right, expected, ElementType::kFloat64, gate).wrong);
  EXPECT_TRUE(judged(wrong, expected, ElementType::kFloat64, gate).wrong);
}

TEST_F(DeviceAnswerTest, SquaresBeyondAllNumbersHideNothing) {
  std::vector<double> expected(100, std::numeric_limits<double>::lowest());
  for (int i = 1; i <= 100; ++i) expected.push_back(1.0 / i);
  std::vector<double> wrong = expected;
  wrong[150] *= 1.001;
  const search::CudaGate gate{0, 1e-12, 1e-11};
  EXPECT_FALSE(judged(expected, expected, ElementType::kFloat64, gate).wrong);
  const auto verdict = judged(wrong, expected, ElementType::kFloat64, gate);
  ASSERT_TRUE(verdict.wrong);
  EXPECT_EQ(verdict.wrong->element, 150u);
}

TEST_F(DeviceAnswerTest, WhoSaysWhatElementsMayBeOffByIsNotAsked) {
  EXPECT_FALSE(judged(masked(-1e9f, -1), masked(-1e9f, 1), 3e-5).wrong);
}

TEST_F(DeviceAnswerTest, IntegersHaveAllOfTheirDigits) {
  std::vector<std::int64_t> expected(64, 3545165270820113410), got = expected;
  got[7] += 1;
  auto wrong = judged(got, expected, ElementType::kInt64, {0, 0, 0}).wrong;
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error, 1);
  EXPECT_EQ(wrong->message,
            "y[7] is 3545165270820113411 where 3545165270820113410 was expected, off by 1 with a "
            "tolerance of 0");
  const std::vector<std::uint64_t> large(64, ~std::uint64_t{0}), less(64, ~std::uint64_t{0} - 2);
  wrong = judged(less, large, ElementType::kUint64, {0, 0, 0}).wrong;
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error, 2);
  EXPECT_THAT(wrong->message, HasSubstr("is 18446744073709551613 where 18446744073709551615 was"));
}

TEST_F(DeviceAnswerTest, SmallIntegersNeedNoWordsOfTheirOwn) {
  const std::vector<std::int64_t> expected(64, 5), got(64, 3);
  const auto wrong = judged(got, expected, ElementType::kInt64, {0, 0, 0}).wrong;
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error, 2);
  EXPECT_EQ(wrong->message, "");
}

// A step of e4m3 is an eighth of a number at most, one of e5m2 a quarter.
TEST_F(DeviceAnswerTest, OfEightBitsAStepIsRoundingAndAZeroIsNone) {
  for (const auto& [type, one] :
       {std::pair(ElementType::kFloat8E4M3, 0x38), {ElementType::kFloat8E5M2, 0x3c}}) {
    std::vector<std::uint8_t> expected;  // 1, 1 and a step, -1, ...
    for (int i = 0; i < 4096; ++i) {
      expected.push_back(static_cast<std::uint8_t>(one + i % 2 + (i % 4 < 2 ? 0 : 0x80)));
    }
    const search::CudaGate gate{0, 0.1, search::usual_element_gate(type, 0.1)};
    EXPECT_FALSE(judged(expected, expected, type, gate).wrong);
    std::vector<std::uint8_t> step = expected, zero = expected;
    step[7] = static_cast<std::uint8_t>(step[7] - 1);
    EXPECT_FALSE(judged(step, expected, type, gate).wrong) << search::name_of(type);
    zero[7] = 0;
    const auto wrong = judged(zero, expected, type, gate).wrong;
    ASSERT_TRUE(wrong) << search::name_of(type);
    EXPECT_EQ(wrong->element, 7u);
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
