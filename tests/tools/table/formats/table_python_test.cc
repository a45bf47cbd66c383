#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/formats/told_table.h"
#include "tools/table/formats/table_formats.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

TEST(TablePython, HasConfigurationsRowsRangesAndTree) {
  const std::string text = table_python(tests::told_table());
  EXPECT_THAT(text, HasSubstr("    {\"TILE\": 8, \"FAST\": False},\n"));
  EXPECT_THAT(text, HasSubstr("def choose(M, for_):"));
  EXPECT_THAT(text, HasSubstr("    (64, 4096, ): 2,"));
  EXPECT_THAT(text, HasSubstr("    if not 64 <= M <= 4096:\n        return 0\n"));
  EXPECT_THAT(text, HasSubstr("return 1 if for_ % 32 == 0 else 0"));
  EXPECT_THAT(text, HasSubstr("-(-M // 64) * -(-for_ // 64) <= 1000.0"));
}

}  // namespace
}  // namespace nightshift::tools
