#include "base/quantity.h"

#include <gtest/gtest.h>

#include <optional>

namespace nightshift::base {
namespace {

TEST(ParseDuration, KnowsItsUnits) {
  EXPECT_EQ(parse_duration("90s"), 90.0);
  EXPECT_EQ(parse_duration("10m"), 600.0);
  EXPECT_EQ(parse_duration("1h 30m"), 5400.0);
  EXPECT_EQ(parse_duration("0.5 h"), 1800.0);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text :
       {"", " ", "10", "m", "10 x", "-1s", "1e3s", "infs", "nan", "10m!", "1h30"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(RoundedSeconds, HaveThreeDigits) {
  EXPECT_EQ(rounded_seconds(3.2000000001), "3.2");
  EXPECT_EQ(rounded_seconds(60), "60");
  EXPECT_EQ(rounded_seconds(0.2), "0.2");
  EXPECT_EQ(rounded_seconds(123.456), "123");
  EXPECT_EQ(rounded_seconds(86400), "86400");
}

TEST(ParseBytes, KnowsItsUnits) {
  EXPECT_EQ(parse_bytes("512B"), 512U);
  EXPECT_EQ(parse_bytes("1 KiB"), 1024U);
  EXPECT_EQ(parse_bytes("1.5MiB"), 1536U * 1024);
  EXPECT_EQ(parse_bytes("2GB"), 2'000'000'000U);
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"", "10", "1 gib", "-1B", "99999999TiB", "1MiB 1KiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(ParseSeconds, KnowsPlainNumbersAndUnits) {
  EXPECT_EQ(parse_seconds("90"), 90.0);
  EXPECT_EQ(parse_seconds("0.5"), 0.5);
  EXPECT_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_EQ(parse_seconds("1h30m15s"), 5415.0);
}

TEST(ParseSeconds, KnowsDaysAndSlurmsTimes) {
  EXPECT_EQ(parse_seconds("2d"), 172800.0);
  EXPECT_EQ(parse_seconds("1d12h"), 129600.0);
  EXPECT_EQ(parse_seconds("1w"), 604800.0);
  EXPECT_EQ(parse_seconds("2w1d"), 1296000.0);
  EXPECT_EQ(parse_seconds("30min"), 1800.0);
  EXPECT_EQ(parse_seconds("1h 30 min"), 5400.0);
  EXPECT_EQ(parse_seconds("1-12"), 129600.0);
  EXPECT_EQ(parse_seconds("1-12:30"), 131400.0);
  EXPECT_EQ(parse_seconds("1-12:00:01"), 129601.0);
  EXPECT_EQ(parse_seconds("36:00:00"), 129600.0);
}

TEST(ParseSeconds, RefusesWhatCouldMeanTwoThings) {
  for (const char* text :
       {"1h30", "1h 30",  "10m ",    " 10m",   "10 20", "-3",       "inf",       "",     "10:20",
        "1-24", "1-2:60", "1:60:00", "1-",     "-1",    "1-2-3",    "1-2:3:4:5", "1d-2", "1d1d",
        "1h1d", "30m1h",  "1s 1s",   "1m1min", "1d1w",  "5minutes", "1M"}) {
    EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
  }
}

TEST(ParseCount, IsAWholeNumber) {
  EXPECT_EQ(parse_count("400"), 400U);
  EXPECT_EQ(parse_count("0"), 0U);
  for (const char* text : {"", "-1", "+1", "1.5", "4t", "99999999999999999999"}) {
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
  }
}

TEST(ParsePercentage, IsAShare) {
  EXPECT_EQ(parse_percentage("50%"), 0.5);
  EXPECT_EQ(parse_percentage("0.5 %"), 0.005);
  for (const char* text : {"", "%", "0.5", "-1%", "1%%", "5 % "}) {
    EXPECT_EQ(parse_percentage(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace nightshift::base
