#include "problems/shapes/csv_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::size_t known(const std::vector<std::string>& columns) {
  return static_cast<std::size_t>(std::ranges::count_if(
      columns, [](const std::string& column) { return column == "M" || column == "N"; }));
}

TEST(CsvLines, CellsHaveNoBlanksAroundAndQuotesKeepSeparators) {
  EXPECT_THAT(*cells_of(R"( M ; "a;b" ;"say ""x""";)", ';'),
              ElementsAre("M", "a;b", "say \"x\"", ""));
  EXPECT_FALSE(cells_of("\"M;N", ';'));
}

TEST(CsvLines, TheSeparatorIsThatWhichFindsWhatIsLookedFor) {
  EXPECT_EQ(separator_of("M,N", known), ',');
  EXPECT_EQ(separator_of("M;N;note, with, commas, in, it", known), ';');
  EXPECT_EQ(separator_of("a;b\tM\tN", known), '\t');
  EXPECT_EQ(separator_of("m;n;k", known), ';') << "none is found: the most columns";
  EXPECT_EQ(separator_of("M", known), ',');
  EXPECT_EQ(separator_of("\"M;N", known), ',');
}

TEST(CsvLines, ASpreadsheetMayTellTheSeparator) {
  EXPECT_EQ(told_separator("sep=;"), ';');
  EXPECT_EQ(told_separator("sep=\t"), '\t');
  EXPECT_EQ(told_separator("sep=x"), std::nullopt);
  EXPECT_EQ(told_separator("sep,M"), std::nullopt);
}

TEST(CsvLines, MarksInNumbersAreTold) {
  for (const char* number : {"1.000", " 12.504.000 "}) EXPECT_TRUE(has_thousands(number, '.'));
  for (const char* number : {"1.5", "1000", "1.0000", ".000", "1.000.", "1234.000", "x.000", ""}) {
    EXPECT_FALSE(has_thousands(number, '.')) << number;
  }
  EXPECT_THAT(hint_for_number("1,5"), HasSubstr("a decimal with a point"));
  EXPECT_THAT(hint_for_number("4.096"), HasSubstr("without marks between thousands"));
  EXPECT_THAT(hint_for_number("0"), IsEmpty());
  EXPECT_THAT(hint_for_number("x"), IsEmpty());
}

}  // namespace
}  // namespace nightshift::problems
