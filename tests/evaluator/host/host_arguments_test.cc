#include "evaluator/host/host_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "evaluator/host/build/host_call.h"
#include "evaluator/host/cache_eviction.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using Access = search::Argument::Access;
using Fill = search::Argument::Fill;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;

template <class T>
std::vector<T> numbers(const GuardedBuffer& buffer) {
  std::vector<T> all(buffer.size() / sizeof(T));
  std::memcpy(all.data(), buffer.data(), buffer.size());
  return all;
}

search::HostBackend host_with(std::vector<search::Argument> arguments) {
  search::HostBackend host;
  host.cases.front() = {{"N", 1000}};
  host.arguments = std::move(arguments);
  return host;
}

HostArguments arguments_for(const search::HostBackend& host, std::uint64_t seed = 1,
                            HostArguments::View view = HostArguments::View::kKernel) {
  return {host.arguments, shapes_of(host, {}), seed, view};
}

template <class T>
std::vector<T> filled(search::ElementType type, Fill fill, double low, double high,
                      std::uint64_t seed = 1) {
  auto argument = vector_argument("x", Access::kIn);
  argument.type = type;
  argument.fill = fill;
  argument.low = low;
  argument.high = high;
  return numbers<T>(arguments_for(host_with({argument}), seed).buffer(0));
}

TEST(HostArguments, UniformStaysInItsBounds) {
  const auto values = filled<float>(search::ElementType::kFloat32, Fill::kUniform, -3, 5);
  EXPECT_EQ(values.size(), 1000u);
  EXPECT_THAT(values, Each(AllOf(Ge(-3), Le(5))));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -2.5);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 4.5);
}

TEST(HostArguments, UniformIntegersTakeBothBoundsAndAllBetween) {
  const auto values = filled<std::int8_t>(search::ElementType::kInt8, Fill::kUniform, -2, 2);
  EXPECT_EQ(std::set<int>(values.begin(), values.end()), (std::set<int>{-2, -1, 0, 1, 2}));
}

TEST(HostArguments, NormalHasItsMeanAndDeviation) {
  const auto values = filled<double>(search::ElementType::kFloat64, Fill::kNormal, 10, 2);
  double mean = 0, square = 0;
  for (const double v : values) mean += v / 1000;
  for (const double v : values) square += (v - mean) * (v - mean) / 999;
  EXPECT_NEAR(mean, 10, 0.3);
  EXPECT_NEAR(std::sqrt(square), 2, 0.2);
}

TEST(HostArguments, ConstantAndSequenceAreWhatTheySay) {
  EXPECT_THAT(filled<float>(search::ElementType::kFloat32, Fill::kConstant, 2.5, 9), Each(2.5f));
  const auto counted = filled<std::int32_t>(search::ElementType::kInt32, Fill::kSequence, -1, 1);
  EXPECT_EQ(counted[0], 0);
  EXPECT_EQ(counted[999], 999);
}

// Two samples of 1,000 numbers, of 1.4 and of 2.6.
std::string two_samples() {
  std::string text = "\x93NUMPY\x01";
  const std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1000), }";
  text += {'\0', static_cast<char>(head.size()), '\0'};
  text += head;
  for (const float number : {1.4f, 2.6f}) {
    for (int i = 0; i < 1000; ++i)
      text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return text;
}

TEST(HostArguments, NumbersOfAFileAreTheNearestOfTheType) {
  const TemporaryFolder folder;
  auto argument = vector_argument("x", Access::kIn);
  argument.type = search::ElementType::kInt8;
  argument.fill = Fill::kFile;
  argument.file = folder.write("x.npy", two_samples());
  const auto host = host_with({argument});
  std::set<std::int8_t> seen;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto read = numbers<std::int8_t>(arguments_for(host, seed).buffer(0));
    EXPECT_THAT(read, Each(read.front()));
    seen.insert(read.front());
  }
  EXPECT_EQ(seen, (std::set<std::int8_t>{1, 3}));
}

