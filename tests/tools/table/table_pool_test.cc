// On the fake GPU, with real processes.
#include "tools/table/table_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/trials/trial_runner.h"
#include "tests/fakes/paths.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kKernel = R"(
#if N == 13
#error not of this size
#endif
extern "C" __global__ void scale(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
}
)";

constexpr const char* kProblem = R"toml(
name = "scale"
[cuda]
source = "scale.cu"
sizes = { N = 64 }
argument = [
  { name = "x", type = "float32", size = "N", access = "in" },
  { name = "y", type = "float32", size = "N", access = "out" },
]
[[cuda.launch]]
kernel = "scale"
grid = "ceil(N / BLOCK)"
block = "BLOCK"
arguments = ["x", "y"]
[parameters]
BLOCK = [32, 64]
[baseline]
BLOCK = 32
)toml";

// The first contender as often as `goes_on` says, and whether the process had served before.
class Measuring final : public scheduler::EvaluationPlan {
 public:
  explicit Measuring(std::function<bool()> goes_on) : goes_on_(std::move(goes_on)) {}
  std::optional<scheduler::PlannedEvaluation> next(scheduler::DeviceIndex) override {
    if (!goes_on_()) return std::nullopt;
    return scheduler::PlannedEvaluation{};
  }
  void ended(scheduler::DeviceIndex, const scheduler::PlannedEvaluation&,
             const scheduler::TrialEnd& end) override {
    EXPECT_FALSE(search::is_failure(end.report.outcome)) << search::describe(end.report.outcome);
    fresh.push_back(end.fresh_process);
  }
  void lost(scheduler::DeviceIndex, const std::string& reason) override { FAIL() << reason; }

  std::vector<bool> fresh;

 private:
  std::function<bool()> goes_on_;
};

class TablePoolTest : public ::testing::Test {
 protected:
  TablePoolTest() {
    namespace fs = std::filesystem;
    const fs::path build =
        fs::path(testing_paths::program("tools_test")).parent_path().parent_path();
    const auto use = [&](const char* name, const char* library) {
      ::setenv(name, (build / "fakes" / library).c_str(), 1);
    };
    use("NIGHTSHIFT_CUDA_DRIVER", "libfakecuda.so");
    use("NIGHTSHIFT_NVRTC", "libfakenvrtc.so");
    use("NIGHTSHIFT_NVML", "libfakenvml.so");
    ::setenv("XDG_RUNTIME_DIR", files_.path("").c_str(), 1);
    ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
    files_.write("scale.cu", kKernel);
    files_.write("problem.toml", kProblem);
    first_ = of_size("64");
    second_ = of_size("128");
    pool_.emplace(std::make_shared<const HeldDevices>(first_, "gpu:0"), folder_);
  }
  ~TablePoolTest() override {
    pool_.reset();
    for (const char* name : {"NIGHTSHIFT_CUDA_DRIVER", "NIGHTSHIFT_NVRTC", "NIGHTSHIFT_NVML",
                             "XDG_RUNTIME_DIR", "NIGHTSHIFT_BUILD_CACHE"}) {
      ::unsetenv(name);
    }
  }

  search::Problem of_size(const std::string& n) {
    return problems::read_problem(files_.path("problem.toml"), {{"cuda.sizes.N", n}});
  }
  std::size_t artifacts() const {
    const std::filesystem::directory_iterator all(folder_.artifacts());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  // Whether each evaluation had a process of its own.
  std::vector<bool> contest(const search::Problem& problem, const BuiltCode& code,
                            std::function<bool()> goes_on) {
    std::vector<scheduler::Contender> contenders = kDefault;
    contenders.front().artifact = code.contenders.front();
    Measuring plan(std::move(goes_on));
    Contest contest(problem, pool_->open(problem));
    EXPECT_TRUE(contest.run(
        plan, contenders, [] { return "measuring"; }, code.reference));
    return plan.fresh;
  }
  static std::function<bool()> times(int count) {
    return [left = count]() mutable { return left-- > 0; };
  }

  const std::vector<scheduler::Contender> kDefault = {{"the default", {}}};
  problems::ScratchFolder files_;
  TemporaryFolder folder_;
  search::Problem first_, second_;
  std::optional<TablePool> pool_;
};

TEST_F(TablePoolTest, OneProcessGoesOnFromContestToContest) {
  ASSERT_TRUE(TablePool::serves(first_));
  const auto code = pool_->built(first_, kDefault, "building");
  const auto other = pool_->built(second_, kDefault, "building");
  ASSERT_TRUE(code && other);
  EXPECT_NE(code->contenders, other->contenders);
  EXPECT_THAT(contest(first_, *code, times(2)), ::testing::ElementsAre(true, false));
  EXPECT_THAT(contest(second_, *other, times(2)), ::testing::ElementsAre(false, false));
}

TEST_F(TablePoolTest, ShapesAreBuiltWhileAnotherIsMeasured) {
  const auto code = pool_->built(first_, kDefault, "building");
  ASSERT_TRUE(code);
  const std::size_t before = artifacts();
  pool_->build_ahead(second_, kDefault);
  contest(first_, *code, [&] { return artifacts() == before; });
  const auto other = pool_->built(second_, kDefault, "building");
  ASSERT_TRUE(other);
  EXPECT_THAT(other->contenders, SizeIs(1));
  EXPECT_FALSE(other->contenders.front().empty());
}

TEST_F(TablePoolTest, WhatCannotBeBuiltIsSaidWhereItIsAskedFor) {
  const search::Problem broken = of_size("13");
  pool_->build_ahead(broken, kDefault);
  ASSERT_TRUE(pool_->built(first_, kDefault, "building"));
  try {
    (void)pool_->built(broken, kDefault, "building");
    FAIL();
  } catch (const scheduler::ContenderFailed& failed) {
    EXPECT_EQ(failed.contender(), 0U);
    EXPECT_THAT(failed.what(), HasSubstr("not of this size"));
  }
  EXPECT_TRUE(pool_->built(second_, kDefault, "building"));
}

}  // namespace
}  // namespace nightshift::tools
