#include "search/figures/joined_numbers.h"

#include <gtest/gtest.h>

#include <string>

namespace nightshift::search {
namespace {

// "9*2=9 * 2 ns" of one chain, others behind ';'.
std::string joined(std::string_view line) {
  std::string text;
  for (const JoinedNumbers& chain : joined_numbers(line)) {
    if (!text.empty()) text += "; ";
    for (const JoinedNumbers::Number& number : chain.numbers)
      text += std::string(number.text) + std::string(number.sign);
    text += "=" + std::string(chain.all) + (chain.may_be_columns ? "?" : "");
  }
  return text;
}

TEST(JoinedNumbers, AreProductsSumsAndRanges) {
  EXPECT_EQ(joined("t = 9 * 2 ns, ok"), "9*2=9 * 2 ns");
  EXPECT_EQ(joined("9 x 2"), "9x2=9 x 2");
  EXPECT_EQ(joined("1024x1024"), "1024x1024=1024x1024");
  EXPECT_EQ(joined("9 x 10^-3 s"), "") << "a sign is no part of a number";
  EXPECT_EQ(joined("9 \u00d7 10^3 s"), "9\u00d710^3=9 \u00d7 10^3 s");
  EXPECT_EQ(joined("9 * 1e-3 and more"), "9*1e-3=9 * 1e-3");
  EXPECT_EQ(joined("2^10 ns"), "2^10=2^10 ns");
  EXPECT_EQ(joined("9 + 2 ns"), "9+2=9 + 2 ns");
  EXPECT_EQ(joined("9/2 ns"), "9/2=9/2 ns");
  EXPECT_EQ(joined("9 to 11 ns"), "9to11=9 to 11 ns");
  EXPECT_EQ(joined("9 to 11"), "9to11=9 to 11");
  EXPECT_EQ(joined("9-11 ns"), "9-11=9-11 ns");
  EXPECT_EQ(joined("9 - 11ns"), "9-11=9 - 11ns");
  EXPECT_EQ(joined("(9-11)"), "9-11=9-11");
  EXPECT_EQ(joined("9\u201311 [ns]"), "9\u201311=9\u201311 [ns");
  EXPECT_EQ(joined("9..11 ns"), "9..11=9..11 ns");
  EXPECT_EQ(joined("9 ns - 11 ns"), "9-11=9 ns - 11 ns");
  EXPECT_EQ(joined("between 9 and 11 ns"), "9and11=9 and 11 ns");
  EXPECT_EQ(joined("a 9-11 ns b 3 to 4 ms"), "9-11=9-11 ns; 3to4=3 to 4 ms");
}

TEST(JoinedNumbers, ArePartsOfATime) {
  EXPECT_EQ(joined("1 s 500 ms"), "1s500=1 s 500 ms");
  EXPECT_EQ(joined("real 1m23.5s"), "1m23.5=1m23.5s");
  EXPECT_EQ(joined("took 1h30m"), "1h30=1h30m");
  EXPECT_EQ(joined("2 hours 30 minutes"), "2hours30=2 hours 30 minutes");
  EXPECT_EQ(joined("1:23.5"), "1:23.5=1:23.5");
  EXPECT_EQ(joined("01:02:03"), "01:02:03=01:02:03");
}

TEST(JoinedNumbers, AreGroupsOfDigits) {
  EXPECT_EQ(joined("12 500 ns"), "12 500=12 500 ns");
  EXPECT_EQ(joined("12 500"), "12 500=12 500?");
  EXPECT_EQ(joined("12\u202f500 x"), "12\u202f500=12\u202f500");
  EXPECT_EQ(joined("1,503.78"), "1,503.78=1,503.78");
  EXPECT_EQ(joined("1'503'000 ns"), "1'503'000=1'503'000 ns");
  EXPECT_EQ(joined("1.503,78 us"), "1.503,78=1.503,78 us");
  EXPECT_EQ(joined("1.503.780 us"), "1.503.780=1.503.780 us");
  EXPECT_EQ(joined("t = 1,5"), "1,5=1,5");
  EXPECT_EQ(joined("1,5 ms, 3 runs"), "1,5=1,5 ms");
}

TEST(JoinedNumbers, NumbersThatStandForThemselvesAreNone) {
  for (const char* line :
       {"",           "9 ns",        "9 x 3 runs",    "3 * 2 runs",  "2024-01-28",
        "2024-11-28", "2024-01",     "run-5",         "sm_90-128",   "4-128-256",
        "5 -3 ns",    "5 +- 1 ns",   "5 \u00b1 1 ns", "5+-1 ns",     "5 min 3 max 9",
        "3/10",       "12.5 ns / 3", "gemm,12,34",    "1,2,3",       "12.5,3.5",
        "1, 503",     "10.0.0.1",    "v1.2.3",        "12 500 3.4",  "100 1000",
        "12  500 ns", "5 ms  3 us",  "5.2 ms 3 us",   "1 s 1500 ms", "m 3 n 4 k 5",
        "a=3 b=4",    "3 and 4",     "5 of 10 ms",    "12 50 ns",    "0 500 ns",
        "1:5",        "x86_64"}) {
    EXPECT_EQ(joined(line), "") << line;
  }
}

TEST(SecondsInParts, ReadsWhatIsCertain) {
  EXPECT_DOUBLE_EQ(seconds_in_parts("1 s 500 ms").value_or(0), 1.5);
  EXPECT_DOUBLE_EQ(seconds_in_parts(" 1m23.5s ").value_or(0), 83.5);
  EXPECT_DOUBLE_EQ(seconds_in_parts("1h30m").value_or(0), 5400);
  EXPECT_DOUBLE_EQ(seconds_in_parts("2 h 30 min 1 s").value_or(0), 9001);
  EXPECT_DOUBLE_EQ(seconds_in_parts("3ms250us").value_or(0), 0.00325);
  EXPECT_DOUBLE_EQ(seconds_in_parts("1:23.5").value_or(0), 83.5);
  EXPECT_DOUBLE_EQ(seconds_in_parts("0:01.23").value_or(0), 1.23);
  EXPECT_DOUBLE_EQ(seconds_in_parts("1:02:03").value_or(0), 3723);
  for (const char* text : {"", "1", "1 s", "1:23", "1:23.5 min", "1 s 500 ms max", "9 * 2 ns",
                           "1:02:03:04", "500 ms 1 s", "1 GB 500 MB", "5 m", "1.5 s 500 ms"}) {
    EXPECT_FALSE(seconds_in_parts(text)) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
