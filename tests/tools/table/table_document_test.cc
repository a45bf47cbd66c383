#include "tools/table/table_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/table/told_table.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

std::string refusal(const Json& json) {
  try {
    read_table_document(json.dump(), "t.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TableDocument, IsReadAsItWasWritten) {
  const Json written = table_json(tests::told_table());
  const TableDocument read = read_table_document(written.dump(), "t.json");
  Json again = table_json(read);
  // How it was chosen is not read back.
  for (const char* kept : {"format", "problem", "devices", "made_of", "claim", "sizes", "default",
                           "configurations", "rows", "unseen"}) {
    EXPECT_EQ(again[kept], written[kept]) << kept;
  }
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

TEST(TableDocument, WhatIsNotWholeIsRefused) {
  EXPECT_THAT(refusal(Json("x")), HasSubstr("t.json is no table"));
  const Json good = table_json(tests::told_table());
  const auto changed = [&](const char* where, Json value) {
    Json json = good;
    json[Json::json_pointer(where)] = std::move(value);
    return refusal(json);
  };
  EXPECT_THAT(changed("/format", "nightshift-table/2"), HasSubstr("another version"));
  EXPECT_THAT(changed("/rows/0/choice", 3), HasSubstr("no configuration"));
  EXPECT_THAT(changed("/rows/0/sizes/M", 0), HasSubstr("below 1"));
  EXPECT_THAT(changed("/configurations/0", {{"TILE", 8}}), HasSubstr("begin with the default"));
  EXPECT_THAT(changed("/unseen/tree/1/then", 0), HasSubstr("circles"));
  EXPECT_THAT(changed("/unseen/tree/1/else", 99), HasSubstr("circles, or nowhere"));
  EXPECT_THAT(changed("/unseen/tree/0/feature", "moon"), HasSubstr("does not know"));
  EXPECT_THAT(changed("/unseen/tree/0/size", "K"), HasSubstr("does not have"));
  EXPECT_THAT(changed("/unseen/tree/1/amount", 0), HasSubstr("divides by nothing"));
  EXPECT_THAT(changed("/unseen/divisors/1", {1}), HasSubstr("divisors"));
  EXPECT_THAT(changed("/unseen/ranges", Json::array()), HasSubstr("ranges"));
  EXPECT_THAT(changed("/unseen/tree", Json::array()), HasSubstr("empty tree"));
  EXPECT_THAT(changed("/sizes", {"M", "M"}), HasSubstr("twice"));
  EXPECT_THAT(changed("/claim", 3), HasSubstr("not whole"));
}

}  // namespace
}  // namespace nightshift::tools
