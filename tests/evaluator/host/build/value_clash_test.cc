#include "evaluator/host/build/value_clash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kInCpp =
    "wrapper.cc:90:1: error: static assertion failed: f takes 'n' in a type that does not hold its "
    "value\n";
constexpr const char* kOfGcc =
    "wrapper.c:14:8: error: unsigned conversion from 'long int' to 'unsigned char' changes value "
    "from '1023' to '255' [-Werror=overflow]\n"
    "   14 |   f((void*)0, 1023L);  /* what the values ask */\n      |        ^~~~~\n";
constexpr const char* kOfClang =
    "wrapper.c:14:8: error: implicit conversion changes signedness: 'long' to 'unsigned int' "
    "[-Werror,-Wsign-conversion]\n  f((void*)0, (-1L - 1));  /* what the values ask */\n";
constexpr const char* kElsewhere =
    "f.c:2:3: error: conversion from 'long int' to 'int' may change value [-Werror=conversion]\n"
    "    2 |   int i = n;\n";

std::string clash(const std::string& complaint, bool has_value = true) {
  std::vector<search::Argument> arguments = {vector_argument("x", search::Argument::Access::kIn)};
  std::vector<ArgumentShape> shapes(1);
  if (has_value) {
    const std::int64_t value = 1000;
    arguments.push_back(scalar_argument("n", "N"));
    std::memcpy(shapes.emplace_back().scalar.data(), &value, sizeof value);
  }
  return value_clash("f", arguments, shapes, complaint);
}

TEST(ValueClash, NamesTheValuesWhateverTheCompiler) {
  for (const char* complaint : {kInCpp, kOfGcc, kOfClang}) {
    EXPECT_THAT(clash(complaint), StartsWith("of the values n = 1000 (int64) one does not fit into "
                                             "the type in which f takes it."));
  }
}

TEST(ValueClash, IsNoneWhereAnotherErrorComesFirst) {
  for (const char* complaint : {kInCpp, kOfGcc, kOfClang}) {
    EXPECT_THAT(clash(kElsewhere + std::string(complaint)), IsEmpty()) << complaint;
  }
  EXPECT_THAT(clash(std::string(kElsewhere) + "wrapper.c:14:8: warning: conversion\n"
                                              "   14 |   f(n);  /* what the values ask */\n"),
              IsEmpty());
}

// As of a source that was cut off, where every line of the wrapper is a mistake.
TEST(ValueClash, IsNoneWhereTheLineOfTheValuesHasAnotherMistake) {
  EXPECT_THAT(clash("wrapper.c:14:3: error: implicit declaration of function 'f'\n"
                    "   14 |   f((void*)0, 1000L);  /* what the values ask */\n"),
              IsEmpty());
}

TEST(ValueClash, IsNoneOfAFunctionThatTakesNoValue) {
  for (const char* complaint : {kInCpp, kOfGcc, kOfClang}) {
    EXPECT_THAT(clash(complaint, false), IsEmpty()) << complaint;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
