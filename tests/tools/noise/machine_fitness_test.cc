#include "tools/noise/machine_fitness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A machine of folders, with nothing in them at first.
class MachineFitness : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_.path(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::vector<Disturber> found(const std::vector<int>& cores = {0, 1}) {
    return disturbers_of(cores, {root_.path("system"), root_.path("supplies"), root_.path("proc"),
                                 root_.path("groups")});
  }
  std::string name_of_only() {
    const std::vector<Disturber> all = found();
    return all.size() == 1 ? all.front().name : std::to_string(all.size()) + " found";
  }

  const problems::ScratchFolder root_;
};

TEST_F(MachineFitness, WhatTheKernelDoesNotTellIsNoFinding) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(MachineFitness, AQuietMachineIsFit) {
  write("proc/stat", "cpu  100 0 100 100000 0 0 0 3 0 0\ncpu0 1 2 3\n");
  write("proc/loadavg", "0.08 0.30 0.90 1/80 11206\n");
  write("proc/meminfo", "MemTotal: 100 kB\nSwapTotal: 2000000 kB\nSwapFree: 1999000 kB\n");
  write("groups/cpu.max", "max 100000\n");
  write("supplies/BAT0/status", "Full\n");
  write("system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("system/cpu/cpu0/thermal_throttle/core_throttle_count", "0\n");
  write("system/cpu/cpu0/topology/thread_siblings_list", "0\n");
  write("system/cpu/intel_pstate/no_turbo", "1\n");
  write("system/cpu/cpufreq/boost", "0\n");
  write("system/node/node0/cpulist", "0-1\n");
  write("system/node/nodes", "");
  write("proc/sys/kernel/numa_balancing", "1\n");  // of one node: there is nowhere to move to
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(MachineFitness, StolenTimeIsAShareOfAll) {
  write("proc/stat", "cpu  1000 0 1000 7000 0 0 0 1000 50 0\n");
  ASSERT_EQ(name_of_only(), "steal");
  EXPECT_THAT(found().front().found, HasSubstr("gave 10.0 % of the time"));
}

TEST_F(MachineFitness, AQuotaIsOneEvenBeforeItHoldsAnything) {
  write("groups/cpu.max", "150000 100000\n");
  ASSERT_EQ(name_of_only(), "quota");
  EXPECT_THAT(found().front().found, HasSubstr("1.5 cores' time"));
  EXPECT_THAT(found().front().found, Not(HasSubstr("so far")));
  write("groups/cpu.stat", "usage_usec 1\nnr_periods 200\nnr_throttled 30\n");
  EXPECT_THAT(found().front().found, HasSubstr("next 100 ms begin; it was in 15.0 % of them"));
  write("groups/cpu.max", "lots 100000\n");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(MachineFitness, OthersThatRunAreCounted) {
  write("proc/loadavg", "2.31 0.30 0.90 3/80 11206\n");
  ASSERT_EQ(name_of_only(), "load");
  EXPECT_THAT(found().front().found, HasSubstr("2.3 processes"));
}

TEST_F(MachineFitness, ABatteryDisturbsWhileItIsUsed) {
  write("supplies/AC/online", "0\n");
  write("supplies/BAT1/status", "Discharging\n");
  EXPECT_EQ(name_of_only(), "battery");
}

TEST_F(MachineFitness, OnlyTheCoresThatMeasureAreAsked) {
  write("system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  write("system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n");
  write("system/cpu/cpu2/thermal_throttle/package_throttle_count", "7\n");
  ASSERT_EQ(name_of_only(), "governor");
  EXPECT_THAT(found().front().found, HasSubstr("cores 1 follows"));
  EXPECT_THAT(found({0}), IsEmpty());
  EXPECT_THAT(found({2}), ElementsAre(Field(&Disturber::name, "throttling"),
                                      Field(&Disturber::name, "governor")));
}

TEST_F(MachineFitness, EachVendorsBoostHasItsOwnSwitch) {
  write("system/cpu/intel_pstate/no_turbo", "0\n");
  ASSERT_EQ(name_of_only(), "boost");
  EXPECT_THAT(found().front().change, HasSubstr("intel_pstate/no_turbo"));
  write("system/cpu/intel_pstate/no_turbo", "1\n");
  write("system/cpu/cpufreq/boost", "1\n");
  EXPECT_THAT(found().front().change, HasSubstr("cpufreq/boost"));
}

TEST_F(MachineFitness, ThreadsOfOneCoreAreNeighbours) {
  write("system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
  write("system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
  ASSERT_EQ(name_of_only(), "smt");
  EXPECT_THAT(found().front().found, HasSubstr("(0-1):"));
  write("system/cpu/cpu1/topology/thread_siblings_list", "1,17\n");
  EXPECT_THAT(found().front().found, HasSubstr("(0-1; 1,17):"));
}

TEST_F(MachineFitness, SwapCountsFromSizesOn) {
  write("proc/meminfo", "SwapTotal: 4194304 kB\nSwapFree: 2097152 kB\n");
  ASSERT_EQ(name_of_only(), "swap");
  EXPECT_THAT(found().front().found, HasSubstr("2.0 GiB"));
}

TEST_F(MachineFitness, PagesMoveBetweenNodes) {
  write("proc/sys/kernel/numa_balancing", "1\n");
  write("system/node/node0/cpulist", "0\n");
  write("system/node/node1/cpulist", "1\n");
  ASSERT_EQ(name_of_only(), "numa");
  write("proc/sys/kernel/numa_balancing", "0\n");
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
