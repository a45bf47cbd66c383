#include "scheduler/devices/device_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

std::string selection_error(const std::string& selection, int cores = 1) {
  return error_of([&] { cpu_devices(selection, {cores, false}); });
}

TEST(Device, TheLastCoreIsTheDeviceSoThatTheFirstStaysFree) {
  const std::vector<int> usable = usable_cores();
  ASSERT_FALSE(usable.empty());
  for (const char* selection : {"", "all"}) {
    const std::vector<Device> devices = cpu_devices(selection, {1, false});
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_THAT(devices[0].cores, ElementsAre(usable.back()));
    EXPECT_EQ(devices[0].uuid, "cpu:" + std::to_string(usable.back()));
    EXPECT_FALSE(devices[0].node.empty());
    EXPECT_EQ(devices[0].name, cpu_model());
    EXPECT_EQ(devices[0].key(), devices[0].node + "/" + devices[0].uuid);
  }
}

TEST(Device, ACoreIsSelectedByItsNumber) {
  const int core = usable_cores().front();
  const std::vector<Device> devices = cpu_devices(" cpu:" + std::to_string(core) + " ", {1, false});
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_THAT(devices[0].cores, ElementsAre(core));
}

TEST(Device, CoresOfOneDeviceAreNamedAsRangesAndSingleOnes) {
  const std::vector<int> usable = usable_cores();
  if (usable.size() < 2 || usable[1] != usable[0] + 1) {
    GTEST_SKIP() << "needs two adjacent cores, this machine has " << usable.size() << " cores";
  }
  const std::string first = std::to_string(usable[0]), second = std::to_string(usable[1]);
  for (const std::string& text : {first + "+" + second, second + "+" + first, first + "-" + second,
                                  first + "-" + second + "+" + first}) {
    const std::vector<Device> devices = cpu_devices("cpu:" + text, {2, false});
    ASSERT_EQ(devices.size(), 1U) << text;
    EXPECT_THAT(devices[0].cores, ElementsAre(usable[0], usable[1]));
    EXPECT_EQ(devices[0].uuid, "cpu:" + first + "-" + second);
  }
  const std::vector<Device> two = cpu_devices("cpu:" + second + ", cpu:" + first, {1, false});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].uuid, "cpu:" + second);
  EXPECT_EQ(two[1].uuid, "cpu:" + first);
}

