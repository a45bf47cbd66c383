#include "tools/devices/gpu_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nightshift::tools {
namespace {

using scheduler::Gpu;
using scheduler::GpuList;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

GpuList two_gpus() {
  Gpu busy;
  busy.target = {"GPU-1", 90, 132};
  busy.name = "H200";
  busy.memory_bytes = 3ULL << 30;
  busy.memory_used_bytes = 1ULL << 30;
  busy.sm_clock_mhz = 1410;
  busy.most_sm_clock_mhz = 1980;
  busy.throttle = {"power cap", "thermal slowdown"};
  busy.processes = {{77, 1ULL << 29}, {78, {}}};
  busy.recovery = "the driver asks for a reset";
  Gpu silent;
  silent.target = {"GPU-2", 90, 132};
  GpuList list;
  list.gpus = {busy, silent};
  list.cuda = "13.0";
  list.why_no_nvrtc = "NVRTC cannot be opened";
  return list;
}

TEST(GpuTable, SaysWhatWouldDisturbAMeasurement) {
  const std::string text = gpu_text(two_gpus());
  EXPECT_THAT(text, AllOf(HasSubstr("gpu:0  GPU-1  H200  132  1.0 of 3.0 GiB  1410 of 1980 MHz"),
                          HasSubstr("gpu:0 has its clocks limited by: power cap, thermal slowdown"),
                          HasSubstr("gpu:0 is used by process 77 (0.5 GiB), process 78"),
                          HasSubstr("gpu:0 cannot be trusted: the driver asks for a reset"),
                          HasSubstr("NVRTC none"), HasSubstr("NVRTC cannot be opened"),
                          Not(HasSubstr("gpu:1 is"))));
}

TEST(GpuTable, SaysWhyThereIsNone) {
  GpuList none;
  none.why = "no \x1b[31mdriver";
  EXPECT_THAT(gpu_text(none), AllOf(HasSubstr("No GPU: no "), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(gpu_json(none)["gpus"].size(), 0U);
  EXPECT_TRUE(gpu_json(none).contains("why_no_gpu"));
}

TEST(GpuTable, JsonLeavesOutWhatIsNotKnown) {
  const nlohmann::ordered_json json = gpu_json(two_gpus());
  const auto& busy = json["gpus"][0];
  EXPECT_EQ(busy["compute_capability"], "9.0");
  EXPECT_EQ(busy["position"], "gpu:0");
  EXPECT_EQ(busy["processes"][0]["bytes"], 1 << 29);
  EXPECT_FALSE(busy["processes"][1].contains("bytes"));
  EXPECT_EQ(busy["recovery"], "the driver asks for a reset");
  const auto& silent = json["gpus"][1];
  EXPECT_FALSE(silent.contains("sm_clock_mhz"));
  EXPECT_FALSE(silent.contains("recovery"));
  EXPECT_FALSE(json.contains("why_no_gpu"));
}

}  // namespace
}  // namespace nightshift::tools
