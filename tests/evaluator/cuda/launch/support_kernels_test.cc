#include "evaluator/cuda/launch/support_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "search/element_type.h"
#include "tests/evaluator/cuda/launch/support_setup.h"

// The kernels that fill and compare, run by the fake GPU on the CPU.
namespace nightshift::evaluator::cuda {
namespace {

using search::ElementType;
using ::testing::ElementsAre;
using Fill = search::Argument::Fill;

class SupportKernelsTest : public SupportTest {
 protected:
  // A vector with these bytes, kept until the test ends.
  template <class T>
  DeviceVector vector(ElementType type, const std::vector<T>& values) {
    DeviceBuffer buffer(values.size() * sizeof(T), "test", context_->stream());
    check(driver().cuMemcpyHtoD_v2(buffer.data(), values.data(), buffer.size()), "test");
    buffers_.push_back(std::move(buffer));
    return {buffers_.back().data(), type, values.size() * sizeof(T) / search::bytes_of(type)};
  }
  std::vector<double> numbers(const DeviceVector& v) {
    std::vector<double> all;
    for (std::uint64_t i = 0; i < v.elements; ++i) all.push_back(support_->read(v, i));
    return all;
  }

  std::vector<DeviceBuffer> buffers_;
};

TEST_F(SupportKernelsTest, ReadsSmallFloatsByTheirBits) {
  const double inf = std::numeric_limits<double>::infinity();
  // IEEE 754 binary16: 1, smallest subnormal, largest, infinity, -2.
  EXPECT_EQ(numbers(vector<std::uint16_t>(ElementType::kFloat16,
                                          {0x3c00, 0x0001, 0x7bff, 0x7c00, 0xc000})),
            (std::vector<double>{1, std::ldexp(1, -24), 65504, inf, -2}));
  EXPECT_EQ(numbers(vector<std::uint16_t>(ElementType::kBfloat16, {0x3f80, 0x4049, 0xff80})),
            (std::vector<double>{1, 3.140625, -inf}));
  // OCP 8-bit formats: e4m3 has no infinity and ends at 448, e5m2 at 57344.
  EXPECT_EQ(numbers(vector<std::uint8_t>(ElementType::kFloat8E4M3, {0x38, 0x7e, 0x01})),
            (std::vector<double>{1, 448, std::ldexp(1, -9)}));
  EXPECT_EQ(numbers(vector<std::uint8_t>(ElementType::kFloat8E5M2, {0x3c, 0x7b, 0x7c})),
            (std::vector<double>{1, 57344, inf}));
  EXPECT_TRUE(std::isnan(numbers(vector<std::uint8_t>(ElementType::kFloat8E4M3, {0x7f}))[0]));
}

TEST_F(SupportKernelsTest, WritesSmallFloatsToNearestEven) {
  const auto stored = [&](ElementType type, double number) {
    const DeviceVector v = vector<std::uint64_t>(type, {0});
    support_->fill({v.data, type, 1}, Fill::kConstant, number, 0, 0);
    return support_->read({v.data, type, 1}, 0);
  };
  EXPECT_EQ(stored(ElementType::kFloat16, 2049), 2048);  // ties to even
  EXPECT_EQ(stored(ElementType::kFloat16, 2051), 2052);
  EXPECT_EQ(stored(ElementType::kFloat16, 65519.9), 65504);
  EXPECT_TRUE(std::isinf(stored(ElementType::kFloat16, 65520)));
  EXPECT_EQ(stored(ElementType::kFloat16, std::ldexp(1.5, -25)), std::ldexp(1, -24));
  EXPECT_EQ(stored(ElementType::kBfloat16, 1.00390625), 1);
  EXPECT_EQ(stored(ElementType::kBfloat16, 1.01171875), 1.015625);
  EXPECT_EQ(stored(ElementType::kFloat8E4M3, 1e6), 448);
  EXPECT_EQ(stored(ElementType::kFloat8E5M2, -3.6), -3.5);
  EXPECT_EQ(stored(ElementType::kInt8, 300), 127);
  EXPECT_EQ(stored(ElementType::kUint8, -3), 0);
}

TEST_F(SupportKernelsTest, EveryBfloat16ComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 37) {
    const auto half = static_cast<std::uint16_t>(bits);
    const std::uint32_t wide = bits << 16;
    float expected = 0;
    std::memcpy(&expected, &wide, sizeof expected);
    const DeviceVector v = vector<std::uint16_t>(ElementType::kBfloat16, {half});
    const double read = support_->read(v, 0);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(read));
      continue;
    }
    EXPECT_EQ(read, static_cast<double>(expected)) << bits;
    support_->fill(v, Fill::kConstant, read, 0, 0);
    EXPECT_EQ(support_->read(v, 0), read) << bits;
  }
}

