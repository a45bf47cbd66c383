#include "tools/table/formats/table_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/formats/told_table.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::vector<std::pair<std::string, std::string>>& names) {
  try {
    renamed(tests::told_table(), names);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TableFormats, ParametersAndSizesMayHaveOtherNames) {
  const TableDocument d =
      renamed(tests::told_table(), {{"TILE", "FAST"}, {"FAST", "TILE"}, {"for", "N"}});
  EXPECT_THAT(d.rule.names, ElementsAre("M", "N"));
  EXPECT_EQ(d.rule.rows[1].sizes, (search::Sizes{{"M", 64}, {"N", 4096}}));
  EXPECT_EQ(std::get<std::int64_t>(*d.rule.configurations[1].find("FAST")), 16);
  EXPECT_EQ(std::get<bool>(*d.default_values.find("TILE")), false);
  EXPECT_THAT(table_header(d), HasSubstr("choose(long long M, long long N)"));
}

TEST(TableFormats, ANameThatIsNoneOrTwiceIsRefused) {
  EXPECT_THAT(
      refusal({{"TILES", "X"}}),
      HasSubstr("--names TILES=X: the table has no TILES; it has FAST, M, OPT, TILE and for"));
  EXPECT_THAT(refusal({{"TILE", "OPT"}}), HasSubstr("there is a OPT already"));
  EXPECT_THAT(refusal({{"TILE", "X"}, {"FAST", "X"}}), HasSubstr("there is a X already"));
}

TEST(TableFormats, ConditionsHaveTheOtherNamesToo) {
  TableDocument told = tests::told_table();
  told.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 16 == 0"}}, {}};
  const TableDocument d = renamed(told, {{"TILE", "BLOCK"}, {"M", "ROWS"}});
  EXPECT_EQ(d.rule.unseen.conditions[1].front(),
            (search::SizeCondition{"ROWS % BLOCK == 0", "ROWS % 16 == 0"}));
}

}  // namespace
}  // namespace nightshift::tools
