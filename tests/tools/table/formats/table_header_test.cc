// What programs get of a table. That the header compiles and the module runs, and both answer as the
// table does, is held by tests/e2e/table_test.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/formats/told_table.h"
#include "tools/table/formats/table_formats.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TableHeader, HasConfigurationsRowsRangesAndTree) {
  const std::string text = table_header(tests::told_table());
  EXPECT_THAT(text, HasSubstr("namespace nightshift_table::my_gemm__"));
  EXPECT_THAT(text, HasSubstr("{true, 8, false, \"\"},  // 0"));
  EXPECT_THAT(text, HasSubstr("{false, 16, true, \"a\\\"b\"},  // 1"));
  EXPECT_THAT(text, HasSubstr("constexpr int choose(long long M, long long for_)"));
  EXPECT_THAT(text, HasSubstr("{{64, 4096}, 2},"));
  EXPECT_THAT(text, HasSubstr("if (M < 64 || M > 4096) return 0;"));
  EXPECT_THAT(text, HasSubstr("if (double(M) * double(for_) <= 100000.0) {"));
  EXPECT_THAT(text, HasSubstr("return for_ % 32 == 0 ? 1 : 0;"));
  EXPECT_THAT(text, HasSubstr("constexpr double tiles("));
}

TEST(TableHeader, ADefaultThatIsAnotherProgramHasNoValues) {
  TableDocument d = tests::told_table();
  d.default_values = {};
  EXPECT_THAT(table_header(d), HasSubstr("its other members say nothing"));
  EXPECT_THAT(table_header(tests::told_table()), Not(HasSubstr("say nothing")));
}

TEST(TableHeader, AParameterOfSeveralTypesIsAText) {
  TableDocument d = tests::told_table();
  d.rule.configurations[2] = search::Configuration({{"TILE", std::string("auto")}});
  EXPECT_THAT(table_header(d), HasSubstr("const char* TILE;"));
}

TEST(TableHeader, HasFunctionsWhereConditionsAskForThem) {
  TableDocument d = tests::told_table();
  EXPECT_THAT(table_header(d), Not(HasSubstr("remainder_of")));
  d.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 48 == 0"}}, {}};
  EXPECT_THAT(table_header(d), HasSubstr("constexpr double remainder_of("));
  EXPECT_THAT(
      table_header(d),
      HasSubstr("return for_ % 32 == 0 && (remainder_of(double(M), 48.0) == 0.0) ? 1 : 0;"));
}

}  // namespace
}  // namespace nightshift::tools