TEST_F(SupportKernelsTest, FillsAreOfTheirDistributionAndSeed) {
  constexpr std::uint64_t kCount = 20000;
  const auto filled = [&](Fill fill, double low, double high, std::uint64_t seed) {
    const DeviceVector v = vector<float>(ElementType::kFloat32, std::vector<float>(kCount));
    support_->fill(v, fill, low, high, seed);
    std::vector<float> values(kCount);
    check(driver().cuMemcpyDtoH_v2(values.data(), v.data, kCount * sizeof(float)), "test");
    return values;
  };
  const auto normal = filled(Fill::kNormal, 2, 3, 1);
  double sum = 0, squares = 0;
  for (const float x : normal) {
    sum += x;
    squares += (x - 2.0) * (x - 2.0);
  }
  EXPECT_NEAR(sum / kCount, 2, 0.1);
  EXPECT_NEAR(std::sqrt(squares / kCount), 3, 0.1);
  EXPECT_EQ(normal, filled(Fill::kNormal, 2, 3, 1));
  EXPECT_NE(normal, filled(Fill::kNormal, 2, 3, 2));
  for (const float x : filled(Fill::kUniform, -1, 4, 1)) {
    EXPECT_GE(x, -1);
    EXPECT_LE(x, 4);
  }
  EXPECT_EQ(filled(Fill::kSequence, 0, 0, 1)[777], 777);
}

TEST_F(SupportKernelsTest, ComparesByElementAndNamesTheFirstOfTheWorst) {
  const DeviceVector expected = vector<double>(ElementType::kFloat64, {1, 2, 3, 4});
  const auto found =
      support_->compare(vector<float>(ElementType::kFloat32, {1, 2.5, 3, 3.5}), expected, 0.1, 0.0);
  EXPECT_DOUBLE_EQ(found.squares, 0.5);
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(found.worst_at, 1u);  // off by 0.5 where 0.2 was allowed, the other by 0.5 where 0.4
  EXPECT_DOUBLE_EQ(found.worst, 2.5);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto poisoned =
      support_->compare(vector<float>(ElementType::kFloat32, {1, 2, nan, 4}), expected, 0.1, 0.0);
  EXPECT_EQ(poisoned.worst_at, 2u);
  EXPECT_TRUE(std::isinf(poisoned.worst));
}

TEST_F(SupportKernelsTest, WhatIsNotFiniteIsRightWhereItIsExpected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> right = {nan, inf, -inf, 1};
  const auto compared = [&](const std::vector<double>& got, double gate) {
    return support_->compare(vector<double>(ElementType::kFloat64, got),
                             vector<double>(ElementType::kFloat64, right), gate, 0.0);
  };
  EXPECT_EQ(compared(right, 0.1).wrong, 0u);
  EXPECT_EQ(compared(right, 0).wrong, 0u) << "equal numbers need no allowance";
  const auto other = compared({inf, nan, inf, 2}, 0.1);
  EXPECT_EQ(other.wrong, 4u);
  EXPECT_EQ(other.worst_at, 0u);
  EXPECT_TRUE(std::isinf(other.worst));
  EXPECT_EQ(other.squares, 1) << "of what is finite";
  const auto strict = compared({nan, inf, -inf, 1 + 1e-9}, 0);
  EXPECT_EQ(strict.wrong, 1u);
  EXPECT_EQ(strict.worst_at, 3u);
  EXPECT_TRUE(std::isinf(strict.worst));
}

