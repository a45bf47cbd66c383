#include "scheduler/devices/gpu_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "scheduler/devices/device_selection.h"
#include "scheduler/devices/gpu_selection.h"
#include "scheduler/errors.h"
#include "tests/fakes/gpu/fake_gpu.h"
#include "tests/fakes/paths.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOne =
    R"({"uuid": "GPU-ab", "name": "H200", "architecture": 90, "multiprocessors": 132)";

GpuList parsed(const std::string& gpus) {
  return parse_gpu_list("{\"gpus\": [" + gpus + "], \"why\": \"\", \"cuda\": \"13.0\"}");
}

TEST(GpuList, TellsWhatIsThereAndLeavesOutWhatIsNotKnown) {
  const GpuList list = parsed(std::string(kOne) + R"(, "memory_bytes": 150, "power_watts": 98.5,
      "throttle": ["power cap"], "processes": [{"pid": 7, "bytes": 9}, {"pid": 8}],
      "recovery": "reset\u001b it"})");
  EXPECT_EQ(list.why, "");
  EXPECT_EQ(list.cuda, "13.0");
  ASSERT_EQ(list.gpus.size(), 1U);
  const Gpu& gpu = list.gpus.front();
  EXPECT_EQ(gpu.target, (ipc::GpuTarget{"GPU-ab", 90, 132}));
  EXPECT_EQ(gpu.memory_bytes, 150U);
  EXPECT_EQ(gpu.power_watts, 98.5);
  EXPECT_EQ(gpu.temperature, std::nullopt);
  EXPECT_THAT(gpu.throttle, ElementsAre("power cap"));
  EXPECT_EQ(gpu.processes.at(0).bytes, 9U);
  EXPECT_EQ(gpu.processes.at(1).bytes, std::nullopt);
  EXPECT_EQ(gpu.recovery, "reset  it");  // nothing that a terminal would obey
}

TEST(GpuList, WhatIsNoSuchListIsRefusedWithAReason) {
  const std::string one = kOne;
  for (const std::string& gpus :
       {std::string("7"), std::string("{}"), one + R"(, "memory_bytes": -1})",
        one + R"(, "memory_bytes": 1e300})", one + R"(, "temperature": "hot"})",
        one + R"(, "power_watts": -5})", one + R"(, "throttle": {}})", one + R"(, "name": 5})",
        one + R"(, "processes": [{}]})", one + R"(, "processes": [{"pid": 5000000000}]})",
        one + "}," + one + "}", one + R"(, "pci": ")" + std::string(3000, 'x') + "\"}",
        std::string(R"({"uuid": "../../etc", "architecture": 90, "multiprocessors": 1})"),
        std::string(R"({"uuid": "GPU-ab", "architecture": 0, "multiprocessors": 1})"),
        std::string(R"({"uuid": "GPU-ab", "architecture": 90})")}) {
    const GpuList list = parsed(gpus);
    EXPECT_THAT(list.gpus, IsEmpty()) << gpus;
    EXPECT_THAT(list.why, HasSubstr("cannot be read")) << gpus;
  }
  for (const char* text : {"", "{", "[]", "null", "\xff", "{\"gpus\": 5}"}) {
    EXPECT_THAT(parse_gpu_list(text).why, HasSubstr("cannot be read")) << text;
  }
  EXPECT_EQ(parse_gpu_list(std::string(2 << 20, ' ')).why, "the list of GPUs is too long");
  EXPECT_EQ(parse_gpu_list("{}").why, "the CUDA driver shows no GPU");
  EXPECT_EQ(parse_gpu_list(R"({"gpus": [], "why": "no luck"})").why, "no luck");
}

// With the real evaluator program.
class GpuDiscoveryTest : public ::testing::Test {
 protected:
  GpuDiscoveryTest() {
    use_fake_gpu();
    for (const char* name :
         {"FAKE_GPU_COUNT", "FAKE_GPU_DRIVER_VERSION", "CUDA_VISIBLE_DEVICES", "FAKE_NVML_STATE"}) {
      ::unsetenv(name);
    }
  }
  ~GpuDiscoveryTest() override {
    for (const char* name : {"FAKE_GPU_COUNT", "FAKE_GPU_DRIVER_VERSION", "CUDA_VISIBLE_DEVICES"}) {
      ::unsetenv(name);
    }
  }
  static GpuList discover() {
    return discover_gpus(testing_paths::program("nightshift-evaluator"));
  }
};

