#include "tools/table/formats/table_document.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/tools/table/formats/told_table.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

TEST(TableDocument, IsReadAsItWasWritten) {
  const Json written = table_json(tests::told_table());
  const TableDocument read = read_table_document(written.dump(), "t.json");
  EXPECT_EQ(table_json(read), written);
}

// Of a shape where an answer does not run.
TEST(TableDocument, ACostWithoutEndStaysOne) {
  TableDocument told = tests::told_table();
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  told.curve.back().worst = told.depths.back().worst = kEndless;
  told.carried.push_back({"another kind", {}});
  told.carried.back().cost.worst = kEndless;
  const Json written = table_json(told);
  const TableDocument read = read_table_document(written.dump(), "t.json");
  EXPECT_EQ(table_json(read), written);
  EXPECT_EQ(read.curve.back().worst, kEndless);
  EXPECT_EQ(read.depths.back().worst, kEndless);
  EXPECT_EQ(read.carried.back().cost.worst, kEndless);
  EXPECT_EQ(read.depths.front().worst, told.depths.front().worst);
}

TEST(TableDocument, EveryCallIsAnsweredAsBefore) {
  const TableDocument told = tests::told_table();
  const TableDocument read = read_table_document(table_json(told).dump(), "t.json");
  for (std::int64_t m = 32; m < 5000; m += 37) {
    for (std::int64_t n = 32; n < 5000; n += 64) {
      const search::Sizes sizes{{"M", m}, {"for", n}};
      EXPECT_EQ(search::look_up(read.rule, sizes).choice, search::look_up(told.rule, sizes).choice);
    }
  }
}

TEST(TableDocument, HasWhatConstraintsAskOfSizes) {
  TableDocument told = tests::told_table();
  told.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 48 == 0"}}, {{"M in TILES", ""}}};
  told.depths.back().failed = 2;
  const Json written = table_json(told);
  EXPECT_EQ(written["unseen"]["constraints"][1][0]["holds"], "M % 48 == 0");
  EXPECT_TRUE(written["unseen"]["constraints"][2][0]["holds"].is_null());
  const TableDocument read = read_table_document(written.dump(), "t.json");
  EXPECT_EQ(read.rule.unseen.conditions, told.rule.unseen.conditions);
  EXPECT_EQ(read.depths.back().failed, 2U);
}

TEST(TableDocument, OfAnEarlierVersionHasNoConstraints) {
  Json written = table_json(tests::told_table());
  written["unseen"].erase("constraints");
  EXPECT_TRUE(read_table_document(written.dump(), "t.json").rule.unseen.conditions.empty());
}

TEST(TableDocument, HasTheRowsOfWhichNothingIsKnown) {
  TableDocument told = tests::told_table();
  told.rule.rows.back().measured = false;
  Json written = table_json(told);
  EXPECT_EQ(written["rows"][0]["measured"], true);
  EXPECT_EQ(written["rows"][2]["measured"], false);
  EXPECT_FALSE(read_table_document(written.dump(), "t.json").rule.rows.back().measured);
  written["rows"][2].erase("measured");  // as of an earlier version
  EXPECT_TRUE(read_table_document(written.dump(), "t.json").rule.rows.back().measured);
}

}  // namespace
}  // namespace nightshift::tools
