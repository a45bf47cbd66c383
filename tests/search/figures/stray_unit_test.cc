#include "search/figures/stray_unit.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

std::string_view stray(std::string_view text, std::string_view own = "ms") {
  return stray_unit(text, Dimension::kTime, own);
}

TEST(StrayUnit, StandsFurtherOnAndIsOfNoOtherNumber) {
  for (const char* text :
       {",899,us", " <b>us</b>", " *us*", " in us", " - us", " | 12 | us |", " 1/us", "  \"us\""}) {
    EXPECT_EQ(stray(text), "us") << text;
  }
  EXPECT_EQ(stray(" &micro;s"), "&micro;");
  EXPECT_EQ(stray(" $\\mu$s"), "\\mu");
  for (const char* text : {"", " (1.2 us)", " total 12us", " us=5", " us_total", " bus", " in ms",
                           " 5 GB", " s", " min", " runs, best of 5"}) {
    EXPECT_EQ(stray(text), "") << text;
  }
  EXPECT_EQ(stray(" in ms", "us"), "ms");
}

}  // namespace
}  // namespace nightshift::search
