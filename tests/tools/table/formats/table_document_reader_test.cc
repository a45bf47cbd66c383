#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/table/formats/told_table.h"
#include "tools/table/formats/table_document.h"
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

TEST(TableDocumentReader, WhatIsNotWholeIsRefused) {
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
  EXPECT_THAT(changed("/choosing", 3), HasSubstr("not whole"));
  EXPECT_THAT(changed("/judged_on_others/shapes/0/choice", 7), HasSubstr("no configuration"));
}

// A table of before has no word of leaf tests.
TEST(TableDocumentReader, WhatAnEarlierVersionDidNotWriteIsAsItWas) {
  Json json = table_json(tests::told_table());
  json["choosing"].erase("leaf_tests");
  EXPECT_EQ(read_table_document(json.dump(), "t.json").leaf_tests, 0U);
  EXPECT_EQ(read_table_document(json.dump(), "t.json").slack, 0.05);
  json.erase("choosing");
  EXPECT_EQ(read_table_document(json.dump(), "t.json").slack, 0.03);
}

TEST(TableDocumentReader, RefusesConstraintsThatNoFormCanAsk) {
  const auto with = [](const Json& constraints) {
    Json json = table_json(tests::told_table());
    json["unseen"]["constraints"] = constraints;
    return refusal(json);
  };
  const auto asking = [](const Json& holds) {
    const Json one = {{"constraint", "c"}, {"holds", holds}};
    return Json::array({Json::array(), Json::array({one}), Json::array()});
  };
  EXPECT_EQ(with(asking("M % 48 == 0")), "");
  EXPECT_EQ(with(asking(nullptr)), "");
  EXPECT_THAT(with(asking("M % K == 0")), HasSubstr("constraint"));
  EXPECT_THAT(with(asking("M % (M - 64) == 0")), HasSubstr("constraint"));
  EXPECT_THAT(with(Json::array({Json::array()})), HasSubstr("that fit no configuration"));
}

}  // namespace
}  // namespace nightshift::tools