TEST_F(GpuDiscoveryTest, FindsWhatTheDriverShows) {
  ::setenv("FAKE_GPU_COUNT", "3", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
  const GpuList list = discover();
  EXPECT_EQ(list.why, "");
  EXPECT_EQ(list.cuda, "12.8");
  EXPECT_EQ(list.nvrtc, "12.8");
  EXPECT_EQ(list.driver, "570.00.fake");
  ASSERT_EQ(list.gpus.size(), 2U);
  EXPECT_EQ(list.gpus[0].target, (ipc::GpuTarget{fake_gpu_uuid(2), 90, 132}));
  EXPECT_EQ(list.gpus[1].target.uuid, fake_gpu_uuid(0));
  EXPECT_EQ(list.gpus[0].memory_bytes, 80ULL << 30);
  EXPECT_EQ(list.gpus[0].most_sm_clock_mhz, 1980);
}

TEST_F(GpuDiscoveryTest, InstancesOfAGpuAreCalledByTheirNames) {
  ::setenv("FAKE_GPU_MIG", "1", 1);
  const GpuList list = discover();
  ::unsetenv("FAKE_GPU_MIG");
  ASSERT_EQ(list.gpus.size(), 1U);
  EXPECT_EQ(list.gpus[0].target.uuid, "MIG" + fake_gpu_uuid(0).substr(3));
  EXPECT_EQ(list.driver, "570.00.fake") << "NVML knows it";
}

TEST_F(GpuDiscoveryTest, AProgramThatRunsOnGpusGetsThemAsAKernelDoes) {
  search::Problem problem;
  problem.backend = search::CommandBackend{};
  problem.target = search::Target::kGpus;
  ::setenv("FAKE_GPU_COUNT", "2", 1);
  const std::string program = testing_paths::program("nightshift-evaluator");
  const std::vector<Device> all = devices_for(problem, "all", program);
  ASSERT_EQ(all.size(), 2U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].uuid, fake_gpu_uuid(static_cast<int>(i)));
    EXPECT_EQ(all[i].gpu.uuid, all[i].uuid);
    EXPECT_THAT(all[i].cores, IsEmpty()) << "pinned nowhere";
  }
  EXPECT_EQ(devices_for(problem, "gpu:1", program).at(0).uuid, fake_gpu_uuid(1));
  EXPECT_THROW(devices_for(problem, "cpu:0", program), DeviceError);
}

