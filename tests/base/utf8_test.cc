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

TEST(Utf8, CodesHaveTheirBytes) {
  EXPECT_EQ(utf8_of(0), std::string(1, '\0'));
  EXPECT_EQ(utf8_of('b'), "b");
  EXPECT_EQ(utf8_of(0xE9), "\xC3\xA9");
  EXPECT_EQ(utf8_of(0x20AC), "\xE2\x82\xAC");
  EXPECT_EQ(utf8_of(0x1F600), "\xF0\x9F\x98\x80");
  for (const unsigned none : {0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU}) {
    EXPECT_EQ(utf8_of(none), "") << none;
  }
}

}  // namespace
}  // namespace nightshift::base
