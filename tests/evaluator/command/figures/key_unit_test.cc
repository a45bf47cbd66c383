#include "evaluator/command/figures/key_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

FigureUnit wanted(const std::string& unit, const std::string& name = "figure") {
  return FigureUnit(search::Objective{name, unit, search::Direction::kMinimise});
}

std::string word(const std::string& key, const std::string& unit) {
  const search::UnitBeside found = unit_of_key(key, wanted(unit));
  if (found.unit != nullptr) return std::string(found.unit->name);
  return found.unknown.empty() ? "" : "? " + std::string(found.unknown);
}

TEST(KeyUnit, OfEachQuantityIsReadInAnyCase) {
  EXPECT_EQ(word("memory_kb", "MB"), "kB");
  EXPECT_EQ(word("memory_KiB", "MB"), "KiB");
  EXPECT_EQ(word("memory_kib", "MB"), "KiB");
  EXPECT_EQ(word("memory_bytes", "MB"), "B");
  EXPECT_EQ(word("size_gib", "MB"), "GiB");
  EXPECT_EQ(word("clock_mhz", "Hz"), "MHz");
  EXPECT_EQ(word("energy_mJ", "J"), "mJ");
  EXPECT_EQ(word("energy_mj", "J"), "mJ");
  EXPECT_EQ(word("energy_j", "mJ"), "J");
  EXPECT_EQ(word("power_W", "mW"), "W");
  EXPECT_EQ(word("power_mw", "W"), "mW");
  EXPECT_EQ(word("TIME_MS", "us"), "ms");
  EXPECT_EQ(word("rate_tflops", "GFLOP/s"), "TFLOP/s");
}

TEST(KeyUnit, MayBeWrittenWithCapitalsSignsAndBrackets) {
  EXPECT_EQ(word("timeUs", "ms"), "us");
  EXPECT_EQ(word("timeUsMean", "ms"), "us");
  for (const char* key : {"timeMicros", "micros", "time_micros", "timeMicrosP95", "elapsedMicros"})
    EXPECT_EQ(word(key, "ms"), "us") << key;
  EXPECT_EQ(word("timeMillis", "s"), "ms");
  EXPECT_EQ(word("timeNanos", "ms"), "ns");
  EXPECT_EQ(word("timeInNanos", "ms"), "ns");
  EXPECT_EQ(word("f1_micro", "ms"), "") << "the name of a mean";
  EXPECT_EQ(word("timeUsP95", "ms"), "us");
  EXPECT_EQ(word("time_us_total", "ms"), "us");
  EXPECT_EQ(word("memoryKiB", "MB"), "KiB");
  EXPECT_EQ(word("memoryKB", "MB"), "kB");
  EXPECT_EQ(word("clockMHz", "Hz"), "MHz");
  EXPECT_EQ(word("bandwidthGBps", "MB/s"), "GB/s");
  EXPECT_EQ(word("energymJ", "J"), "") << "may be mega, milli or a name";
  EXPECT_EQ(word("Time (us)", "ms"), "us");
  EXPECT_EQ(word("Duration [nsecond]", "ms"), "ns");
  EXPECT_EQ(word("Time (US)", "ms"), "? US");
  EXPECT_EQ(word("time-us", "ms"), "us");
  EXPECT_EQ(word("time us", "ms"), "us");
}

TEST(KeyUnit, MayStandBeforePerAndBehindAPercentile) {
  struct Named {
    const char *key, *unit;
  };
  for (const Named& named : {Named{"nsPerOp", "ns"},
                             {"timeNsPerOp", "ns"},
                             {"time_usPerIter", "us"},
                             {"p50us", "us"},
                             {"latency_p50us", "us"},
                             {"p99_ms", "ms"},
                             {"p99Ms", "ms"},
                             {"P999ns", "ns"},
                             {"latencyMs", "ms"},
                             {"latencyMsP99", "ms"},
                             // Words that end as units do, and numbers that are no percentiles.
                             {"items", ""},
                             {"terms", ""},
                             {"forums", ""},
                             {"bus", ""},
                             {"numItems", ""},
                             {"gpuBus", ""},
                             {"top10ms", ""},
                             {"p50", ""},
                             {"p50x", ""},
                             {"p50s", ""},
                             {"pus", ""},
                             {"opsPerMs", ""},
                             {"itemsPerOp", ""},
                             {"superb", ""}}) {
    EXPECT_EQ(word(named.key, "s"), named.unit) << named.key;
  }
  EXPECT_TRUE(unit_of_key("nsPerOp", wanted("ms")).of_one);
  EXPECT_EQ(word("bytesPerSecond", "GB/s"), "B/s");
}

