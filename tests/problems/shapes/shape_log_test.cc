#include "problems/shapes/shape_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string mistake(std::string_view expression, std::string_view line = "") {
  try {
    (void)LogPattern(expression).found_in(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LogPattern, GroupsHaveNamesAsInPerlOrInPython) {
  const LogPattern pattern(R"(m=(?<M>\d+)( n=(?P<N>\d+))?)");
  EXPECT_THAT(pattern.names(), ElementsAre("M", "N"));
  EXPECT_THAT(pattern.found_in("gemm m=3 n=14;"), ElementsAre(Pair("M", "3"), Pair("N", "14")));
  EXPECT_THAT(pattern.found_in("gemm m=3"), ElementsAre(Pair("M", "3")));
  EXPECT_THAT(pattern.found_in("softmax"), IsEmpty());
}

TEST(LogPattern, WhatLooksBehindOrIsEscapedOrInAClassIsNoName) {
  EXPECT_THAT(LogPattern(R"((?<=k)\((?<!x)[(?<A>](?<M>\d)(?:y))").names(), ElementsAre("M"));
  EXPECT_THAT(LogPattern(R"((?<=k)(?<M>\d))").found_in("3 k4"), ElementsAre(Pair("M", "4")));
}

TEST(LogPattern, WhatIsNoneOrTakesTooLongIsASentence) {
  EXPECT_THAT(mistake("(?<M>["), HasSubstr("is no regular expression"));
  EXPECT_THAT(mistake("(?<M"), HasSubstr("is no regular expression"));
  EXPECT_THAT(mistake("\\"), HasSubstr("is no regular expression"));
  EXPECT_THAT(mistake("(M)"), HasSubstr("has no named group"));
  EXPECT_THAT(mistake("(?<M>(a|aa)+)$", std::string(2000, 'a') + "b"), HasSubstr("takes too long"));
}

}  // namespace
}  // namespace nightshift::problems