TEST(Device, MistakesInASelectionAreAnsweredWithWhatThereIs) {
  const std::string core = std::to_string(usable_cores().front());
  const auto what_there_is = HasSubstr("this machine has");
  for (const char* text : {"gpu:0", "cpu:", "cpu:x", "cpu:-1", "cpu:3-1", "cpu:1-", "cpu:1;2",
                           "cpu:99999999999", "cpu:0-99999999", "0", ",", "all,all"}) {
    EXPECT_THAT(selection_error(text), AllOf(HasSubstr("is not understood"), what_there_is))
        << text;
  }
  EXPECT_THAT(selection_error("cpu:1023"), AllOf(HasSubstr("does not exist"), what_there_is));
  EXPECT_THAT(selection_error("cpu:" + core + ",cpu:" + core), HasSubstr("shares core"));
  EXPECT_THAT(selection_error("cpu:" + core, 2), HasSubstr("needs 2"));
  EXPECT_THAT(selection_error("all", 100'000), HasSubstr("needs 100000 cores"));
}

TEST(Device, OnlyCoresThatWeMayUseAreThere) {
  const std::vector<int> all = usable_cores();
  if (all.size() < 2) GTEST_SKIP() << "needs two cores";
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(all.front()), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(2);
    const bool one = usable_cores() == std::vector<int>{all.front()};
    const std::string error = selection_error("cpu:" + std::to_string(all.back()));
    _exit(one && error.find("not ours") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Device, ARecordedSpaceIsItsOwnDeviceAndNotPinned) {
  search::Problem problem;
  problem.backend = search::RecordedBackend{"/spaces/convolution-A100.json.gz", 0};
  problem.target = search::Target::kRecording;
  for (const char* selection : {"", "all", "recorded:convolution-A100"}) {
    const std::vector<Device> devices = devices_for(problem, selection, "");
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].uuid, "recorded:convolution-A100");
    EXPECT_TRUE(devices[0].cores.empty());
  }
  EXPECT_THAT(error_of([&] { devices_for(problem, "cpu:0", ""); }),
              HasSubstr("recorded:convolution-A100"));
  problem.backend = search::RecordedBackend{"/spaces/gemm.v2.json", 0};
  EXPECT_EQ(devices_for(problem, "", "").at(0).uuid, "recorded:gemm.v2");
}

TEST(Device, CoresBecomeOneDeviceOrManyAndTheFirstStaysFree) {
  using Cores = std::vector<std::vector<int>>;
  const std::vector<int> four = {0, 1, 4, 5}, two = {2, 3}, one = {7};
  EXPECT_EQ(divided(four, {1, false}), (Cores{{5}}));
  EXPECT_EQ(divided(four, {2, false}), (Cores{{4, 5}}));
  EXPECT_EQ(divided(four, {1, true}), (Cores{{1}, {4}, {5}}));
  EXPECT_EQ(divided(four, {2, true}), (Cores{{4, 5}}));
  EXPECT_EQ(divided({0, 1, 2, 3, 4}, {2, true}), (Cores{{1, 2}, {3, 4}}));
  EXPECT_EQ(divided(four, {4, true}), (Cores{four})) << "a device that needs all has all";
  EXPECT_EQ(divided(two, {1, true}), (Cores{{3}}));
  EXPECT_EQ(divided(one, {1, true}), (Cores{one}));
  for (const std::vector<int>& cores : {four, two, one}) {
    EXPECT_EQ(divided(cores, {0, false}), (Cores{cores}));
  }
}

TEST(Device, ProblemsRunOnAsManyCoresAsTheySay) {
  search::Problem problem;
  problem.backend = search::HostBackend{};
  EXPECT_EQ(devices_for(problem, "all", "").at(0).cores.size(), 1U);
  problem.backend = search::CommandBackend{};
  problem.scheduling.cores_per_device = 0;
  EXPECT_EQ(devices_for(problem, "", "").at(0).cores, usable_cores());
  const std::string first = "cpu:" + std::to_string(usable_cores().front());
  EXPECT_EQ(devices_for(problem, first, "").at(0).cores.size(), 1U) << "a selection goes before";
  problem.scheduling.cores_per_device = static_cast<int>(usable_cores().size());
  EXPECT_EQ(devices_for(problem, "", "").at(0).cores, usable_cores());
}

// Of a batch of several kinds.
TEST(DeviceSelection, EachKindHasItsOwnOfAList) {
  using search::Target;
  const std::string list = "cpu:0, recorded:space,gpu:1,GPU-12,cpu:1";
  EXPECT_EQ(selection_for(Target::kCores, list), "cpu:0,cpu:1");
  EXPECT_EQ(selection_for(Target::kGpus, list), "gpu:1,GPU-12");
  EXPECT_EQ(selection_for(Target::kRecording, list), "recorded:space");
  EXPECT_EQ(selection_for(Target::kRecording, "cpu:0"), "all") << "it needs none";
  for (const char* all : {"", "all"}) EXPECT_EQ(selection_for(Target::kCores, all), all);
  EXPECT_EQ(selection_for(Target::kCores, "core 1"), "core 1")
      << "whoever reads it says what it is";
  EXPECT_THROW((void)selection_for(Target::kCores, "gpu:0"), DeviceError);
  EXPECT_THROW((void)selection_for(Target::kGpus, "cpu:0,recorded:space"), DeviceError);
}

}  // namespace
}  // namespace nightshift::scheduler
