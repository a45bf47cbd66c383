#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "evaluator/cuda/driver/gpu_watch.h"
#include "evaluator/make_backend.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/gpu/fake_gpu.h"

namespace nightshift::evaluator::cuda {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GpuMonitorTest : public ::testing::Test {
 protected:
  GpuMonitorTest() {
    use_fake_gpu();
    ::setenv("FAKE_NVML_STATE", (folder_.path() + "/nvml.json").c_str(), 1);
  }
  ~GpuMonitorTest() override { ::unsetenv("FAKE_NVML_STATE"); }

  void gpu_says(const json& figures) {
    folder_.write("nvml.json", json{{"devices", {{uuid_, figures}}}}.dump());
  }

  TemporaryFolder folder_;
  const std::string uuid_ = fake_gpu_uuid(0);
};

TEST_F(GpuMonitorTest, TellsWhatTheGpuSays) {
  gpu_says({{"sm_clock", 1410},
            {"temperature", 61},
            {"power_mw", 512'500},
            {"energy_mj", 5'000'000'000'000},
            {"clock_events", 0x4 | 0x40},
            {"thermal_ns", 17},
            {"processes", {{{"pid", 42}, {"bytes", 1 << 20}}, {{"pid", 43}}}}});
  const GpuMonitor monitor(uuid_);
  EXPECT_EQ(monitor.why(), "");
  const GpuReading now = monitor.now();
  EXPECT_EQ(now.sm_clock_mhz, 1410u);
  EXPECT_EQ(now.memory_clock_mhz, 2619u);
  EXPECT_EQ(now.temperature, 61u);
  EXPECT_EQ(now.power_watts, 512.5);
  EXPECT_EQ(now.power_limit_watts, 700.0);
  EXPECT_EQ(monitor.energy_mj(), 5'000'000'000'000u);
  EXPECT_EQ(now.thermal_ns, 17u);
  EXPECT_EQ(now.power_capped_ns, 0u);
  EXPECT_EQ(now.recovery, RecoveryAction::kNone);
  EXPECT_THAT(clock_event_words(now.clock_events.value()),
              ElementsAre("power cap", "hardware thermal slowdown"));
  const std::vector<GpuProcess> processes = monitor.processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].pid, 42u);
  EXPECT_EQ(processes[0].bytes, 1u << 20);
  EXPECT_EQ(processes[1].bytes, std::nullopt);
  const GpuProperties properties = monitor.properties();
  EXPECT_EQ(properties.most_sm_clock_mhz, 1980u);
  EXPECT_EQ(properties.least_power_limit_watts, 200.0);
  EXPECT_EQ(properties.pci, "00000000:1B:00.0");
  EXPECT_EQ(properties.driver, "570.00.fake");
}

TEST_F(GpuMonitorTest, AnUpdateLeavesOutWhatIsSlowToRead) {
  gpu_says({{"sm_clock", 1410}});
  const GpuMonitor monitor(uuid_);
  const GpuReading before = monitor.now();
  gpu_says({{"sm_clock", 900}, {"temperature", 90}, {"clock_events", 0x40}, {"thermal_ns", 17}});
  const GpuReading after = monitor.update(before);
  EXPECT_EQ(after.sm_clock_mhz, 900u);
  EXPECT_EQ(after.temperature, 90u);
  EXPECT_EQ(after.thermal_ns, 0u);
  EXPECT_EQ(after.power_limit_watts, 700.0);
  EXPECT_EQ(disturbance_between(before, after), "hardware thermal slowdown");
}

TEST_F(GpuMonitorTest, AWatchSeesASlowdownWithEveryLook) {
  const GpuWatch::TimePoint start{};
  GpuWatch watch(uuid_, start);
  const GpuReading before = watch.before(start);
  gpu_says({{"clock_events", 0x40}});
  EXPECT_EQ(disturbance_between(before, watch.after(start)), "hardware thermal slowdown");
  EXPECT_EQ(watch.before(start).clock_events, 0x40u);
}

TEST_F(GpuMonitorTest, AWatchTellsEveryHalfSecondOfSlowdownsThatNoLookHasMet) {
  const GpuWatch::TimePoint start{};
  GpuWatch watch(uuid_, start);
  gpu_says({{"thermal_ns", 3'000'000}});
  GpuReading before = watch.before(start);
  EXPECT_EQ(disturbance_between(before, watch.after(start + 499ms)), "");
  before = watch.before(start + 499ms);
  EXPECT_EQ(disturbance_between(before, watch.after(start + 500ms)), "thermal slowdown for 3 ms");
  before = watch.before(start + 500ms);
  EXPECT_EQ(disturbance_between(before, watch.after(start + 1000ms)), "");
}

TEST_F(GpuMonitorTest, AMeasurementBeginsWithALookThatIsNotASecondOld) {
  const GpuWatch::TimePoint start{};
  GpuWatch watch(uuid_, start);
  gpu_says({{"clock_events", 0x40}});
  EXPECT_EQ(watch.before(start + 999ms).clock_events, 0u);
  EXPECT_EQ(watch.before(start + 1000ms).clock_events, 0x40u);
}

