#include "base/wide.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::base {
namespace {

constexpr Wide kMost = ~Wide{0};

TEST(Wide, IsWrittenInDecimal) {
  EXPECT_EQ(to_string(Wide{0}), "0");
  EXPECT_EQ(to_string(Wide{10}), "10");
  EXPECT_EQ(to_string(Wide{1} << 64), "18446744073709551616");
  EXPECT_EQ(to_string(kMost), "340282366920938463463374607431768211455");
}

TEST(Wide, IsReadBack) {
  for (const Wide n : {Wide{0}, Wide{7}, Wide{1} << 63, Wide{1} << 64, Wide{1} << 127, kMost}) {
    EXPECT_EQ(parse_wide(to_string(n)), n);
  }
  EXPECT_EQ(parse_wide("00012"), Wide{12});
}

TEST(Wide, WhatIsNoNumberOrTooLargeIsRefused) {
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "a",
        "340282366920938463463374607431768211456", "999999999999999999999999999999999999999",
        "3402823669209384634633746074317682114550"}) {
    EXPECT_EQ(parse_wide(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace nightshift::base
