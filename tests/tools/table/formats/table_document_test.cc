#include "tools/table/formats/table_document.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nightshift::tools
