// What needs no device; the rest is held by tests/e2e/table_test.py.
#include "tools/table/table_recheck.h"

#include <gtest/gtest.h>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

TEST(TableRecheck, WithoutABatchNothingIsBegun) {
  TableAsked asked;
  asked.batch = "/nowhere";
  EXPECT_THROW(rechecked_table(asked), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
