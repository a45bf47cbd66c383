#include "search/substitution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Configuration kValues(
    {{"TILE", std::int64_t{32}}, {"WORD", std::string("a b{TILE}")}, {"RATE", 0.5}, {"ON", true}});

TEST(Substitution, NamesBecomeValues) {
  EXPECT_EQ(substituted("--tile={TILE},{RATE}", kValues), "--tile=32,0.5");
  EXPECT_EQ(substituted("{ON}", kValues), "1");
  EXPECT_EQ(substituted("", kValues), "");
}

TEST(Substitution, ValuesAreNotSubstitutedAgain) {
  EXPECT_EQ(substituted("{WORD}", kValues), "a b{TILE}");
}

TEST(Substitution, TwoBracesAreOne) {
  EXPECT_EQ(substituted("{{\"tile\": {TILE}}", kValues), "{\"tile\": 32}");
  EXPECT_EQ(substituted("{{TILE}", kValues), "{TILE}");
  EXPECT_EQ(substituted("}", kValues), "}");
}

TEST(Substitution, BracesAroundNoNameAreThemselves) {
  EXPECT_EQ(substituted("{ print $1 }", kValues), "{ print $1 }");
  EXPECT_EQ(substituted("{\"tile\": {TILE}}", kValues), "{\"tile\": 32}");
  EXPECT_EQ(substituted("{}{", kValues), "{}{");
}

TEST(Substitution, UnknownNameIsSaid) {
  EXPECT_THAT([] { substituted("x{TIEL}", kValues); },
              ThrowsMessage<std::runtime_error>(HasSubstr("{TIEL}")));
}

TEST(Substitution, OpenBraceIsSaid) {
  EXPECT_THAT([] { substituted("a{TILE", kValues); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not closed")));
}

TEST(Substitution, WordsKeepTheirNumber) {
  EXPECT_EQ(substituted(std::vector<std::string>{"run", "{WORD}"}, kValues),
            (std::vector<std::string>{"run", "a b{TILE}"}));
}

TEST(Substitution, PlaceholdersAreTheNamesOnceEach) {
  using ::testing::ElementsAre;
  EXPECT_THAT(placeholders("{B}-{A}{B} { C } {{D} {"), ElementsAre("B", "A"));
  EXPECT_THAT(placeholders("g++"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace nightshift::search
