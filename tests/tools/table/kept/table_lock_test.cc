#include "tools/table/kept/table_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "scheduler/errors.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& folder) {
  try {
    const TableLock lock(folder);
  } catch (const scheduler::JournalError& error) {
    return error.what();
  }
  return "";
}

TEST(TableLock, OneRunHasATableAndTheNextIsToldWho) {
  const problems::ScratchFolder folder;
  std::optional<TableLock> lock(folder.path("."));
  EXPECT_THAT(refusal(folder.path(".")),
              AllOf(HasSubstr("another run is measuring the table in " + folder.path(".")),
                    HasSubstr("(process " + ipc::this_process() + ")")));
  lock.reset();
  EXPECT_EQ(refusal(folder.path(".")), "") << "it ended";
}

TEST(TableLock, WhereThereCanBeNoneIsToldSo) {
  EXPECT_THAT(refusal("/nowhere"), HasSubstr("/nowhere/table.lock cannot be locked"));
}

}  // namespace
}  // namespace nightshift::tools