TEST(HostArguments, WholeNumbersOfAFileKeepTheirDigits) {
  constexpr std::int64_t kHash = (std::int64_t{1} << 60) + 1;
  const TemporaryFolder folder;
  std::string text = "\x93NUMPY\x01";
  const std::string head = "{'descr': '<i8', 'fortran_order': False, 'shape': (1000,), }";
  text += {'\0', static_cast<char>(head.size()), '\0'};
  text += head;
  for (int i = 0; i < 1000; ++i) text.append(reinterpret_cast<const char*>(&kHash), sizeof kHash);
  auto argument = vector_argument("x", Access::kIn);
  argument.type = search::ElementType::kInt64;
  argument.fill = Fill::kFile;
  argument.file = folder.write("x.npy", text);
  const auto host = host_with({argument});
  for (const auto view : {HostArguments::View::kKernel, HostArguments::View::kReference}) {
    EXPECT_THAT(numbers<std::int64_t>(arguments_for(host, 1, view).buffer(0)), Each(kHash));
  }
}

TEST(HostArguments, TheReferenceSeesTheNumbersOfAFileAsTheKernelDoes) {
  const TemporaryFolder folder;
  auto argument = vector_argument("x", Access::kIn);
  argument.fill = Fill::kFile;
  argument.file = folder.write("x.npy", two_samples());
  const auto host = host_with({argument});
  const auto narrow = numbers<float>(arguments_for(host).buffer(0));
  const auto wide =
      numbers<double>(arguments_for(host, 1, HostArguments::View::kReference).buffer(0));
  EXPECT_EQ(wide.front(), static_cast<double>(narrow.front()));
}

TEST(HostArguments, IntegersAreHeldInTheRangeOfTheirType) {
  EXPECT_THAT(filled<std::uint8_t>(search::ElementType::kUint8, Fill::kConstant, 1e9, 0),
              Each(255));
  EXPECT_THAT(filled<std::uint64_t>(search::ElementType::kUint64, Fill::kConstant, -1, 0),
              Each(0u));
  EXPECT_THAT(filled<std::int64_t>(search::ElementType::kInt64, Fill::kConstant, 1e300, 0),
              Each(std::numeric_limits<std::int64_t>::max()));
}

