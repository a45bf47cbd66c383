#include "search/figures/number_text.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::search {
namespace {

TEST(NumberBefore, IsWhatANumberHasBegunWith) {
  EXPECT_EQ(number_before("gain: -"), "-");
  EXPECT_EQ(number_before("gain: -12."), "-12.");
  EXPECT_EQ(number_before("1.2e-"), "1.2e-");
  EXPECT_EQ(number_before("x=1.2E+1"), "1.2E+1");
  EXPECT_EQ(number_before("= ."), ".");
  EXPECT_EQ(number_before("\u2212"), "\u2212");
  for (const char* text : {"", "run-", "12-", "a.", "..", "- ", "+", "e-", "1.5e- ", "--", "x"}) {
    EXPECT_EQ(number_before(text), "") << text;
  }
}

TEST(RestOfNumber, IsWhatBelongsToTheNumberBefore) {
  EXPECT_EQ(rest_of_number("12.5e-3 s"), 7U);
  EXPECT_EQ(rest_of_number("e-05 s"), 4U);
  EXPECT_EQ(rest_of_number(":23.5"), 3U);
  EXPECT_EQ(rest_of_number(". end"), 0U);
}

TEST(WithoutBlanks, PassesColoursAndTypography) {
  EXPECT_EQ(without_blanks(" \t\x1b[1;32m us"), "us");
  EXPECT_EQ(without_blanks("\u202fus"), "us");
  EXPECT_EQ(without_blanks("us "), "us ");
}

TEST(TakesNumber, LeavesWhatIsBehind) {
  std::string_view text = " -1.5e3 us";
  EXPECT_TRUE(takes_number(text));
  EXPECT_EQ(text, " us");
  EXPECT_FALSE(takes_number(text));
}

TEST(TakesCount, ReadsThousands) {
  for (const auto& [text, count] : {std::pair{"100 iterations", 100.0},
                                    {"1,000 ops", 1000.0},
                                    {"1e3", 1000.0},
                                    {"2k", 2000.0},
                                    {"3M ops", 3e6},
                                    {"2km", 2.0},
                                    {"ops", 0.0}}) {
    std::string_view rest = text;
    EXPECT_EQ(takes_count(rest), count) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