TEST_F(GpuDiscoveryTest, WhyThereIsNoneIsSaid) {
  ::setenv("FAKE_GPU_COUNT", "0", 1);
  EXPECT_THAT(discover().why, HasSubstr("CUDA_ERROR_NO_DEVICE"));
  ::setenv("FAKE_GPU_COUNT", "1", 1);
  ::setenv("FAKE_GPU_DRIVER_VERSION", "11080", 1);
  EXPECT_THAT(discover().why, AllOf(HasSubstr("too old"), HasSubstr("11.8"), HasSubstr("12.0")));
  ::setenv("NIGHTSHIFT_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  EXPECT_THAT(discover().why, HasSubstr("/nonexistent/libcuda.so.1"));
  EXPECT_THAT(discover_gpus("/nonexistent/evaluator").why, HasSubstr("cannot be started"));
  EXPECT_THAT(discover_gpus("/bin/false").why, HasSubstr("exit code 1"));
}

GpuList three_gpus() {
  return parsed(R"({"uuid": "GPU-aa1", "name": "A", "architecture": 90, "multiprocessors": 132},
                   {"uuid": "GPU-aa2", "name": "A", "architecture": 90, "multiprocessors": 132},
                   {"uuid": "GPU-b", "name": "B", "architecture": 80, "multiprocessors": 108})");
}

std::string selection_error(const GpuList& list, const std::string& selection) {
  try {
    gpu_devices(list, selection);
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "no error";
}

TEST(GpuSelection, ByPositionUuidAndBeginning) {
  for (const char* selection : {"gpu:0, GPU-aa2", "GPU-aa1,gpu:1"}) {
    const std::vector<Device> devices = gpu_devices(three_gpus(), selection);
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[0].uuid, "GPU-aa1");
    EXPECT_EQ(devices[0].name, "A");
    EXPECT_THAT(devices[0].cores, IsEmpty());
    EXPECT_EQ(devices[1].gpu, (ipc::GpuTarget{"GPU-aa2", 90, 132}));
  }
  EXPECT_EQ(gpu_devices(three_gpus(), "GPU-b").at(0).gpu.architecture, 80);
}

TEST(GpuSelection, MistakesAreAnsweredWithWhatThereIs) {
  const auto what_there_is = HasSubstr("this machine has gpu:0 (GPU-aa1, A), gpu:1 (GPU-aa2, A)");
  EXPECT_THAT(selection_error(three_gpus(), "GPU-a"),
              AllOf(HasSubstr("the beginning of several"), what_there_is));
  for (const char* text : {"gpu:3", "GPU-c", "gpu:01"}) {
    EXPECT_THAT(selection_error(three_gpus(), text), AllOf(HasSubstr("not exist"), what_there_is));
  }
  for (const char* text : {"cpu:0", "0", "GPU-", ",", "all,gpu:0"}) {
    EXPECT_THAT(selection_error(three_gpus(), text), what_there_is) << text;
  }
  EXPECT_THAT(selection_error(three_gpus(), "gpu:0,GPU-aa1"), HasSubstr("is there twice"));
  GpuList none;
  none.why = "no driver";
  EXPECT_THAT(selection_error(none, "all"), HasSubstr("none can be used: no driver"));
}

TEST(GpuSelection, GpusOfOneStudyAreOfOneKind) {
  EXPECT_THAT(selection_error(three_gpus(), "all"),
              AllOf(HasSubstr("--devices gpu:0,gpu:1  compute capability 9.0, 132"),
                    HasSubstr("--devices gpu:2  compute capability 8.0, 108")));
  EXPECT_THAT(selection_error(three_gpus(), "gpu:1,gpu:2"), HasSubstr("--devices gpu:1 "));
}

TEST(GpuSelection, SeveralKindsComeApart) {
  const auto kinds = gpu_devices_by_kind(three_gpus(), "gpu:2,gpu:0,gpu:1");
  ASSERT_EQ(kinds.size(), 2U);
  ASSERT_EQ(kinds[0].size(), 1U);
  EXPECT_EQ(kinds[0][0].uuid, "GPU-b");
  ASSERT_EQ(kinds[1].size(), 2U);
  EXPECT_EQ(kinds[1][1].uuid, "GPU-aa2");
  EXPECT_EQ(gpu_devices_by_kind(three_gpus(), "gpu:0,gpu:1").size(), 1U);
  EXPECT_THROW(gpu_devices_by_kind(GpuList(), "all"), DeviceError);
}

TEST(GpuSelection, WhoElseUsesAGpuIsKnownOfTheDevice) {
  GpuList list = three_gpus();
  list.gpus[1].processes = {{4711, 3ULL << 30}, {4712, std::nullopt}};
  const std::vector<Device> devices = gpu_devices(list, "gpu:0,gpu:1");
  EXPECT_EQ(devices[0].users, "");
  EXPECT_EQ(devices[1].users, "process 4711 (3.0 GiB), process 4712");
}

TEST(GpuSelection, AGpuThatIsToBeResetIsNotUsed) {
  GpuList list = three_gpus();
  list.gpus.pop_back();
  list.gpus[0].recovery = "the driver asks for a reset";
  EXPECT_EQ(gpu_devices(list, "all").size(), 1U);
  EXPECT_THAT(selection_error(list, "gpu:0"), HasSubstr("the driver asks for a reset"));
  list.gpus[1].recovery = "the driver asks for a reboot";
  EXPECT_THAT(selection_error(list, "all"), HasSubstr("no GPU can be used"));
}

}  // namespace
}  // namespace nightshift::scheduler
