#include "base/json_tree.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/rng.h"

namespace nightshift::base {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

ordered_json rebuilt(JsonValue value) {
  if (value.is<JsonObject>()) {
    ordered_json object = ordered_json::object();
    value.for_members(
        [&](std::string_view name, JsonValue its) { object[std::string(name)] = rebuilt(its); });
    return object;
  }
  if (value.is<JsonList>()) {
    ordered_json list = ordered_json::array();
    value.for_items([&](JsonValue its) { list.push_back(rebuilt(its)); });
    return list;
  }
  if (const auto* is = value.as<bool>()) return *is;
  if (const auto* whole = value.as<std::int64_t>()) return *whole;
  if (const auto* large = value.as<std::uint64_t>()) return *large;
  if (const auto* real = value.as<double>()) return *real;
  if (const auto* text = value.as<std::string_view>()) return std::string(*text);
  return nullptr;
}

std::string error_of(const std::string& text) {
  try {
    const JsonTree tree(text);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// What the two readers disagree on, for the words of a failure; empty where they agree.
std::string disagreement(const std::string& text) {
  const ordered_json theirs = ordered_json::parse(text, nullptr, false);
  const std::string error = error_of(text);
  if (!error.empty()) {
    const bool ours_alone = error.find("twice") != error.npos || error.find("deep") != error.npos;
    return theirs.is_discarded() || ours_alone ? "" : "refused: " + error;
  }
  if (theirs.is_discarded()) return "read, though it is no JSON";
  const ordered_json ours = rebuilt(JsonTree(text).root());
  return ours == theirs && ours.dump() == theirs.dump() ? "" : "read as " + ours.dump();
}

constexpr const char* kTexts[] = {
    R"({"status":"measured","figures":[{"objective":"time","values":[3.2270404991902515,2.0,null]}],)"
    R"("conditions":{"cores":"1","cache":"warm"},"censored":true})",
    R"({"TILE_M": 32, "CACHED": false, "OPT": "-O3 \"x\" \\ \/ \b\f\n\r\t", "": -7})",
    R"([0, -0, -0.0, 1e5, 1E+5, 12.5e-3, 9223372036854775807, 9223372036854775808,)"
    R"( -9223372036854775808, -9223372036854775809, 18446744073709551615, 18446744073709551616,)"
    R"( 5e-324, 1e-400, 1.7976931348623157e308, 0.1, 123456789012345678901234567890.5])",
    R"(["\u0041\u00e9\u20AC\ud83d\ude00", "é€😀", "\u0000"])",
    R"([[], {}, [[]], [{}], {"a": {}}, {"a": []}])",
    " \t\r\n[ 1 , 2 ]\n",
    "true",
    "null",
    "\"\"",
    "-1",
};

TEST(JsonTree, ReadsWhatAnotherReaderReads) {
  for (const std::string text : kTexts) {
    EXPECT_EQ(error_of(text), "") << text;
    EXPECT_EQ(disagreement(text), "") << text;
  }
}

// No byte is 0: the other reader takes it for the end.
TEST(JsonTree, OfMutatedTextsTheTwoReadersThinkTheSame) {
  constexpr std::string_view kBytes =
      "{}[]\",:\\u0123456789+-.eEtfnalsr dDcC8\n\x01\x80\xc3\xa9\xed\xf0";
  Rng rng(7);
  int read = 0;
  for (int i = 0; i < 8000; ++i) {
    std::string text = kTexts[rng.below(std::size(kTexts))];
    for (std::uint64_t changes = 1 + rng.below(3); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = rng.below(text.size());
      const char byte = kBytes[rng.below(kBytes.size())];
      switch (rng.below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1);
      }
    }
    ASSERT_EQ(disagreement(text), "") << text;
    read += error_of(text).empty() ? 1 : 0;
  }
  EXPECT_GT(read, 500);
}

TEST(JsonTree, DoublesAreReadToTheLastBit) {
  Rng rng(11);
  for (int i = 0; i < 5000; ++i) {
    const double number = std::bit_cast<double>(rng.below(~std::uint64_t{0}));
    if (!std::isfinite(number)) continue;
    const std::string text = ordered_json(number).dump();
    const JsonTree tree(text);
    ASSERT_NE(tree.root().as<double>(), nullptr) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*tree.root().as<double>()),
              std::bit_cast<std::uint64_t>(number));
  }
}

TEST(JsonTree, HasMembersByNameAndInOrder) {
  const std::string text = R"({"z": [1, [2, 3], 4], "a\n": "x", "m": {"z": 5}})";
  const JsonTree tree(text);
  std::vector<std::string> names;
  tree.root().for_members([&](std::string_view name, JsonValue) { names.emplace_back(name); });
  EXPECT_THAT(names, ElementsAre("z", "a\n", "m"));
  EXPECT_EQ(tree.root().items(), 3U);
  EXPECT_EQ(tree.root().find("z")->items(), 3U);
  EXPECT_EQ(*tree.root().find("a\n")->as<std::string_view>(), "x");
  EXPECT_EQ(*tree.root().find("m")->find("z")->as<std::int64_t>(), 5);
  EXPECT_FALSE(tree.root().find("b"));
}

TEST(JsonTree, SaysWhereTheFaultIs) {
  EXPECT_EQ(error_of("[1, x]"), "Invalid value, at byte 5");
  EXPECT_THAT(error_of(R"({"a": 1 "b": 2})"), HasSubstr("comma or '}'"));
  EXPECT_THAT(error_of(R"({"a": 1 "b": 2})"), EndsWith("at byte 9"));
  EXPECT_THAT(error_of("[1] 2"), HasSubstr("must not be followed by other values, at byte 5"));
  EXPECT_THAT(error_of("[1e999]"), HasSubstr("double"));
  EXPECT_EQ(error_of(std::string("{}\0", 3)), "a byte 0, at byte 3");
  EXPECT_THAT(error_of(R"({"a": 1, "b": 2, "a": 3})"), HasSubstr("a member twice"));
  EXPECT_THAT(error_of(R"({"a": 1, "\u0061": 3})"), HasSubstr("a member twice"));
  EXPECT_THAT(error_of(R"(["\ude00"])"), HasSubstr("half of a pair"));
  EXPECT_THAT(error_of(R"({"\ude00": 1})"), HasSubstr("half of a pair"));
}

TEST(JsonTree, IsNoDeeperThanItsStack) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(error_of(nested(64)), "");
  EXPECT_THAT(error_of(nested(1'000'000)), HasSubstr("nested too deep"));
}

}  // namespace
}  // namespace nightshift::base