TEST(HostArguments, SameSeedGivesTheSameNumbersAndAnotherOthers) {
  const auto draw = [](std::uint64_t seed) {
    return filled<float>(search::ElementType::kFloat32, Fill::kUniform, -1, 1, seed);
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}

TEST(HostArguments, EachArgumentHasAStreamOfItsOwn) {
  const auto two =
      host_with({vector_argument("a", Access::kIn), vector_argument("b", Access::kIn)});
  const HostArguments both = arguments_for(two);
  EXPECT_NE(numbers<float>(both.buffer(0)), numbers<float>(both.buffer(1)));
}

TEST(HostArguments, TheReferenceSeesTheKernelsRoundedNumbersAsDoubles) {
  const auto host = host_with({vector_argument("a", Access::kIn)});
  const auto narrow = numbers<float>(arguments_for(host).buffer(0));
  const auto wide =
      numbers<double>(arguments_for(host, 1, HostArguments::View::kReference).buffer(0));
  EXPECT_EQ(std::vector<double>(narrow.begin(), narrow.end()), wide);
}

TEST(HostArguments, OutputsStartPoisoned) {
  const auto host = host_with({vector_argument("y", Access::kOut)});
  for (const float v : numbers<float>(arguments_for(host).buffer(0))) EXPECT_TRUE(std::isnan(v));
}

TEST(HostArguments, ScalarIsStoredInItsOwnType) {
  auto half = scalar_argument("half", "N / 2000");
  half.type = search::ElementType::kFloat32;
  auto host = host_with({half, scalar_argument("n", "N + 1")});
  HostArguments arguments = arguments_for(host);
  EXPECT_EQ(*static_cast<float*>(arguments.pointers()[0]), 0.5f);
  EXPECT_EQ(*static_cast<std::int64_t*>(arguments.pointers()[1]), 1001);
}

std::string shape_error(const search::Argument& argument) {
  try {
    shapes_of(host_with({argument}), {});
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(HostArguments, ScalarsThatDoNotFitAreRefused) {
  auto small = scalar_argument("s", "N");
  small.type = search::ElementType::kInt8;
  EXPECT_THAT(shape_error(small), HasSubstr("'s' is 1000, which does not fit its type"));
  auto negative = scalar_argument("s", "-1");
  negative.type = search::ElementType::kUint64;
  EXPECT_THAT(shape_error(negative), HasSubstr("which does not fit its type"));
  EXPECT_THAT(shape_error(scalar_argument("s", "N / 3")), HasSubstr("no whole number"));
  EXPECT_THAT(shape_error(scalar_argument("s", "'word'")), HasSubstr("the value of argument 's'"));
  EXPECT_THAT(shape_error(scalar_argument("s", "UNKNOWN")), HasSubstr("UNKNOWN"));
}

TEST(HostArguments, SizesThatMakeNoSenseAreRefused) {
  for (const char* size : {"-1", "N / 3", "10**15", "'many'", "1 // 0"}) {
    auto argument = vector_argument("x", Access::kIn);
    argument.size = search::Expression::parse(size);
    EXPECT_THAT(shape_error(argument), HasSubstr("the size of argument 'x'")) << size;
  }
}

TEST(HostArguments, EmptyVectorIsFine) {
  auto argument = vector_argument("x", Access::kInOut);
  argument.size = search::Expression::parse("0");
  HostArguments arguments = arguments_for(host_with({argument}));
  arguments.restore();
  EXPECT_THAT(arguments.damage(), IsEmpty());
}

TEST(GuardedBuffer, StartsAtACacheLineAndEndsBeforeAGuardPage) {
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 4096u, 100000u}) {
    const GuardedBuffer buffer(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    const auto end = reinterpret_cast<std::uintptr_t>(buffer.data()) + bytes;
    EXPECT_THAT((4096 - end % 4096) % 4096, Lt(64u));
    EXPECT_TRUE(buffer.intact());
  }
}

TEST(GuardedBuffer, NoticesWhatIsWrittenAroundIt) {
  const GuardedBuffer behind(1000), before(1000);
  behind.data()[1000] = std::byte{1};
  before.data()[-1] = std::byte{1};
  EXPECT_FALSE(behind.intact());
  EXPECT_FALSE(before.intact());
}

TEST(GuardedBufferDeathTest, OverrunOfAWholeLineFaults) {
  const GuardedBuffer buffer(1000);
  volatile std::byte* data = buffer.data();
  EXPECT_DEATH(data[1000 + 64] = std::byte{1}, "");
  EXPECT_DEATH(data[1000 + 900000] = std::byte{1}, "");
}

TEST(CacheEviction, ReadsTwiceTheLastLevelCache) {
  CacheEviction eviction;
  EXPECT_EQ(eviction.bytes(), 0u);
  eviction.evict();
  EXPECT_EQ(eviction.bytes(), 2 * last_level_cache_bytes());
}

TEST(HostArguments, AnotherSeedMakesOtherInputsInTheSamePlace) {
  const auto host =
      host_with({vector_argument("x", Access::kIn), vector_argument("y", Access::kOut),
                 vector_argument("z", Access::kInOut)});
  HostArguments arguments = arguments_for(host, 1);
  const void* const place = arguments.pointers()[0];
  arguments.refill(2);
  EXPECT_EQ(arguments.pointers()[0], place);
  const HostArguments other = arguments_for(host, 2);
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_EQ(numbers<float>(arguments.buffer(i)), numbers<float>(other.buffer(i)));
  }
  EXPECT_THAT(arguments.damage(), IsEmpty());
}

TEST(HostArguments, WhatACallLeftIsPutBack) {
  const auto host =
      host_with({vector_argument("x", Access::kIn), vector_argument("y", Access::kOut),
                 vector_argument("z", Access::kInOut)});
  HostArguments arguments = arguments_for(host);
  const std::vector<float> first = numbers<float>(arguments.buffer(2));
  HostArguments::Contents left;
  for (const std::size_t i : {1U, 2U}) {
    std::memset(arguments.buffer(i).data(), 0, arguments.buffer(i).size());
  }
  arguments.read_outputs(left);
  EXPECT_THAT(left[0], IsEmpty());
  arguments.restore();
  arguments.poison_outputs();
  // Before a call what is both input and output is an input.
  arguments.write_outputs(left);
  EXPECT_THAT(numbers<float>(arguments.buffer(1)), Each(0.0F));
  EXPECT_EQ(numbers<float>(arguments.buffer(2)), first);
  arguments.put_back(left);
  EXPECT_THAT(numbers<float>(arguments.buffer(2)), Each(0.0F));
}

}  // namespace
}  // namespace nightshift::evaluator
