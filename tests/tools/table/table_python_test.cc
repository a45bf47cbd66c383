#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/told_table.h"
#include "tools/table/table_formats.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(TablePython, HasConfigurationsRowsRangesAndTree) {
  const std::string text = table_python(tests::told_table());
  EXPECT_THAT(text, HasSubstr("    {\"TILE\": 8, \"FAST\": False},\n"));
  EXPECT_THAT(text, HasSubstr("def choose(M, for_):"));
  EXPECT_THAT(text, HasSubstr("    (64, 4096, ): 2,"));
  EXPECT_THAT(text, HasSubstr("    if not 64 <= M <= 4096:\n        return 0\n"));
  EXPECT_THAT(text, HasSubstr("return 1 if for_ % 32 == 0 else 0"));
  EXPECT_THAT(text, HasSubstr("-(-M // 64) * -(-for_ // 64) <= 1000.0"));
}

TEST(TableWisdom, IsAHeaderAndALineForEachRowWithAConfiguration) {
  const std::string text = table_wisdom(tests::told_table());
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\"tunable_parameters\":[\"TILE\",\"FAST\",\"OPT\"]"));
  EXPECT_THAT(text, HasSubstr("\"problem_size\":[64,4096]"));
  EXPECT_THAT(text, Not(HasSubstr("[4096,4096]")));
}

TEST(TableFormats, AreFive) { EXPECT_THAT(table_formats(), SizeIs(5)); }

}  // namespace
}  // namespace nightshift::tools
