#include "evaluator/dry_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "problems/problem_file.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator {
namespace {

using search::Configuration;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kArchitecture = 90;

DryRun run_of(const std::string& file, const Configuration& configuration = {}) {
  const search::Problem problem = problems::read_problem(testing_paths::source("kernels/" + file));
  return dry_run(problem, configuration, {"", kArchitecture, 132});
}

TEST(DryRun, OfACudaKernelHasTheCompilersOptionsAndTheLaunch) {
  const search::Problem problem =
      problems::read_problem(testing_paths::source("kernels/cuda/copy/problem.toml"));
  const DryRun run = dry_run(problem, {}, {"", kArchitecture, 132});
  const auto& cuda = std::get<search::CudaBackend>(problem.backend);
  ASSERT_EQ(run.cases.size(), cuda.cases.size());
  const DryRun::Case& one = run.cases.front();
  EXPECT_EQ(one.compiler.front(), "nvrtc");
  EXPECT_THAT(one.compiler, Contains("--gpu-architecture=sm_90a"));
  EXPECT_THAT(one.compiler, Contains("-std=c++20"));
  EXPECT_EQ(one.compiler.back(), cuda.kernel.file);
  ASSERT_EQ(one.launches.size(), 1U);
  EXPECT_GT(one.launches[0].grid[0], 1U);
  EXPECT_EQ(one.launches[0].arguments.size(), cuda.launches[0].arguments.size());
  ASSERT_EQ(one.arguments.size(), cuda.arguments.size());
  EXPECT_GT(one.arguments[0].bytes, 0U);
}

TEST(DryRun, SaysWhichLaunchOverlapsTheOneBefore) {
  const search::Problem problem =
      problems::read_problem(testing_paths::source("kernels/cuda/layernorm_backward/problem.toml"));
  Configuration overlapping = search::resolved(problem, {});
  overlapping.set("FINISH_LAUNCH", std::string("programmatic"));
  const DryRun run = dry_run(problem, overlapping, {"", kArchitecture, 132});
  ASSERT_EQ(run.cases.front().launches.size(), 2U);
  EXPECT_FALSE(run.cases.front().launches[0].programmatic);
  EXPECT_TRUE(run.cases.front().launches[1].programmatic);
}

TEST(DryRun, OfAHostKernelHasItsCommandLine) {
  const DryRun run = run_of("host/rmsnorm/problem.toml");
  ASSERT_EQ(run.cases.size(), 1U);
  EXPECT_THAT(run.cases[0].compiler, Contains("-shared"));
  EXPECT_TRUE(run.cases[0].launches.empty());
}

TEST(DryRun, OfAProgramHasItsCommandLineOrItsRequest) {
  const DryRun program = run_of("command/compiled_program/problem.toml");
  ASSERT_FALSE(program.command.empty());
  EXPECT_EQ(program.command.front(), "{artifact}/sort") << "what is not there before it is built";
  ASSERT_FALSE(program.build.empty());
  for (const std::string& word : program.build) {
    EXPECT_TRUE(word.find('{') == std::string::npos || word.starts_with("{artifact}")) << word;
  }
  EXPECT_EQ(run_of("command/python_server/problem.toml").request, "{}");
  const Configuration one({{"chunk_kib", std::int64_t{64}}});
  EXPECT_EQ(run_of("command/python_server/problem.toml", one).request, R"({"chunk_kib": 64})");
}

TEST(DryRun, SaysWhatDoesNotComeOut) {
  search::Problem problem =
      problems::read_problem(testing_paths::source("kernels/cuda/copy/problem.toml"));
  std::get<search::CudaBackend>(problem.backend).launches[0].block[0] =
      search::Expression::parse("4096");
  try {
    dry_run(problem, {}, {"", kArchitecture, 132});
    FAIL() << "4096 threads are no block";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("block.x"));
  }
}

}  // namespace
}  // namespace nightshift::evaluator
