#include "problems/number_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
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
    return file(npy(type, "(" + std::to_string(elements) + ",)", bytes), elements).numbers(0);
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
  EXPECT_THAT(three.numbers(0), ElementsAre(0, 1));
  EXPECT_THAT(three.numbers(2), ElementsAre(4, 5));
  EXPECT_THAT(three.numbers(4), ElementsAre(2, 3));
  // What is no whole sample is left out.
  EXPECT_THAT(file(npy("<i4", "(3,)", bytes_of<std::int32_t>({7, 8, 9})), 2).numbers(1),
              ElementsAre(7, 8));
}

TEST_F(NumberFileTest, AScalarIsOneNumber) {
  EXPECT_THAT(file(npy("<i4", "()", bytes_of<std::int32_t>({7})), 1).numbers(3), ElementsAre(7));
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
