#include "search/figures/scaled_unit.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(ScalingOf, TellsUnitsWithAFactor) {
  for (const char* text :
       {"1e-6 s", "10^-6 s", "10**-6 s", "1E6 FLOP/s", "x10 us", "\u00d7 10 us", "100 ns units",
        "units of 1e-9 s", "in 1e-6 s", " 1e-6 * s ", "10^-6s"}) {
    EXPECT_EQ(scaling_of(text), Scaling::kUnit) << text;
  }
  for (const char* text : {"100 ns", "10us", "0.5 ms", "1000 B", ".1 us"}) {
    EXPECT_EQ(scaling_of(text), Scaling::kFactor) << text;
  }
  EXPECT_EQ(scaling_of("1 us"), Scaling::kOne);
}

TEST(ScalingOf, OtherTextsAreNone) {
  for (const char* text : {"", "us", "best of 5", "3 cycles", "5", "1e-6", "x", "5 runs, us",
                           "10 us or more", "5 of 3 us", "GPU", "10^x s"}) {
    EXPECT_EQ(scaling_of(text), Scaling::kNone) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
