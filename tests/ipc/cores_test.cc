#include "ipc/cores.h"

#include <gtest/gtest.h>

namespace nightshift::ipc {
namespace {

using Cores = std::vector<int>;

TEST(Cores, AnArgumentIsReadAsItWasWritten) {
  for (const Cores& cores : {Cores{}, Cores{0}, Cores{7, 3, 12}}) {
    EXPECT_EQ(parse_core_argument(core_argument(cores)), cores) << core_argument(cores);
  }
  EXPECT_EQ(core_argument({}), "-");
  EXPECT_EQ(core_argument({1, 2, 5}), "1,2,5");
}

TEST(Cores, WhatIsNoArgumentIsRefused) {
  for (const char* text :
       {"", ",", "1,", ",1", "1,,2", "-1", "1;2", " 1", "1 ", "--", "x", "99999999999"}) {
    EXPECT_EQ(parse_core_argument(text), std::nullopt) << text;
  }
}

TEST(Cores, NeighboursAreOneRange) {
  EXPECT_EQ(core_ranges({}, ','), "");
  EXPECT_EQ(core_ranges({4}, ','), "4");
  EXPECT_EQ(core_ranges({0, 1}, ','), "0-1");
  EXPECT_EQ(core_ranges({0, 1, 2, 3, 6, 8, 9}, ','), "0-3,6,8-9");
  EXPECT_EQ(core_ranges({0, 2, 3}, '+'), "0+2-3");
}

TEST(Cores, ThereIsOneThatWeRunOn) { EXPECT_FALSE(usable_cores().empty()); }

}  // namespace
}  // namespace nightshift::ipc
