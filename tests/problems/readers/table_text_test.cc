#include "problems/readers/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/readers/overrides.h"
#include "problems/readers/toml/toml_merge.h"
#include "problems/readers/toml/toml_text.h"

namespace nightshift::problems {
namespace {

constexpr const char* kOwn = "own.toml";

std::string rewritten(const std::string& text) { return text_of(parse_toml(text, kOwn), kOwn); }

std::vector<std::string> keys_of(const toml::table& table) {
  std::vector<std::string> keys;
  for (const auto& [key, node] : keys_in_order(table, kOwn)) keys.emplace_back(key->str());
  return keys;
}

TEST(TableText, KeysStandInTheOrderOfTheFile) {
  const std::string text = R"(name = "x"

[zoo]
cat = 1
bat = 2

[ark]
pair = { yak = 1, ant = 2 }
)";
  EXPECT_EQ(rewritten(text), text);
}

TEST(TableText, ASectionThatStandsBeforeAValueIsWrittenInline) {
  // In TOML whatever follows the header of a section belongs to it.
  const toml::table table =
      parse_toml("[parameters]\nB.values = [1]\nA = [2]\n[parameters.C]\nd = 1\n", kOwn);
  const std::string text = text_of(table, kOwn);
  const toml::table again = parse_toml(text, kOwn);
  EXPECT_EQ(again, table) << text;
  EXPECT_EQ(keys_of(*again["parameters"].as_table()), (std::vector<std::string>{"B", "A", "C"}));
}

TEST(TableText, WhatIsReadAgainIsEqual) {
  for (const char* text : {
           "a = \"quote \\\" and \\\\ and \\n and \\u0001\"\n",
           "a = \"\"\nb = ''\n",
           "a = \"\"\"many\nlines\n\"\"\"\n",
           "a = \"\\n\\nit's \\\"three\\\" ''' \\t \\u007f \\u20ac\"\n",
           "\"\\u007f\" = 1\n",
           "\"odd key\" = 1\n'' = 2\n\"a.b\" = 3\n\"\\\"\" = 4\n",
           "[\"odd.table\".\"in it\"]\nx = 1\n",
           "a = [[1, 2], [\"x\", 'y'], [], [{ b = [1, { c = [\"\\n\"] }] }]]\n",
           "a = [1e-7, 0.1, 1e300, inf, -inf, 3.0, -0.0]\nb = [0x10, -5, true, false]\n",
           "a = 1979-05-27T07:32:00Z\nb = 07:32:00\nc = 1979-05-27\n",
           "[[list]]\n[[list]]\nx = 1\n[[list.inner]]\ny = 2\n[list.table]\nz = 3\n",
           "a = {}\nb = []\n[c]\n[d.e.f]\ng = 1\n",
           "mixed = [{ a = 1 }, 2]\n",
       }) {
    const toml::table table = parse_toml(text, kOwn);
    const std::string written = rewritten(text);
    EXPECT_EQ(parse_toml(written, kOwn), table) << written;
    EXPECT_EQ(rewritten(written), written);
  }
}

TEST(KeysInOrder, OwnOnesThenThoseOfOthersThenWhatWasSet) {
  toml::table under = parse_toml("e = 1\nb = 1\n", "other.toml");
  toml::table own = parse_toml("\n\nd = 1\nc = 1\n", kOwn);
  put_over(under, own);
  Diagnostics diagnostics(kOwn);
  apply_overrides(under, {{"a", "1"}}, diagnostics);
  EXPECT_EQ(keys_of(under), (std::vector<std::string>{"d", "c", "e", "b", "a"}));
}

}  // namespace
}  // namespace nightshift::problems