// More threads than shares come to the host, and more elements than a thread loads at once: every
// one counts once.
TEST_F(SupportKernelsTest, LongVectorsAreComparedWhole) {
  constexpr std::size_t kCount = 3000001;
  const std::vector<double> ones(kCount, 1.0);
  const DeviceVector expected = vector<double>(ElementType::kFloat64, ones);
  const SupportKernels::Norm norm = support_->norm(expected);
  EXPECT_EQ(norm.squares, kCount);
  EXPECT_EQ(norm.numbers, kCount);
  std::vector<float> values(kCount, 1.0f);
  for (const std::size_t at : {7u, 4096u * 3 + 7, 2500000u, 3000000u}) values[at] = 1.5f;
  const auto found =
      support_->compare(vector<float>(ElementType::kFloat32, values), expected, 0.125, 0.0);
  EXPECT_EQ(found.wrong, 4u);
  EXPECT_EQ(found.worst_at, 7u);
  EXPECT_DOUBLE_EQ(found.worst, 4);
  EXPECT_DOUBLE_EQ(found.squares, 1);
  const DeviceVector first = vector<float>(ElementType::kFloat32, values);
  const auto sum = support_->checksum(first.data, kCount * sizeof(float));
  std::swap(values[3000000], values[2999999]);
  const DeviceVector other = vector<float>(ElementType::kFloat32, values);
  EXPECT_NE(support_->checksum(other.data, kCount * sizeof(float)), sum);
}

// Whole words of 8 bytes are compared at once, the elements behind the last one by themselves.
TEST_F(SupportKernelsTest, EveryElementOfAWordIsCompared) {
  constexpr std::size_t kCount = 1027;  // three more than whole words of 16 bits
  const DeviceVector ones = vector<float>(ElementType::kFloat32, std::vector<float>(kCount, 1.0f));
  for (const auto& [type, one, more] :
       {std::tuple(ElementType::kBfloat16, 0x3f80, 0x3fc0),  // 1.5 instead of 1
        std::tuple(ElementType::kFloat16, 0x3c00, 0x3e00)}) {
    for (const std::size_t at : {0u, 1u, 2u, 3u, 4u, 513u, 1023u, 1024u, 1026u}) {
      std::vector<std::uint16_t> values(kCount, static_cast<std::uint16_t>(one));
      EXPECT_EQ(support_->compare(vector(type, values), ones, 0.125, 0.0).wrong, 0u);
      values[at] = static_cast<std::uint16_t>(more);
      const auto found = support_->compare(vector(type, values), ones, 0.125, 0.0);
      EXPECT_EQ(found.wrong, 1u) << at;
      EXPECT_EQ(found.worst_at, at);
      EXPECT_DOUBLE_EQ(found.worst, 4);
      EXPECT_DOUBLE_EQ(found.squares, 0.25);
    }
  }
}

TEST_F(SupportKernelsTest, AComparisonTellsTheChecksumOfWhatItCompared) {
  std::vector<std::uint8_t> bytes(8 * 1003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 % 120);
  const DeviceVector floats =
      vector<float>(ElementType::kFloat32, std::vector<float>(bytes.size(), 1.0f));
  const DeviceVector doubles =
      vector<double>(ElementType::kFloat64, std::vector<double>(bytes.size(), 1.0));
  for (const auto type : {ElementType::kInt8, ElementType::kUint16, ElementType::kFloat32,
                          ElementType::kInt64, ElementType::kFloat64, ElementType::kFloat16,
                          ElementType::kBfloat16, ElementType::kFloat8E4M3}) {
    for (const std::uint64_t elements : {1u, 7u, 1001u}) {
      const DeviceVector got = {vector<std::uint8_t>(type, bytes).data, type, elements};
      const auto sum = support_->checksum(got.data, elements * search::bytes_of(type));
      for (const DeviceVector& expected : {got, floats, doubles}) {
        EXPECT_EQ(support_->compare(got, {expected.data, expected.type, elements}, 1, 1).sum, sum)
            << static_cast<int>(type) << " " << elements;
      }
    }
  }
}

TEST_F(SupportKernelsTest, ConvertsToTheNearestNumber) {
  const DeviceVector doubles = vector<double>(ElementType::kFloat64, {1.0 / 3, -2, 1e300});
  const DeviceVector floats = vector<float>(ElementType::kFloat32, {0, 0, 0});
  support_->convert(doubles, floats);
  EXPECT_THAT(numbers(floats), ElementsAre(static_cast<double>(1.0f / 3), -2,
                                           std::numeric_limits<double>::infinity()));
  const DeviceVector back = vector<double>(ElementType::kFloat64, {0, 0, 0});
  support_->convert(floats, back);
  EXPECT_EQ(numbers(back), numbers(floats));
}

