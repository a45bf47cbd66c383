#include "tools/profile/profiler_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kTable = R"csv(==PROF== Connected to process 4711 (/usr/bin/something)
==PROF== Profiling "norm" - 0: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 4711
"ID","Kernel Name","Block Size","gpu__time_duration.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed","lts__throughput.avg.pct_of_peak_sustained_elapsed","sm__throughput.avg.pct_of_peak_sustained_elapsed","sm__warps_active.avg.pct_of_peak_sustained_active","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio","smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"
"","","","nsecond","%","%","%","%","inst","inst","inst"
"0","norm(const float*, ""x"")","(256, 1, 1)","12,345","81.5","40.25","12.5","49.75","2","7","1"
"1","rest","(32, 1, 1)","2000","n/a","1","2","3","0","0","0"
)csv";

TEST(ProfilerTable, ReadsARowForEachLaunch) {
  const std::vector<LaunchCounters> launches = read_profiler_table(kTable);
  ASSERT_THAT(launches, SizeIs(2));
  const LaunchCounters& norm = launches[0];
  EXPECT_EQ(norm.kernel, "norm(const float*, \"x\")");
  EXPECT_DOUBLE_EQ(norm.seconds.value(), 12345e-9);
  EXPECT_DOUBLE_EQ(norm.dram.value(), 81.5);
  EXPECT_DOUBLE_EQ(norm.l2.value(), 40.25);
  EXPECT_DOUBLE_EQ(norm.compute.value(), 12.5);
  EXPECT_DOUBLE_EQ(norm.occupancy.value(), 49.75);
  ASSERT_THAT(norm.warps, SizeIs(3));
  EXPECT_EQ(norm.warps[0], (std::pair<std::string, double>("long_scoreboard", 0.7)));
  EXPECT_EQ(norm.warps[1], (std::pair<std::string, double>("barrier", 0.2)));
  EXPECT_EQ(launches[1].dram, std::nullopt);
  EXPECT_THAT(launches[1].warps, IsEmpty());
}

TEST(ProfilerTable, UnitsOfTimeAreRead) {
  const std::string begin = "\"Kernel Name\",\"gpu__time_duration.sum\"\n";
  const auto seconds = [&](const std::string& unit) {
    return read_profiler_table(begin + "\"\",\"" + unit + "\"\n\"k\",\"3\"\n")
        .at(0)
        .seconds.value();
  };
  EXPECT_DOUBLE_EQ(seconds("usecond"), 3e-6);
  EXPECT_DOUBLE_EQ(seconds("us"), 3e-6);
  EXPECT_DOUBLE_EQ(seconds("msecond"), 3e-3);
  EXPECT_DOUBLE_EQ(seconds("second"), 3);
}

TEST(ProfilerTable, WhatIsNoTableHasNoRows) {
  EXPECT_THAT(read_profiler_table(""), IsEmpty());
  EXPECT_THAT(read_profiler_table("==ERROR== no permission\n"), IsEmpty());
  EXPECT_THAT(read_profiler_table("\"a\",\"b\"\n"), IsEmpty());
  EXPECT_THAT(read_profiler_table("\"a\",\"b\"\n\"\",\"\"\n\"1\"\n\"1\",\"2\n\"1\" \"2\"\n"),
              IsEmpty());
}

TEST(ProfilerTable, ReasonsHaveWords) {
  EXPECT_EQ(words_of_stall("barrier"), "other warps at a barrier");
  EXPECT_EQ(words_of_stall("something_new"), "something_new");
}

}  // namespace
}  // namespace nightshift::tools
