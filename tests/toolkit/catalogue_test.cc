// Compiles the catalogue's CUDA problems with the toolkit's own compilers: for an H200, and for the
// first device that has what they need.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "evaluator/machine_code.h"
#include "problems/problem_file.h"
#include "tests/catalogue/first_architecture.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::toolkit {
namespace {

namespace fs = std::filesystem;
using evaluator::cuda::CudaBuilder;

std::vector<std::string> problems() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(testing_paths::source("kernels/cuda"))) {
    if (fs::exists(entry.path() / "problem.toml")) names.push_back(entry.path().filename());
  }
  return names;
}

// What the compiler says against one target of a problem's baseline; empty = it is compiled.
std::string error_of(const std::string& name, const std::string& compiler, ipc::BuildTarget target,
                     int architecture = 90) {
  const evaluator::TemporaryFolder folder;
  ipc::ConfigureRequest request;
  request.problem =
      problems::read_problem(testing_paths::source("kernels/cuda/" + name + "/problem.toml"),
                             {{"cuda.compiler", compiler}});
  request.problem.limits.memory_bytes = 0;  // that of this process
  request.artifact_folder = request.scratch_folder = folder.path();
  request.own_program = testing_paths::program("nightshift-evaluator");
  request.gpu = {"", architecture, 132};
  request.measures = false;
  evaluator::FakeProgress progress;
  const auto built = CudaBuilder(request).build({target, {}}, progress);
  const auto* failed = std::get_if<search::BuildFailed>(&built.result);
  return failed == nullptr ? "" : failed->message;
}

bool has_reference(const std::string& name) {
  return search::has_reference(
      problems::read_problem(testing_paths::source("kernels/cuda/" + name + "/problem.toml"), {}));
}

class Catalogue : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1); }

  static void compiles_with(const std::string& compiler) {
    EXPECT_EQ(error_of(GetParam(), compiler, ipc::BuildTarget::kCandidate), "");
    if (!has_reference(GetParam())) return;
    EXPECT_EQ(error_of(GetParam(), compiler, ipc::BuildTarget::kReference), "") << "reference";
  }
};

TEST_P(Catalogue, CompilesWithNvrtc) {
  try {
    evaluator::cuda::nvrtc();
  } catch (const std::runtime_error& e) {
    GTEST_SKIP() << "no toolkit: " << e.what();
  }
  compiles_with("nvrtc");
}

TEST_P(Catalogue, CompilesForTheFirstDeviceThatItNames) {
  try {
    evaluator::cuda::nvrtc();
  } catch (const std::runtime_error& e) {
    GTEST_SKIP() << "no toolkit: " << e.what();
  }
  const int first = first_architecture(GetParam());
  EXPECT_EQ(error_of(GetParam(), "nvrtc", ipc::BuildTarget::kCandidate, first), "") << first;
}

TEST_P(Catalogue, CompilesWithNvcc) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no nvcc on PATH";
  compiles_with("nvcc");
}

TEST_P(Catalogue, ShowsItsMachineCode) {
  try {
    evaluator::cuda::nvrtc();
  } catch (const std::runtime_error& e) {
    GTEST_SKIP() << "no toolkit: " << e.what();
  }
  const evaluator::TemporaryFolder folder;
  ipc::ConfigureRequest request;
  request.problem = problems::read_problem(
      testing_paths::source("kernels/cuda/" + GetParam() + "/problem.toml"), {});
  request.problem.limits.memory_bytes = 0;  // that of this process
  request.artifact_folder = request.scratch_folder = folder.path();
  request.own_program = testing_paths::program("nightshift-evaluator");
  request.gpu = {"", 90, 132};
  request.measures = false;
  const evaluator::MachineCode code = evaluator::machine_code(request, {});
  EXPECT_EQ(code.complaint, "");
  EXPECT_EQ(code.hash.size(), 32U);
  ASSERT_FALSE(code.parts.empty());
  if (!code.untold.empty()) GTEST_SKIP() << code.untold;
  for (const evaluator::Disassembly& part : code.parts) {
    EXPECT_NE(part.code.find("Function : "), std::string::npos) << part.name;
    EXPECT_NE(part.resources.find("REG:"), std::string::npos) << part.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Catalogue, testing::ValuesIn(problems()),
                         [](const auto& problem) { return problem.param; });

}  // namespace
}  // namespace nightshift::toolkit
