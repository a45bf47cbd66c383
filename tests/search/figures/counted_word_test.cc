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

TEST(CountedWord, HasWhatItsRateIsOver) {
  EXPECT_EQ(counted_word(" requests per second, 3 ms"), "requests per second");
  EXPECT_EQ(counted_word(" successful HTTP requests a minute"),
            "successful HTTP requests a minute");
  EXPECT_EQ(counted_word(" requests / s"), "requests / s");
  EXPECT_EQ(counted_word(" requests: 3 per second"), "requests");
  EXPECT_EQ(over_time("Requests/sec: "), "/sec");
  EXPECT_EQ(over_time("pages per day"), "per day");
  for (const char* words : {"", "requests", "and/or", "insn per cycle", "us/op", "/"}) {
    EXPECT_EQ(over_time(words), "") << words;
  }
}

TEST(CountedWord, DiffersByWhatItsRateIsOver) {
  EXPECT_TRUE(differ_in_scale("requests per second", "requests per minute"));
  EXPECT_TRUE(differ_in_scale("/sec", "requests per hour"));
  EXPECT_FALSE(differ_in_scale("/sec", "requests per second"));
  EXPECT_FALSE(differ_in_scale("requests", "requests per second"));
}

TEST(CountedWord, AShareIsNoNumberAlone) {
  for (const char* other : {"", "tokens"}) {
    EXPECT_TRUE(differ_in_scale("%", other));
    EXPECT_TRUE(differ_in_scale(other, "%"));
  }
  EXPECT_FALSE(differ_in_scale("%", "%"));
  EXPECT_EQ(scale_of_sign("percent"), "%");
  EXPECT_EQ(scale_of_sign("x"), "");
}

TEST(CountedWord, DiffersByAPrefix) {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [a, b] :
       {Words{"tokens", "Ktokens"}, Words{"token", "ktokens"}, Words{"Mpixels", "pixels"},
        Words{"Kitems", "Mitems"}, Words{"items", "Kiitems"}, Words{"Gigaflips", "flips"},
        Words{"Ktok/s", "tok/s"}, Words{"mA", "A"}, Words{"um", "nm"}}) {
    EXPECT_TRUE(differ_in_scale(a, b)) << a << ' ' << b;
    EXPECT_TRUE(differ_in_scale(b, a)) << a << ' ' << b;
  }
}

TEST(CountedWord, OtherWordsAreNoScales) {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [a, b] :
       {Words{"tokens", "tokens"}, Words{"token", "tokens"}, Words{"Tokens", "tokens"},
        Words{"tokens", "items"}, Words{"", "tokens"}, Words{"", ""}, Words{"k", "K"},
        Words{"iterations", "done"}, Words{"time", "utime"}}) {
    EXPECT_FALSE(differ_in_scale(a, b)) << a << ' ' << b;
    EXPECT_FALSE(differ_in_scale(b, a)) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace nightshift::search
