#include "evaluator/command/figures/broken_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(BrokenObject, NamesLineAndColumnAndWhy) {
  EXPECT_EQ(
      broken_object("begin\n{\n  \"time\": 1,\n}\nend\n"),
      "the JSON object of line 2 breaks in line 4, column 1: a comma stands before '}'; the line "
      "is '}'");
  EXPECT_EQ(
      broken_object("{\"a\": [1, 2, ]}\n"),
      "the JSON object of line 1 breaks in line 1, column 14: a comma stands before ']'; the line "
      "is '{\"a\": [1, 2, ]}'");
  EXPECT_EQ(
      broken_object("{\n  \"time\": 1 // ms\n}\n"),
      "the JSON object of line 1 breaks in line 2, column 13: JSON has no comments; the line is "
      "'\"time\": 1 // ms'");
  EXPECT_THAT(
      broken_object("{'time': 1}\n"),
      StartsWith("the JSON object of line 1 breaks in line 1, column 2: texts of JSON stand in "
                 "double quotes"));
}

TEST(BrokenObject, SaysThatOneIsCutOff) {
  EXPECT_EQ(broken_object("{\n  \"benchmarks\": [\n    {\"time\": 1},\n"),
            "the JSON object of line 1 is not closed before the output ends");
}

TEST(BrokenObject, OfSeveralTakesTheOneThatGoesFarthest) {
  EXPECT_THAT(broken_object("{starting}\n{\n \"a\": [\n{\"b\": 1},\n{\"c\": 2},\n],\n}\n"),
              StartsWith("the JSON object of line 2 breaks in line 6, column 1: a comma"));
}

TEST(BrokenObject, IsNoneWithoutABrace) {
  EXPECT_THAT(broken_object("time 3\n"), IsEmpty());
  EXPECT_THAT(broken_object(""), IsEmpty());
  EXPECT_THAT(broken_object("{\"a\": NaN}"), IsEmpty());
}

TEST(BrokenLine, AsksForAnswersInOneLine) {
  EXPECT_EQ(broken_line("{"), "it is not closed in its line: print each answer in one line");
  EXPECT_EQ(broken_line("{\"time\": 1,}"), "it breaks in column 12: a comma stands before '}'");
  EXPECT_THAT(broken_line("{\"time\": 1e999}"), HasSubstr("it breaks in column "));
  EXPECT_THAT(broken_line("{\"time\": 1}"), IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
