#include "evaluator/answers/verification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace nightshift::evaluator {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::optional<search::WrongResult> verify_floats(const std::vector<float>& got,
                                                 const std::vector<double>& expected,
                                                 search::Tolerance tolerance = {0, 0},
                                                 const std::vector<double>& rounding = {}) {
  return verify("y", search::ElementType::kFloat32, reinterpret_cast<const std::byte*>(got.data()),
                got.size(), {0, expected, {}, 0, rounding}, tolerance);
}

template <class T>
std::optional<search::WrongResult> verify_integers(search::ElementType type,
                                                   const std::vector<T>& got,
                                                   const std::vector<T>& expected,
                                                   search::Tolerance tolerance = {0, 0}) {
  ExpectedOutput output;
  output.integers.resize(expected.size() * sizeof(T));
  std::memcpy(output.integers.data(), expected.data(), output.integers.size());
  return verify("y", type, reinterpret_cast<const std::byte*>(got.data()), got.size(), output,
                tolerance);
}

TEST(Verification, EqualIsRight) { EXPECT_FALSE(verify_floats({1, 2}, {1, 2})); }

TEST(Verification, ToleranceIsAbsolutePlusRelative) {
  EXPECT_FALSE(verify_floats({101.5f}, {100}, {0.01, 0.5}));
  EXPECT_TRUE(verify_floats({101.75f}, {100}, {0.01, 0.5}));
  EXPECT_FALSE(verify_floats({-101.5f}, {-100}, {0.01, 0.5}));
}

TEST(Verification, WorstIsByErrorOverTolerance) {
  const auto wrong = verify_floats({1010, 0.5f}, {1000, 0}, {0.001, 0.01});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->element, 1u);
  EXPECT_EQ(wrong->tolerance, 0.01);
}

TEST(Verification, WhatRoundingExplainsIsRightUpToAMost) {
  EXPECT_TRUE(verify_floats({5e-7f}, {0}, {0, 1e-9}));
  EXPECT_FALSE(verify_floats({5e-7f}, {0}, {0, 1e-9}, {6e-7}));
  EXPECT_TRUE(verify_floats({5e-7f}, {0}, {0, 1e-9}, {4e-7}));
  EXPECT_TRUE(verify_floats({2e-6f}, {0}, {0, 1e-9}, {1}));
}

TEST(Verification, SizeIsOfTheNumbersThatAreFinite) {
  EXPECT_EQ(size_of({}), 0);
  EXPECT_EQ(size_of({0, std::nan("")}), 0);
  EXPECT_DOUBLE_EQ(size_of({3, -3, kInf}), 3);
  EXPECT_DOUBLE_EQ(size_of({2, 0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(size_of({1e-320}), 1e-320);
  EXPECT_DOUBLE_EQ(size_of({1e300, 1e300}), 1e300);
}

TEST(Verification, NanAgreesWithNanAlone) {
  EXPECT_FALSE(verify_floats({kNan}, {std::nan("")}));
  EXPECT_TRUE(verify_floats({kNan}, {1}, {1, 1e9}));
  EXPECT_TRUE(verify_floats({1}, {std::nan("")}, {1, 1e9}));
}

TEST(Verification, NanIsWorseThanAnyNumber) {
  const auto wrong = verify_floats({1e30f, kNan, 1e35f}, {0, 0, 0}, {0, 1});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->element, 1u);
  EXPECT_TRUE(std::isinf(wrong->error));
}

TEST(Verification, InfinityAgreesWithItselfAlone) {
  EXPECT_FALSE(verify_floats({kInf, -kInf}, {kInf, -kInf}));
  EXPECT_TRUE(verify_floats({kInf}, {-kInf}, {1, 1}));
  EXPECT_TRUE(verify_floats({1}, {kInf}, {1, 1}));
  EXPECT_TRUE(verify_floats({kInf}, {1}, {1, 1}));
}

TEST(Verification, IntegersKeepAllTheirBits) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const auto wrong =
      verify_integers<std::uint64_t>(search::ElementType::kUint64, {most}, {most - 1});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error, 1);
  EXPECT_EQ(search::describe(*wrong),
            "wrong result: y[0] is 18446744073709551615 where 18446744073709551614 was expected, "
            "off by 1 with a tolerance of 0");
  EXPECT_EQ(unwritten(*wrong).message,
            "y[0] was not written, where 18446744073709551614 was expected");
}

TEST(Verification, IntegersBeyondDoublesAreToldWithAllDigits) {
  constexpr std::int64_t kFirst = (std::int64_t{1} << 53) + 1;
  const auto wrong = verify_integers<std::int64_t>(search::ElementType::kInt64, {0, -kFirst},
                                                   {0, -kFirst + 1}, {0, 0.5});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(search::describe(*wrong),
            "wrong result: y[1] is -9007199254740993 where -9007199254740992 was expected, off by "
            "1 with a tolerance of 0.5");
  const auto small =
      verify_integers<std::int64_t>(search::ElementType::kInt64, {-kFirst + 1}, {-kFirst + 2});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->message, "") << "doubles have them";
  EXPECT_EQ(unwritten(*small).message,
            "y[0] was not written, where -9007199254740991.0 was expected");
}

TEST(Verification, DistanceOfIntegersDoesNotOverflow) {
  using Limits = std::numeric_limits<std::int64_t>;
  const auto wrong =
      verify_integers<std::int64_t>(search::ElementType::kInt64, {Limits::max()}, {Limits::min()});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error, std::ldexp(1.0, 64));
}

double error_of(const std::vector<float>& got, const std::vector<double>& expected) {
  return relative_error(search::ElementType::kFloat32,
                        reinterpret_cast<const std::byte*>(got.data()), got.size(),
                        {0, expected, {}});
}

TEST(RelativeError, IsThatOfTheWholeOutput) {
  EXPECT_EQ(error_of({3, 4}, {3, 4}), 0);
  EXPECT_DOUBLE_EQ(error_of({3, 4.5f}, {3, 4}), 0.1);
  EXPECT_DOUBLE_EQ(error_of({-3, 4.5f}, {-3, 4}), 0.1);
}

TEST(RelativeError, LeavesOutWhatIsNoNumber) {
  EXPECT_DOUBLE_EQ(error_of({kNan, 3, kInf, 4.5f}, {kNan, 3, kInf, 4}), 0.1);
}

TEST(RelativeError, BesideZerosIsTheErrorItself) {
  EXPECT_DOUBLE_EQ(error_of({0.25f, 0, 0, 0}, {0, 0, 0, 0}), 0.25);
  EXPECT_EQ(error_of({}, {}), 0);
}

TEST(Verification, IntegersHaveToleranceToo) {
  EXPECT_FALSE(verify_integers<std::int8_t>(search::ElementType::kInt8, {-5}, {-4}, {0, 1}));
  EXPECT_TRUE(verify_integers<std::int8_t>(search::ElementType::kInt8, {-6}, {-4}, {0, 1}));
}

}  // namespace
}  // namespace nightshift::evaluator
