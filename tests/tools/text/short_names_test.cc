#include "tools/text/short_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;

TEST(ShortNames, StayAsTheyAreWhereTheyFit) {
  EXPECT_THAT(short_names({"norm", "gelu-4096"}, 9), ElementsAre("norm", "gelu-4096"));
  EXPECT_THAT(short_names({"transpose-ROWS1024", "gelu"}, std::string::npos),
              ElementsAre("transpose-ROWS1024", "gelu"));
  EXPECT_THAT(short_names({}, 9), ElementsAre());
}

TEST(ShortNames, AreCutAtTheEndWhereThatTellsThemApart) {
  EXPECT_THAT(short_names({"normalise-rows", "gelu", "transposition"}, 9),
              ElementsAre("normal...", "gelu", "transp..."));
}

TEST(ShortNames, OfShapesKeepTheSizesInWhichTheyDiffer) {
  EXPECT_THAT(short_names({"transpose-ROWS1024-COLUMNS512", "transpose-ROWS1024-COLUMNS1024"}, 26),
              ElementsAre("transpose-ROW...COLUMNS512", "transpose-RO...COLUMNS1024"));
  EXPECT_THAT(short_names({"transpose-ROWS1024-COLUMNS512", "transpose-ROWS1024-COLUMNS1024",
                           "transpose-ROWS4096-COLUMNS512", "transpose-ROWS4096-COLUMNS1024"},
                          26),
              ElementsAre("tran...ROWS1024-COLUMNS512", "tra...ROWS1024-COLUMNS1024",
                          "tran...ROWS4096-COLUMNS512", "tra...ROWS4096-COLUMNS1024"))
      << "whole numbers: 4-COLUMNS512 would be any size that ends so";
  EXPECT_THAT(short_names({"transpose-ROWS1024-COLUMNS512", "transpose-ROWS1024-COLUMNS1024"}, 24),
              ElementsAre("transpose-R...COLUMNS512", "transpose-...COLUMNS1024"));
  EXPECT_THAT(short_names({"onewordthatislong1", "onewordthatislong2"}, 10),
              ElementsAre("onew...ng1", "onew...ng2"));
}

TEST(ShortNames, ThatDifferInTheMiddleLoseWhatTheyShare) {
  EXPECT_THAT(
      short_names({"a-long-beginning-1-and-a-long-end", "a-long-beginning-2-and-a-long-end"}, 12),
      ElementsAre("...1-and-...", "...2-and-..."));
}

TEST(ShortNames, AreNeverAlike) {
  // One pair differs at the beginning, one in the middle, one at the end.
  const std::vector<std::string> names = {
      "abcdefghijklmnopqrstuvwxyz", "Abcdefghijklmnopqrstuvwxyz", "abcdefghijklmNopqrstuvwxyz",
      "abcdefghijklmnopqrstuvwxyZ"};
  EXPECT_EQ(short_names(names, 10), names);
}

TEST(ShortNames, AreCutBetweenCharacters) {
  const std::string e = "\xc3\xa9", a = "\xc3\xa4";  // which share a byte
  for (const std::string& name :
       short_names({e + e + e + e + e + e + e + e, e + e + e + e + e + e + e + a}, 6)) {
    EXPECT_EQ(width_of(name), 6U);
    EXPECT_EQ(one_line(name), name) << "valid UTF-8";
  }
  EXPECT_THAT(short_names({e + e + e + e + e, a + e + e + e + a}, 4),
              ElementsAre(e + "...", a + "..."));
}

}  // namespace
}  // namespace nightshift::tools
