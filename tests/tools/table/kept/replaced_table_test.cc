#include "tools/table/kept/replaced_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file_text.h"
#include "tests/problems/scratch_folder.h"
#include "tests/tools/table/formats/told_table.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ReplacedTable : public ::testing::Test {
 protected:
  std::string write(const TableDocument& d) {
    return folder_.write("table.json", table_json(d).dump());
  }
  problems::ScratchFolder folder_;
};

TEST_F(ReplacedTable, WhereThereWasNoneNothingIsSaid) {
  EXPECT_EQ(put_aside_replaced(folder_.path("table.json"), tests::told_table()), "");
}

TEST_F(ReplacedTable, OneWithTheSameRowsStays) {
  const std::string file = write(tests::told_table());
  EXPECT_EQ(put_aside_replaced(file, tests::told_table()), "");
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(ReplacedTable, OneWithOtherRowsGoesAsideAndTheRowsAreTold) {
  const std::string file = write(tests::told_table());
  TableDocument now = tests::told_table();
  now.rule.rows[0].choice = 0;
  EXPECT_THAT(
      put_aside_replaced(file, now),
      AllOf(HasSubstr("the table of 2025-01-31 14:02:11 is kept as " + file + ".1"),
            HasSubstr("1 row has another choice now: M=64 for=64: "), HasSubstr("-> the default")));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(read_table_document(base::read_whole_file(file + ".1"), file).rule.rows[0].choice, 1U);
}

TEST_F(ReplacedTable, NothingThatWasPutAsideIsWrittenOver) {
  TableDocument now = tests::told_table();
  now.rule.rows[0].choice = 0;
  put_aside_replaced(write(tests::told_table()), now);
  EXPECT_THAT(put_aside_replaced(write(tests::told_table()), now), HasSubstr("table.json.2"));
}

TEST_F(ReplacedTable, ConfigurationsAreComparedAndNotTheirPlaces) {
  const std::string file = write(tests::told_table());
  TableDocument now = tests::told_table();
  std::swap(now.rule.configurations[1], now.rule.configurations[2]);
  for (search::TableRow& row : now.rule.rows) row.choice = row.choice == 0 ? 0 : 3 - row.choice;
  EXPECT_EQ(put_aside_replaced(file, now), "");
}

TEST_F(ReplacedTable, WhatCannotBeReadIsKeptToo) {
  const std::string file = folder_.write("table.json", "{");
  EXPECT_THAT(put_aside_replaced(file, tests::told_table()), HasSubstr("it is kept as " + file));
}

}  // namespace
}  // namespace nightshift::tools
