#include "base/utf8.h"

#include <gtest/gtest.h>

namespace nightshift::base {
namespace {

TEST(Utf8, TheFirstSequenceHasItsLength) {
  EXPECT_EQ(utf8_length("a\xC3\xA9"), 1U);
  EXPECT_EQ(utf8_length("\xC3\xA9z"), 2U);
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3U);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4U);
  EXPECT_EQ(utf8_length("\xC2\x80"), 2U);
  EXPECT_EQ(utf8_length(std::string_view("\0", 1)), 1U);
}

TEST(Utf8, WhatIsNoSequenceHasNone) {
  for (const char* text :
       {"\x80", "\xC3", "\xC3z", "\xE2\x82", "\xFF", "\xF5\x80\x80\x80",
        // overlong, a surrogate, above U+10FFFF
        "\xC0\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(utf8_length(text), 0U) << text;
  }
}

}  // namespace
}  // namespace nightshift::base