TEST_F(SupportKernelsTest, CountsBytesThatDifferInManyAreas) {
  std::vector<std::uint8_t> bytes(70 * 1001, 0xb7);
  const DeviceVector whole = vector<std::uint8_t>(ElementType::kUint8, bytes);
  bytes[0] = bytes[1000] = bytes[69 * 1001 + 500] = 0;
  const DeviceVector spoiled = vector<std::uint8_t>(ElementType::kUint8, bytes);
  std::vector<DevicePointer> areas;
  for (std::uint64_t i = 0; i < 70; ++i) areas.push_back(whole.data + i * 1001);
  EXPECT_EQ(support_->differences(areas, 1001, 0xb7), 0u);
  for (std::uint64_t i = 0; i < 70; ++i) areas[i] = spoiled.data + i * 1001;
  EXPECT_EQ(support_->differences(areas, 1001, 0xb7), 3u);
}

TEST_F(SupportKernelsTest, IntegersAreEqualOrWrong) {
  const std::vector<std::int64_t> large = {(1LL << 53) + 1, 5};
  const DeviceVector expected = vector<std::int64_t>(ElementType::kInt64, large);
  EXPECT_EQ(support_->compare(expected, expected, 0, 0).wrong, 0u);
  // A double cannot tell these apart.
  const DeviceVector off = vector<std::int64_t>(ElementType::kInt64, {1LL << 53, 5});
  EXPECT_EQ(support_->compare(off, expected, 0, 1e9).wrong, 1u);
}

// What quantises rounds a few elements the other way.
TEST_F(SupportKernelsTest, IntegersMayDifferWhereTheirGateSaysSo) {
  const DeviceVector expected =
      vector<std::int8_t>(ElementType::kInt8, {10, -20, 127, 0, 5, 6, 7, 8, 9});
  const DeviceVector near =
      vector<std::int8_t>(ElementType::kInt8, {11, -20, 126, 1, 5, 6, 7, 8, 9});
  const DeviceVector far =
      vector<std::int8_t>(ElementType::kInt8, {11, -20, 126, 1, 5, 6, 7, 8, 39});
  const auto allowed = support_->compare(near, expected, 0.1, 20);
  EXPECT_EQ(allowed.wrong, 0u);
  EXPECT_DOUBLE_EQ(allowed.squares, 3);
  const auto found = support_->compare(far, expected, 0.1, 20);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.worst_at, 8u);
  EXPECT_EQ(support_->compare(near, expected, 0, 20).wrong, 3u);
}

TEST_F(SupportKernelsTest, ChecksumsSeeEveryByteAndItsPlace) {
  std::vector<std::uint8_t> bytes(1003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  const auto sum = [&](const std::vector<std::uint8_t>& of) {
    const DeviceVector v = vector<std::uint8_t>(ElementType::kUint8, of);
    return support_->checksum(v.data, of.size());
  };
  const std::uint64_t right = sum(bytes);
  for (const std::size_t at : {0u, 500u, 999u, 1000u, 1002u}) {
    std::vector<std::uint8_t> other = bytes;
    other[at] ^= 1;
    EXPECT_NE(sum(other), right) << at;
  }
  std::swap(bytes[1000], bytes[1001]);
  EXPECT_NE(sum(bytes), right);
}

TEST_F(SupportKernelsTest, WhatIsLeftWhereNanWasComputedIsFound) {
  const std::uint64_t nan = 0x7ff8000000000000, poison = ~std::uint64_t{0},
                      one = 0x3ff0000000000000;
  const DeviceVector expected =
      vector<std::uint64_t>(ElementType::kFloat64, {one, nan, poison, nan, one, nan});
  const auto first = [&](const std::vector<std::uint16_t>& got, unsigned char left) {
    return support_->first_left(vector<std::uint16_t>(ElementType::kFloat16, got), expected, left,
                                0xff);
  };
  EXPECT_EQ(first({0x3c00, 0x7e00, 0xffff, 0xffff, 0xffff, 0xffff}, 0xff), 3u);
  EXPECT_EQ(first({0x3c00, 0xa5a5, 0xffff, 0xffff, 0x3c00, 0xa5a5}, 0xa5), 1u);
  EXPECT_EQ(first({0xffff, 0x7e00, 0xffff, 0xfe00, 0xffff, 0xa5ff}, 0xff), std::nullopt);
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
