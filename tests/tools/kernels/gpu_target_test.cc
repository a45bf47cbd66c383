#include "tools/kernels/gpu_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

scheduler::History measured_on(const std::vector<std::string>& kinds) {
  scheduler::History history;
  for (const std::string& kind : kinds) {
    history.header.identity.push_back(
        {search::IdentityPart::Kind::kDevice, "node/GPU-" + kind, kind});
  }
  return history;
}

// Of host: no GPU is looked for.
std::string complaint(const scheduler::History& history) {
  try {
    gpu_of_study(search::Problem(), history, std::nullopt);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuTarget, IsTheOneThatTheStudyWasMeasuredOn) {
  const auto target = gpu_of_study(search::Problem(),
                                   measured_on({"NVIDIA H200, compute capability 90",
                                                "NVIDIA H100 80GB HBM3, compute capability 90"}),
                                   std::nullopt);
  EXPECT_EQ(target.architecture, 90);
  EXPECT_EQ(target.multiprocessors, kUsualMultiprocessors);
}

TEST(GpuTarget, IsNamedWhereItIsNotKnown) {
  EXPECT_THAT(complaint(measured_on({})), HasSubstr("is not known"));
  EXPECT_THAT(complaint(measured_on({"A CPU", "NVIDIA X, compute capability many"})),
              HasSubstr("is not known"));
  EXPECT_THAT(complaint(measured_on(
                  {"NVIDIA A100, compute capability 80", "NVIDIA H200, compute capability 90"})),
              HasSubstr("several architectures: name one with --architecture N"));
  EXPECT_EQ(gpu_of_study(search::Problem(), measured_on({}), 100).architecture, 100);
}

TEST(GpuTarget, HostProblemsHaveNone) {
  EXPECT_EQ(gpu_here(search::Problem(), measured_on({})), std::nullopt);
}

}  // namespace
}  // namespace nightshift::tools
