#include "problems/number_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using search::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Throws;
using ::testing::ThrowsMessage;

// As numpy writes it: a head padded to a multiple of 64 bytes that ends with a line's end.
std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                const std::string& order = "False") {
  std::string dictionary =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while ((10 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  return std::string("\x93NUMPY\x01") + '\0' + static_cast<char>(dictionary.size()) +
         static_cast<char>(dictionary.size() >> 8U) + dictionary + numbers;
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

class NumberFileTest : public ::testing::Test {
 protected:
  NumberFile file(const std::string& text, std::uint64_t elements) const {
    return {folder_.write("x.npy", text), elements};
  }
  std::vector<double> numbers(const std::string& type, const std::string& bytes,
                              std::uint64_t elements) const {
    return in_doubles(file(npy(type, "(" + std::to_string(elements) + ",)", bytes), elements), 0);
  }
  template <class T>
  static std::vector<T> taken(const NumberFile& file, ElementType type, std::uint64_t seed = 0) {
    const std::vector<std::byte> bytes = file.sample(seed, type);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  static std::vector<double> in_doubles(const NumberFile& file, std::uint64_t seed) {
    return taken<double>(file, ElementType::kFloat64, seed);
  }
  // Why a vector of `type` does not take the numbers; "" where it does.
  template <class T>
  std::string misfit(const std::string& their_type, const std::vector<T>& numbers,
                     ElementType type) const {
    const std::string shape = "(" + std::to_string(numbers.size()) + ",)";
    try {
      file(npy(their_type, shape, bytes_of(numbers)), numbers.size()).expect_in(type);
      return "";
    } catch (const NumberFileError& wrong) {
      return wrong.what();
    }
  }
  void expect_refused(const std::string& text, const std::string& why) const {
    EXPECT_THAT([&] { file(text, 1); }, ThrowsMessage<NumberFileError>(HasSubstr(why)));
  }

  ScratchFolder folder_;
};

TEST_F(NumberFileTest, NumbersOfAllTypesAreRead) {
  EXPECT_THAT(numbers("<f4", bytes_of<float>({1.5f, -2}), 2), ElementsAre(1.5, -2));
  EXPECT_THAT(numbers("<f8", bytes_of<double>({1e300}), 1), ElementsAre(1e300));
  EXPECT_THAT(numbers("|i1", bytes_of<std::int8_t>({-128}), 1), ElementsAre(-128));
  EXPECT_THAT(numbers("|b1", bytes_of<std::uint8_t>({1}), 1), ElementsAre(1));
  EXPECT_THAT(numbers("<i8", bytes_of<std::int64_t>({-5}), 1), ElementsAre(-5));
  EXPECT_THAT(numbers("<u2", bytes_of<std::uint16_t>({65535}), 1), ElementsAre(65535));
}

TEST_F(NumberFileTest, HalvesAreNumbersOfTheirOwn) {
  const auto read =
      numbers("<f2", bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff, 0x7c00, 0x7e00}), 6);
  EXPECT_EQ(read[0], 1);
  EXPECT_EQ(read[1], -2);
  EXPECT_EQ(read[2], std::ldexp(1, -24));
  EXPECT_EQ(read[3], 65504);
  EXPECT_TRUE(std::isinf(read[4]));
  EXPECT_TRUE(std::isnan(read[5]));
}

TEST_F(NumberFileTest, ALongerFileHasSamplesThatTheSeedChooses) {
  const NumberFile three =
      file(npy("<i4", "(3, 2)", bytes_of<std::int32_t>({0, 1, 2, 3, 4, 5})), 2);
  EXPECT_EQ(three.samples(), 3u);
  EXPECT_THAT(in_doubles(three, 0), ElementsAre(0, 1));
  EXPECT_THAT(in_doubles(three, 2), ElementsAre(4, 5));
  EXPECT_THAT(in_doubles(three, 4), ElementsAre(2, 3));
  // What is no whole sample is left out.
  EXPECT_THAT(in_doubles(file(npy("<i4", "(3,)", bytes_of<std::int32_t>({7, 8, 9})), 2), 1),
              ElementsAre(7, 8));
}

TEST_F(NumberFileTest, AScalarIsOneNumber) {
  EXPECT_THAT(in_doubles(file(npy("<i4", "()", bytes_of<std::int32_t>({7})), 1), 3),
              ElementsAre(7));
}

TEST_F(NumberFileTest, WholeNumbersKeepAllTheirDigits) {
  constexpr std::int64_t kHash = (std::int64_t{1} << 60) + 1;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const auto hashes = file(npy("<i8", "(2,)", bytes_of<std::int64_t>({kHash, -kHash})), 2);
  EXPECT_THAT(taken<std::int64_t>(hashes, ElementType::kInt64), ElementsAre(kHash, -kHash));
  const auto keys = file(npy("<u8", "(2,)", bytes_of<std::uint64_t>({kLargest, 3})), 2);
  EXPECT_THAT(taken<std::uint64_t>(keys, ElementType::kUint64), ElementsAre(kLargest, 3));
  const auto other = file(npy("<i8", "(1,)", bytes_of<std::int64_t>({kHash})), 1);
  EXPECT_THAT(taken<std::uint64_t>(other, ElementType::kUint64), ElementsAre(kHash));
}

TEST_F(NumberFileTest, ANumberThatTheTypeDoesNotHaveIsToldWithItsPlace) {
  EXPECT_EQ(misfit<std::int64_t>("<i8", {7, 300}, ElementType::kUint8),
            "its number 1, counted from 0, is 300, but its type goes from 0 to 255 (uint8)");
  EXPECT_THAT(misfit<std::int64_t>("<i8", {-1}, ElementType::kUint64),
              HasSubstr("counted from 0, is -1, but"));
  EXPECT_THAT(misfit<std::uint64_t>("<u8", {std::uint64_t{1} << 63U}, ElementType::kInt64),
              HasSubstr("is 9223372036854775808, but its type goes from -9223372036854775808"));
  EXPECT_EQ(misfit<std::uint64_t>("<u8", {(std::uint64_t{1} << 63U) - 1}, ElementType::kInt64), "");
  EXPECT_THAT(misfit<double>("<f8", {0, NAN}, ElementType::kInt32),
              HasSubstr("number 1, counted from 0, is NaN, but its type is an integer"));
  EXPECT_THAT(misfit<float>("<f4", {-INFINITY}, ElementType::kInt64), HasSubstr("(int64)"));
  EXPECT_THAT(misfit<double>("<f8", {1e40}, ElementType::kFloat32), HasSubstr("1e+40"));
  EXPECT_THAT(misfit<float>("<f4", {1e5F}, ElementType::kFloat16), HasSubstr("65504"));
  EXPECT_THAT(misfit<std::int32_t>("<i4", {500}, ElementType::kFloat8E4M3), HasSubstr("448"));
  EXPECT_EQ(misfit<float>("<f4", {NAN, INFINITY, 1e30F}, ElementType::kBfloat16), "");
  EXPECT_EQ(misfit<double>("<f8", {254.7, -0.4}, ElementType::kUint8), "") << "rounded";
}

TEST_F(NumberFileTest, AllSamplesAreLookedAtAndNothingBehindThem) {
  const auto with = [&](std::int32_t fourth, std::int32_t fifth) {
    return file(npy("<i4", "(5,)", bytes_of<std::int32_t>({1, 2, 3, fourth, fifth})), 2);
  };
  EXPECT_NO_THROW(with(4, 1000).expect_in(ElementType::kInt8));
  EXPECT_THAT([&] { with(1000, 5).expect_in(ElementType::kInt8); },
              ThrowsMessage<NumberFileError>(HasSubstr("number 3, counted from 0, is 1000")));
  EXPECT_THAT([&] { (void)with(1000, 5).sample(1, ElementType::kInt8); },
              ThrowsMessage<NumberFileError>(HasSubstr("number 3")));
}

TEST_F(NumberFileTest, WhatIsNotOursIsTold) {
  const std::string four = bytes_of<float>({1});
  expect_refused("text", "is no NPY file");
  expect_refused(std::string("\x93NUMPY\x09\0\x10\0{}", 12), "version 9");
  expect_refused(npy("<f4", "(1,)", four).substr(0, 40), "cut off");
  expect_refused(npy(">f4", "(1,)", four), "little-endian");
  expect_refused(npy("<c8", "(1,)", four + four), "little-endian");
  expect_refused(npy("<f4", "(1,)", four, "True"), "Fortran");
  expect_refused(npy("<f4", "(2,)", four), "fewer numbers than its head says");
  expect_refused(npy("<f4", "(x,)", four), "no number");
  expect_refused(npy("<f4", "5", four), "no tuple");
  expect_refused(npy("<f4", "(99999999999, 99999999999)", four), "more numbers than can be");
  expect_refused(npy("<f4", "(0,)", ""), "it has 0 numbers, and the vector 1");
  EXPECT_THAT([&] { NumberFile(folder_.path("none"), 1); }, Throws<NumberFileError>());
}

}  // namespace
}  // namespace nightshift::problems