TEST(KeyUnit, WordsOfANameAreToldByLinesCapitalsAndPercentiles) {
  for (const char* name : {"time_us", "latencyMs", "p50us", "p99Ms", "nsPerOp"})
    EXPECT_TRUE(is_of_several_words(name)) << name;
  for (const char* name : {"items", "bus", "MS", "Latency", "p50", "", "us", "MiB", "mJ"})
    EXPECT_FALSE(is_of_several_words(name)) << name;
}

TEST(KeyUnit, OfARateIsPutTogether) {
  EXPECT_EQ(word("bandwidth_GBps", "MB/s"), "GB/s");
  EXPECT_EQ(word("bandwidth_gb_s", "MB/s"), "GB/s");
  EXPECT_EQ(word("bandwidth_gb_per_sec", "MB/s"), "GB/s");
  EXPECT_EQ(word("bytes_per_second", "MB/s"), "B/s");
  EXPECT_EQ(word("time_ns_per_iter", "ms"), "ns");
  EXPECT_TRUE(unit_of_key("time_ns_per_iter", wanted("ms")).of_one);
}

TEST(KeyUnit, BitsAreNoBytes) {
  EXPECT_EQ(word("bandwidth_gbps", "GB/s"), "") << "as it is";
  EXPECT_EQ(word("bandwidth_gbps", "MB/s"), "? gbps");
  EXPECT_EQ(word("bandwidth_Gbps", "GB/s"), "? Gbps");
  EXPECT_EQ(word("bandwidth_gbps", "gbps"), "") << "the objective's own word";
  EXPECT_EQ(word("size_Mb", "MB"), "? Mb");
  EXPECT_EQ(word("size_bits", "MB"), "? bits");
  EXPECT_EQ(word("time_ps", "ns"), "? ps");
  EXPECT_EQ(word("cycles", "ms"), "? cycles");
  EXPECT_EQ(word("cycles", "cycles"), "");
  EXPECT_EQ(word("bits_per_second", "GB/s"), "? bits");
  EXPECT_EQ(word("mbits_per_sec", "GB/s"), "? mbits");
  EXPECT_EQ(word("bw_Mbit_s", "GB/s"), "? Mbit");
  EXPECT_EQ(word("MB_per_second", "GB/s"), "MB/s");
}

TEST(KeyUnit, WhatMayBeSomethingElseIsNone) {
  EXPECT_EQ(word("time_min", "s"), "") << "the least";
  EXPECT_EQ(word("time_h", "s"), "") << "the hidden size";
  EXPECT_EQ(word("size_b", "MB"), "") << "the second buffer";
  EXPECT_EQ(word("time_w", "s"), "");
  EXPECT_EQ(word("tokens_s", "GB/s"), "");
  EXPECT_EQ(word("sm_clock", "MHz"), "");
  EXPECT_EQ(word("flops", "GFLOP/s"), "") << "may be a count";
  EXPECT_EQ(word("memory_kb", ""), "") << "of an objective without a unit";
  EXPECT_EQ(word("rows_per_second", "rows/s"), "");
  for (const char* rate : {"tokens_s", "frames_sec", "itemsPerSecond", "rows_per_second"}) {
    EXPECT_EQ(word(rate, "ms"), "") << rate;
    EXPECT_EQ(word(rate, ""), "") << rate;
  }
  EXPECT_EQ(word("step_s", "ms"), "s");
  EXPECT_EQ(word("frames_sec", "frames/s"), "");
  EXPECT_EQ(word("", "ms"), "");
  EXPECT_EQ(word("_", "ms"), "");
  EXPECT_EQ(word("_us", "ms"), "us");
}

void expect(const std::string& key, const std::string& unit) {
  expect_fitting(unit_of_key(key, wanted(unit)), key, wanted(unit));
}

TEST(KeyUnit, ThatDoesNotFitIsRefusedWithWhatWasRead) {
  for (const char* key : {"memory_kb", "size_gib", "clock_mhz", "energy_mJ", "bandwidth_gbps",
                          "bytes_per_second", "time_ps", "GB"}) {
    EXPECT_THAT([&] { expect(key, "ms"); }, ThrowsMessage<FigureError>(HasSubstr(key))) << key;
  }
  EXPECT_THAT([] { expect("time_us", "parsecs"); },
              ThrowsMessage<FigureError>(HasSubstr("'parsecs'")));
  EXPECT_NO_THROW(expect("time_us", "ms"));
  EXPECT_NO_THROW(expect("time_us", ""));
  EXPECT_NO_THROW(expect("time_min", "GB/s"));
}

}  // namespace
}  // namespace nightshift::evaluator
