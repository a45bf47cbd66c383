#include "tools/cli/key_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "problems/problem_keys.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const problems::ProblemTable& table(std::string_view name) {
  const auto& tables = problems::problem_tables();
  return **std::ranges::find_if(tables, [&](const auto* one) { return one->name == name; });
}

TEST(KeyPage, ATableIsHeadedAsItIsWritten) {
  EXPECT_EQ(header_of(table("measure")), "[measure]");
  EXPECT_EQ(header_of(table("")), "The file");
}

TEST(KeyPage, EachKeyHasItsDefaultTypeAndMeaning) {
  EXPECT_THAT(key_lines(table("measure")),
              AllOf(HasSubstr("samples"), HasSubstr("= 20"), HasSubstr("integer, 1 to 1000000")));
}

TEST(KeyPage, RowsOfMarkdownAreHeadedByWhatIsAsked) {
  const std::string rows = key_rows(table("measure"), "option");
  EXPECT_THAT(rows, StartsWith("| option | default |"));
  EXPECT_THAT(rows, HasSubstr("\n| `samples` | `20` | integer, 1 to 1000000 |"));
}

TEST(KeyPage, WhatStandsInBackticksStaysCode) {
  const std::string prose = help_prose("say `a_b*c` or x*y");
  EXPECT_THAT(prose, AllOf(StartsWith("say `a_b*c` or "), Not(HasSubstr("or x*y"))));
  EXPECT_EQ(help_prose("plain words"), "plain words");
}

}  // namespace
}  // namespace nightshift::tools
