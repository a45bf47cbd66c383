// What needs no device; the rest is held by tests/e2e/table_test.py.
#include "tools/table/table_run.h"

#include <gtest/gtest.h>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

TEST(TableRun, TheTableStandsInTheBatch) {
  EXPECT_EQ(table_file("/b/night", ""), "/b/night/table/table.json");
  EXPECT_EQ(table_file("/b/night", "gemm"), "/b/night/table-gemm/table.json");
  EXPECT_EQ(table_file("/b/night", "../p/q.toml"), "/b/night/table-..-p-q.toml/table.json");
}

TEST(TableRun, WithoutABatchNothingIsBegun) {
  TableAsked asked;
  asked.batch = "/nowhere";
  EXPECT_THROW(made_table(asked), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
