#include "scheduler/devices/machine_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "scheduler/devices/device.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using search::IdentityPart;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = IdentityPart::Kind;

void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

search::Problem cuda_problem() {
  search::Problem problem;
  problem.backend = search::CudaBackend{};
  problem.target = search::Target::kGpus;
  return problem;
}

GpuList two_gpus() {
  GpuList list;
  list.driver = "580.95";
  list.nvrtc = "13.0";
  for (const char* uuid : {"GPU-a", "GPU-b"}) {
    Gpu gpu;
    gpu.target.uuid = uuid;
    list.gpus.push_back(gpu);
  }
  list.gpus[0].power_limit_watts = 699.6;
  return list;
}

TEST(MachineIdentity, SettingsOfCoresAreTakenAsFarAsTheyAreThere) {
  const tests::ScratchFolder scratch;
  EXPECT_THAT(core_settings("n", scratch / "none"), IsEmpty());
  write_file(scratch / "cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write_file(scratch / "cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_THAT(core_settings("n", scratch / "cpu"),
              ElementsAre(IdentityPart{Kind::kDeviceSetting, "n frequency governor", "powersave"},
                          IdentityPart{Kind::kDeviceSetting, "n frequency boost off", "1"}));
}

TEST(MachineIdentity, OfGpusAreDriverCompilerAndPowerLimits) {
  EXPECT_THAT(gpu_identity("n", two_gpus(), cuda_problem()),
              ElementsAre(IdentityPart{Kind::kDriver, "n", "580.95"},
                          IdentityPart{Kind::kCompiler, "nvrtc", "13.0"},
                          IdentityPart{Kind::kDeviceSetting, "n/GPU-a power limit", "700 W"}));
}

TEST(MachineIdentity, APowerLimitThatTheStudyHoldsItselfIsNoneOfTheMachine) {
  search::Problem problem = cuda_problem();
  problem.device.power_watts = 500;
  for (const IdentityPart& part : gpu_identity("n", two_gpus(), problem)) {
    EXPECT_NE(part.kind, Kind::kDeviceSetting) << part.name;
  }
}

TEST(MachineIdentity, ASourceThatNvccCompilesDoesNotDependOnNvrtc) {
  search::Problem problem = cuda_problem();
  std::get<search::CudaBackend>(problem.backend).compiler = search::CudaBackend::Compiler::kNvcc;
  for (const IdentityPart& part : gpu_identity("n", two_gpus(), problem)) {
    EXPECT_NE(part.name, "nvrtc");
  }
}

TEST(MachineIdentity, OfAHostKernelAreProcessorAndCompiler) {
  search::Problem problem;
  problem.backend = search::HostBackend{};
  const search::Identity identity = machine_identity(problem, "");
  EXPECT_THAT(identity, Contains(IdentityPart{Kind::kProcessor, node_name(), cpu_model()}));
  const auto is_compiler = [](const IdentityPart& part) { return part.kind == Kind::kCompiler; };
  EXPECT_EQ(std::ranges::count_if(identity, is_compiler), 1);
}

TEST(MachineIdentity, OfANodeItIsUnderTheNodesName) {
  search::Problem problem;
  problem.backend = search::HostBackend{};
  const std::string compiler = search::compiler_programs(problem).front();
  const search::Identity here = machine_identity(problem, "");
  const search::Identity there = node_identity(problem, "", "elsewhere");
  ASSERT_EQ(there.size(), here.size());
  EXPECT_THAT(there, Contains(IdentityPart{Kind::kProcessor, "elsewhere", cpu_model()}));
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(there[i].kind, here[i].kind);
    EXPECT_EQ(there[i].value, here[i].value);
    if (here[i].kind != Kind::kCompiler) continue;
    EXPECT_EQ(there[i].name, compiler + " of elsewhere");
  }
}

TEST(MachineIdentity, ARecordingDoesNotDependOnTheMachine) {
  search::Problem problem;
  problem.backend = search::RecordedBackend{};
  problem.target = search::Target::kRecording;
  EXPECT_THAT(machine_identity(problem, ""), IsEmpty());
}

}  // namespace
}  // namespace nightshift::scheduler
