#include "problems/readers/toml/toml_depth.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace nightshift::problems {
namespace {

std::string times(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(TooDeep, IsWhatNestsByBracketsOrByDots) {
  constexpr int kDeep = 100;
  EXPECT_EQ(too_deep("x = 1\na = " + times("[", kDeep)), 2);
  EXPECT_EQ(too_deep("a = " + times("{ a = ", kDeep)), 1);
  EXPECT_EQ(too_deep("\n\n" + times("a.", kDeep) + "a = 1"), 3);
  EXPECT_EQ(too_deep("[" + times("a . ", kDeep) + "a]"), 1);
  EXPECT_EQ(too_deep(times("\"a\".", kDeep) + "a = 1"), 1);
  EXPECT_EQ(too_deep("a = \"\"\"\nx\nx\nx\n\"\"\"\nb = " + times("[", kDeep)), 6);
}

TEST(TooDeep, IsNothingThatAProblemHas) {
  constexpr int kMany = 1000;
  for (const std::string& text :
       {times("[[host.argument]]\nname = \"x\"\n", kMany), "a = [" + times("1.5, ", kMany) + "]",
        "a = '" + times("[", kMany) + "'", "# " + times("a.[", kMany),
        "a = \"" + times("\\\"[", kMany) + "\"", times("a.b = { c = [1] }\n", kMany),
        "a = '''\n" + times("[[\n", kMany) + "'''", times("]", kMany) + "[[[", std::string()}) {
    EXPECT_EQ(too_deep(text), std::nullopt) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace nightshift::problems
