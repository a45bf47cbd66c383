#include "search/unit.h"

#include <gtest/gtest.h>

#include "search/time_unit.h"

namespace nightshift::search {
namespace {

std::string_view name_of(const Unit* unit) { return unit == nullptr ? "none" : unit->name; }

TEST(FindUnit, ReadsShortAndLongForms) {
  for (const char* word : {"us", "usec", "usecs", "microseconds", "Microseconds", "MICROSECOND",
                           "\u00b5s", "\u03bcs"}) {
    EXPECT_EQ(name_of(find_unit(word)), "us") << word;
  }
  for (const char* word : {"ms", "miliseconds", "Milliseconds", "msec"}) {
    EXPECT_EQ(name_of(find_unit(word)), "ms") << word;
  }
  EXPECT_EQ(name_of(find_unit("Seconds")), "s");
  EXPECT_EQ(name_of(find_unit("nsecond")), "ns") << "as profilers of GPUs write it";
  EXPECT_EQ(name_of(find_unit("sec")), "s");
  EXPECT_EQ(name_of(find_unit("hours")), "h");
  EXPECT_EQ(name_of(find_unit("Nanoseconds")), "ns");
  EXPECT_EQ(name_of(find_unit("bytes")), "B");
  EXPECT_EQ(name_of(find_unit("KB/s")), "kB/s");
  EXPECT_EQ(name_of(find_unit("GFLOPS")), "GFLOP/s");
  EXPECT_EQ(name_of(find_unit("gflops")), "GFLOP/s");
  EXPECT_EQ(name_of(find_unit("MHz")), "MHz");
}

TEST(FindUnit, ShortFormsAreToldByCase) {
  EXPECT_EQ(name_of(find_unit("mJ")), "mJ");
  for (const char* word : {"", "S", "MS", "Us", "mb", "frames", "1/s", "u", "min/s", "x", "ss"}) {
    EXPECT_EQ(find_unit(word), nullptr) << word;
  }
}

TEST(Conversion, IsExactWhereTheUnitsAreWholeMultiples) {
  EXPECT_EQ(conversion("ms", "us"), 1000.0);
  EXPECT_EQ(conversion("us", "ns"), 1000.0);
  EXPECT_EQ(conversion("s", "ns"), 1e9);
  EXPECT_EQ(conversion("us", "ms"), 1e-3);
  EXPECT_EQ(conversion("min", "ms"), 60000.0);
  EXPECT_EQ(conversion("MiB", "KiB"), 1024.0);
  EXPECT_EQ(conversion("GB/s", "MB/s"), 1000.0);
  EXPECT_EQ(conversion("TFLOPS", "GFLOP/s"), 1000.0);
  EXPECT_EQ(conversion("Microseconds", "\u00b5s"), 1.0);
  EXPECT_EQ(conversion("ms", "MB"), std::nullopt);
  EXPECT_EQ(conversion("MB", "MB/s"), std::nullopt);
  EXPECT_EQ(conversion("frames", "frames"), std::nullopt);
}

TEST(LeadingUnit, StandsRightBehindTheNumber) {
  EXPECT_EQ(name_of(leading_unit(" us, 3 runs")), "us");
  EXPECT_EQ(name_of(leading_unit("ms")), "ms");
  EXPECT_EQ(name_of(leading_unit("\t[GB/s]")), "GB/s");
  EXPECT_EQ(name_of(leading_unit(" (\u00b5s)")), "us");
  EXPECT_EQ(name_of(leading_unit("s.")), "s");
  for (const char* text : {"", " ", " runs of 3 ms", "x3", " ms2", " us_total", " min 3 max 9",
                           " GB/second", "  h", ", ms"}) {
    EXPECT_EQ(leading_unit(text), nullptr) << text;
  }
}

TEST(TrailingUnit, StandsRightBeforeTheNumber) {
  EXPECT_EQ(name_of(trailing_unit("time (ms): ")), "ms");
  EXPECT_EQ(name_of(trailing_unit("time_us=")), "us");
  EXPECT_EQ(name_of(trailing_unit("elapsed[s] = ")), "s");
  EXPECT_EQ(name_of(trailing_unit("\"seconds\": ")), "s");
  for (const char* text : {"", "time: ", "s = ", "B: ", "min=", "ms per run: ", "items: "}) {
    EXPECT_EQ(trailing_unit(text), nullptr) << text;
  }
}

TEST(PerSecond, OfAnySpellingOfATime) {
  EXPECT_EQ(per_second("Microseconds"), 1e6);
  EXPECT_EQ(per_second("\u03bcs"), 1e6);
  EXPECT_EQ(per_second("MB"), std::nullopt);
  EXPECT_EQ(per_second(""), std::nullopt);
}

}  // namespace
}  // namespace nightshift::search