TEST_F(GpuMonitorTest, WhatAGpuDoesNotTellIsNotKnown) {
  gpu_says({{"power_mw", nullptr}, {"energy_mj", nullptr}, {"clock_events", nullptr}});
  const GpuMonitor monitor(uuid_);
  const GpuReading now = monitor.now();
  EXPECT_EQ(now.power_watts, std::nullopt);
  EXPECT_EQ(monitor.energy_mj(), std::nullopt);
  EXPECT_EQ(now.clock_events, std::nullopt);
  EXPECT_EQ(now.temperature, 35u);
  EXPECT_EQ(disturbance_between(now, now), "");
}

TEST_F(GpuMonitorTest, MoreProcessesThanExpectedAreAllSeen) {
  json processes = json::array();
  for (int pid = 1; pid <= 200; ++pid) processes.push_back({{"pid", pid}});
  gpu_says({{"processes", processes}});
  EXPECT_EQ(GpuMonitor(uuid_).processes().size(), 200u);
}

TEST_F(GpuMonitorTest, AGpuThatNvmlDoesNotKnowSaysNothing) {
  const GpuMonitor monitor("GPU-unknown");
  EXPECT_THAT(monitor.why(), HasSubstr("GPU-unknown: Not Found"));
  EXPECT_EQ(monitor.now().temperature, std::nullopt);
  EXPECT_EQ(monitor.properties().driver, "");
  EXPECT_THAT(monitor.processes(), IsEmpty());
}

search::Problem gpu_program(const std::string& script) {
  search::CommandBackend command;
  command.argv = {"/bin/sh", "-c", script};
  command.directory = "/";
  command.runs = 1;
  search::Problem problem;
  problem.backend = command;
  problem.target = search::Target::kGpus;
  problem.parameters = {parameter("TILE", {std::int64_t{8}})};
  return problem;
}

// The conditions by name, of a program measured by the backend that the evaluator makes for it.
TEST_F(GpuMonitorTest, AProgramOnAGpuIsMeasuredUnderTheConditionsOfThatGpu) {
  const std::string state = folder_.path() + "/nvml.json";
  gpu_says({{"sm_clock", 1410}, {"temperature", 61}, {"clock_events", 0x4}});
  ipc::ConfigureRequest setting =
      setting_for(gpu_program("echo '{{\"time\": 1}'; cp '" + folder_.path() + "/later.json' '" +
                              state + "' 2>/dev/null; true"),
                  folder_);
  setting.gpu = {uuid_, 90, 132};
  const auto backend = make_backend(setting);
  FakeProgress progress;
  const auto measure = [&] {
    return std::get<search::Measured>(backend->evaluate({}, progress).outcome).measurement;
  };
  const search::Measurement calm = measure();
  std::map<std::string, std::string> conditions(calm.conditions.begin(), calm.conditions.end());
  EXPECT_EQ(conditions["clock"], "1410.0 MHz");
  EXPECT_EQ(conditions["temperature"], "61.0 C");
  EXPECT_EQ(conditions["clock limited by"], "power cap");
  EXPECT_EQ(conditions["runs"], "1");
  EXPECT_FALSE(conditions.contains("cores"));
  EXPECT_EQ(calm.disturbance, "");
  const json hot = {{"sm_clock", 900}, {"temperature", 90}, {"clock_events", 0x40}};
  folder_.write("later.json", json{{"devices", {{uuid_, hot}}}}.dump());
  const search::Measurement disturbed = measure();
  conditions = {disturbed.conditions.begin(), disturbed.conditions.end()};
  EXPECT_EQ(conditions["clock"], "1410.0 to 900.0 MHz");
  EXPECT_EQ(disturbed.disturbance, "hardware thermal slowdown");
}

TEST_F(GpuMonitorTest, AProgramOnAGpuNeedsOne) {
  EXPECT_THROW(make_backend(setting_for(gpu_program("true"), folder_)), std::runtime_error);
}

TEST(GpuDisturbance, HeatVoidsASampleAndThePowerCapDoesNot) {
  GpuReading before, after;
  before.clock_events = after.clock_events = clock_event::kPowerCap | clock_event::kIdle;
  before.power_capped_ns = 0;
  after.power_capped_ns = 1'000'000'000;
  before.thermal_ns = after.thermal_ns = 5;
  EXPECT_EQ(disturbance_between(before, after), "");
  // The counter sees what both looks missed.
  after.thermal_ns = 12'000'005;
  EXPECT_EQ(disturbance_between(before, after), "thermal slowdown for 12 ms");
  after.clock_events = clock_event::kPowerBrake;
  EXPECT_EQ(disturbance_between(before, after), "power brake");
}

TEST(GpuDisturbance, AChangedSettingVoidsASample) {
  GpuReading before, after;
  before.clock_events = 0;
  after.clock_events = clock_event::kUserSetting;
  EXPECT_EQ(disturbance_between(before, after), "the clock setting was changed");
  EXPECT_EQ(disturbance_between(after, after), "");
  after.clock_events.reset();
  EXPECT_EQ(disturbance_between(before, after), "");
}

TEST(GpuDisturbance, ADeviceThatIsToBeResetVoidsASample) {
  GpuReading before, after;
  after.recovery = RecoveryAction::kReset;
  EXPECT_EQ(disturbance_between(before, after), "the driver asks for a reset of the GPU");
}

TEST(ClockEvents, IdleIsNoLimit) {
  EXPECT_THAT(clock_event_words(clock_event::kIdle), IsEmpty());
  EXPECT_THAT(clock_event_words(0x1ff),
              ElementsAre("user setting", "power cap", "hardware slowdown", "sync boost",
                          "thermal slowdown", "hardware thermal slowdown", "power brake",
                          "display setting"));
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
