#include "tools/table/formats/table_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/formats/told_table.h"

namespace nightshift::tools {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TableNames, AreWordsThatAProgramCanHave) {
  EXPECT_THAT(identifiers({"M", "a-b", "a b", "2x", "for", "_x", ""}),
              ElementsAre("M", "a_b", "a_b_", "n2x", "for_", "n_x", "n"));
}

TEST(TableNames, LiteralsHoldAnything) {
  EXPECT_EQ(quoted_literal("a\"b\\c\n"), "\"a\\\"b\\\\c\\012\"");
}

TEST(TableNames, NoKeywordOfEitherLanguageIsAName) {
  for (const char* word : {"True", "None", "async", "nonlocal", "requires", "co_await", "xor",
                           "char8_t", "export", "class", "CONFIGURATIONS", "Row"}) {
    EXPECT_EQ(identifier(word, {}), std::string(word) + "_");
  }
  EXPECT_EQ(identifier("M", {}), "M");
}

TEST(TableNames, NoLineOfProvenanceJoinsTheNextOne) {
  TableDocument d = tests::told_table();
  d.devices = {"a card \\"};
  for (const std::string& line : provenance_of(d)) EXPECT_FALSE(line.ends_with('\\')) << line;
}

TEST(TableNames, ProvenanceEndsNoComment) {
  const auto lines = provenance_of(tests::told_table());
  EXPECT_THAT(lines, Each(Not(HasSubstr("*/"))));
  EXPECT_THAT(lines,
              Contains(HasSubstr("time 15.00 % lower [14.00 %, 16.00 %] against the default")));
  EXPECT_THAT(lines, Contains("Made of: compiler c++ 12.2"));
}

TEST(TableNames, ATableWithoutAClaimSaysSo) {
  TableDocument d = tests::told_table();
  d.claim = {};
  d.claim.reason = "every shape keeps the default";
  EXPECT_THAT(provenance_of(d), Contains(HasSubstr("NOT SHOWN")));
}

TEST(TableNames, ThresholdsAreNumbersOfBothLanguages) {
  EXPECT_EQ(condition_number(64), "64.0");
  EXPECT_EQ(condition_number(0.5), "0.5");
  EXPECT_EQ(condition_number(1e15), "1000000000000000.0");
}

TEST(TableNames, AConfigurationHasTheConditionsOfItsConstraints) {
  TableDocument d = tests::told_table();
  d.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 16 == 0"}}, {{"M in TILES", ""}}};
  EXPECT_EQ(vouched(d, 0, {"M", "n"}, CodeLanguage::kCpp), "");
  EXPECT_EQ(vouched(d, 1, {"M", "n"}, CodeLanguage::kCpp),
            "n % 32 == 0 && (remainder_of(double(M), 16.0) == 0.0)");
  EXPECT_EQ(vouched(d, 1, {"M", "n"}, CodeLanguage::kPython), "n % 32 == 0 and ((M % 16) == 0)");
  EXPECT_EQ(vouched(d, 2, {"M", "n"}, CodeLanguage::kPython), "M % 64 == 0 and False");
}

TEST(TableNames, AConfigurationForMeasuredSizesAloneIsNamed) {
  TableDocument d = tests::told_table();
  EXPECT_TRUE(unaskable(d).empty());
  d.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 16 == 0"}}, {{"M in TILES", ""}}};
  EXPECT_EQ(unaskable(d).size(), 1U);
  EXPECT_THAT(provenance_of(d), Contains(HasSubstr("Configuration 2 is for measured sizes alone")));
}

}  // namespace
}  // namespace nightshift::tools
