#include "search/figures/counted_word.h"

#include <gtest/gtest.h>

#include <utility>

namespace nightshift::search {
namespace {

TEST(CountedWord, StandsBehindBlanks) {
  EXPECT_EQ(counted_word(" tokens in all"), "tokens");
  EXPECT_EQ(counted_word("\t1 2"), "");
  EXPECT_EQ(counted_word("tokens"), "");  // it hangs on the number, which is another matter
  EXPECT_EQ(counted_word(" (tokens)"), "");
  EXPECT_EQ(counted_word(" "), "");
  EXPECT_EQ(counted_word(""), "");
}

TEST(CountedWord, DiffersByAPrefix) {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [a, b] :
       {Words{"tokens", "Ktokens"}, Words{"token", "ktokens"}, Words{"Mpixels", "pixels"},
        Words{"Kitems", "Mitems"}, Words{"items", "Kiitems"}, Words{"Gigaflips", "flips"},
        Words{"Ktok/s", "tok/s"}}) {
    EXPECT_TRUE(differ_by_prefix(a, b)) << a << ' ' << b;
    EXPECT_TRUE(differ_by_prefix(b, a)) << a << ' ' << b;
  }
}

TEST(CountedWord, OtherWordsAreNoScales) {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [a, b] :
       {Words{"tokens", "tokens"}, Words{"token", "tokens"}, Words{"Tokens", "tokens"},
        Words{"tokens", "items"}, Words{"", "tokens"}, Words{"", ""}, Words{"k", "K"},
        Words{"iterations", "done"}, Words{"time", "utime"}}) {
    EXPECT_FALSE(differ_by_prefix(a, b)) << a << ' ' << b;
    EXPECT_FALSE(differ_by_prefix(b, a)) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace nightshift::search
