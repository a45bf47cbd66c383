#include "base/bounded_regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace nightshift::base {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string mistake(std::string_view expression, std::string_view line = "") {
  try {
    const BoundedRegex pattern(expression);
    (void)pattern.matches_in(line);
    (void)pattern.named_in(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> first_groups(std::string_view expression, std::string_view line) {
  std::vector<std::string> found;
  for (const BoundedRegex::Match& match : BoundedRegex(expression).matches_in(line))
    found.emplace_back(match.first_group.data() == nullptr ? "none" : match.first_group);
  return found;
}

TEST(BoundedRegex, FindsEveryMatchOfALine) {
  EXPECT_THAT(first_groups("([0-9]+) us", "3 us, 4 us, 5 ms"), ElementsAre("3", "4"));
  EXPECT_THAT(first_groups("(a)?b", "ab b"), ElementsAre("a", "none"));
  EXPECT_THAT(first_groups("x([0-9])", ""), IsEmpty());
  const BoundedRegex pattern("t=([0-9]+) (?:us|ms)");
  EXPECT_EQ(pattern.group_count(), 1);
  const auto found = pattern.matches_in("a t=3 us b");
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].all, "t=3 us");
}

// What problem files have as ECMAScript has it.
TEST(BoundedRegex, TheGrammarIsEcmaScripts) {
  EXPECT_THAT(first_groups("^([0-9])", "1\r2"), ElementsAre("1")) << "no line ends in a line";
  EXPECT_THAT(first_groups("([0-9])$", "1\r2"), ElementsAre("2"));
  EXPECT_THAT(first_groups("(.+)", "1\r2"), ElementsAre("1", "2"));
  EXPECT_THAT(first_groups(R"(\b(\d+)\s\w+(?=;)(?!;;))", "12 us;"), ElementsAre("12"));
  EXPECT_THAT(first_groups(R"([[:alpha:]]+ ([\d.]+)\/s)", "rate 1.5/s"), ElementsAre("1.5"));
  EXPECT_THAT(first_groups(R"((.)\1)", "abccd"), ElementsAre("c"));
  EXPECT_THAT(first_groups(R"([\w.-]+: ([^ ]*))", "a-b.c: 5 x"), ElementsAre("5"));
  EXPECT_THAT(first_groups(R"(([0-9]+) \u00b5s)", "5 \u00b5s"), ElementsAre("5"));
  EXPECT_THAT(first_groups(R"(\u0041([\u0030-\u0039]))", "A7"), ElementsAre("7"));
  EXPECT_THAT(first_groups("\u00b5s: ([0-9])", "\u00b5s: 5"), ElementsAre("5"));
}

TEST(BoundedRegex, GroupsHaveNamesAsInPerlOrInPython) {
  const BoundedRegex pattern(R"(m=(?<M>\d+)( n=(?P<N>\d+))?)");
  EXPECT_THAT(pattern.names(), ElementsAre("M", "N"));
  const BoundedRegex::NamedMatch found = pattern.named_in("gemm m=3 n=14;");
  EXPECT_THAT(found.groups, ElementsAre(Pair("M", "3"), Pair("N", "14")));
  EXPECT_EQ(found.all, "m=3 n=14");
  EXPECT_THAT(pattern.named_in("gemm m=3").groups, ElementsAre(Pair("M", "3")));
  EXPECT_THAT(pattern.named_in("softmax").groups, IsEmpty());
  EXPECT_EQ(pattern.group_count(), 3);
}

TEST(BoundedRegex, WhatLooksBehindOrIsEscapedOrInAClassIsNoName) {
  EXPECT_THAT(BoundedRegex(R"((?<=k)\((?<!x)[(?<A>](?<M>\d)(?:y))").names(), ElementsAre("M"));
  EXPECT_THAT(BoundedRegex(R"((?<=k)(?<M>\d))").named_in("3 k4").groups,
              ElementsAre(Pair("M", "4")));
}

TEST(BoundedRegex, WhatIsNoneIsASentence) {
  for (const char* none : {"(?<M>[", "(?<M", "\\", "(", "[0-9", "*a", "a)", "[\\u00b5]", "[^"}) {
    EXPECT_THAT(mistake(none), HasSubstr("is no regular expression: ")) << none;
  }
  EXPECT_THAT(mistake(std::string(5000, 'a')), HasSubstr("is longer than 4000 characters"));
  EXPECT_THAT(mistake(std::string(2000, '(') + std::string(2000, ')')),
              HasSubstr("is no regular expression"));
}

TEST(BoundedRegex, OneThatTakesTooLongEnds) {
  const std::string line(8192, 'a');
  for (const char* endless :
       {"(a*)*b", "(?:a+)+$x", "(.*)(.*)(.*)(.*)b", "(?:a|aa)+b", "(x+x+)+y|(a+a+)+b"}) {
    EXPECT_THAT(mistake(endless, line), HasSubstr("takes too long")) << endless;
  }
  EXPECT_EQ(mistake("(?:a|b)*", line), "");
}

}  // namespace
}  // namespace nightshift::base
