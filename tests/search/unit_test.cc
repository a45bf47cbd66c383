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
  EXPECT_EQ(name_of(find_unit("mins")), "min");
  EXPECT_EQ(name_of(find_unit("hrs")), "h");
  EXPECT_EQ(name_of(find_unit("Megabytes")), "MB");
}

TEST(FindUnit, OfOneOfManyOperationsItIsTheUnitItself) {
  EXPECT_EQ(name_of(find_unit("us/op")), "us");
  EXPECT_EQ(name_of(find_unit("ns/iter")), "ns");
  EXPECT_EQ(name_of(find_unit("ms/iterations")), "ms");
  EXPECT_EQ(name_of(find_unit("seconds/batch")), "s");
  EXPECT_EQ(name_of(find_unit("\u00b5s/call")), "us");
  EXPECT_EQ(name_of(find_unit("J/launch")), "J");
  EXPECT_EQ(name_of(find_unit("B/op")), "B");
  for (const char* word : {"us/", "us/parsec", "us/s", "us/min", "GB/s/op", "W/op", "US/op", "/op",
                           "op/us", "us/op/op"}) {
    EXPECT_EQ(find_unit(word), nullptr) << word;
  }
}

TEST(FindUnit, ASecondBelowIsSpelledInAnyWay) {
  EXPECT_EQ(name_of(find_unit("GB/sec")), "GB/s");
  EXPECT_EQ(name_of(find_unit("MiB/second")), "MiB/s");
  EXPECT_EQ(find_unit("J/sec"), nullptr);
}

TEST(FindUnit, AnyLengthIsRead) {
  std::string word = "us";
  for (int i = 0; i < 1'000'000; ++i) word += "/op";
  EXPECT_EQ(find_unit(word), nullptr);
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

TEST(PerSecond, OfAnySpellingOfATime) {
  EXPECT_EQ(per_second("Microseconds"), 1e6);
  EXPECT_EQ(per_second("\u03bcs"), 1e6);
  EXPECT_EQ(per_second("MB"), std::nullopt);
  EXPECT_EQ(per_second(""), std::nullopt);
}

}  // namespace
}  // namespace nightshift::search
