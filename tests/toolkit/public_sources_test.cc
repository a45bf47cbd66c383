// Sources as they lie in repositories, with host code and C++ names, by the toolkit's compilers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <variant>

#include "base/file_text.h"
#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch/cubin_file.h"
#include "evaluator/process/artifact_path.h"
#include "problems/problem_file.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::toolkit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSource = R"cuda(
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <string>
#include "common.h"
const int TILE = 16;
namespace problems {
template <class T, int BM>
__global__ void scale(const T* x, T* y, int n) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(x[i]) * T(BM + TILE);
}
}
static __global__ void hidden(const float* x, float* y, int n) { y[0] = x[0]; }
namespace { __global__ void unnamed(const float* x, float* y, int n) { y[0] = x[0]; } }
std::vector<float> values;
struct Report { std::string title; void print() { printf("%s\n", title.c_str()); } };
int main() {
  check(cudaMalloc((void**)&values, 4), __LINE__);
  problems::scale<float, 4><<<1, 1>>>(nullptr, nullptr, 4);
  hidden<<<1, 1>>>(nullptr, nullptr, 4);
  return EXIT_SUCCESS;
}
)cuda";
constexpr const char* kHeader = R"cuda(#pragma once
#include <cstdlib>
#include <iostream>
template <class T> __device__ T twice(T t) { return t + t; }
inline void check(cudaError_t error, int line) {
  if (error != cudaSuccess) { std::cerr << cudaGetErrorString(error); exit(line); }
}
)cuda";

std::string problem(const std::string& kernel, const std::string& compiler) {
  return "name = \"scale\"\n[cuda]\nsource = \"k.cu\"\nnames = \"definitions\"\n" + compiler +
         R"toml(
sizes = { n = 64 }
argument = [
  { name = "x", type = "float32", size = "n" },
  { name = "y", type = "float32", size = "n", access = "out" },
  { name = "n", type = "int32", value = "n" },
]
[[cuda.launch]]
kernel = ")toml" +
         kernel + R"toml("
grid = 1
block = "32 * BM"
arguments = ["x", "y", "n"]
[parameters]
BM = [1, 2]
TILE = [8, 16]
)toml";
}

class PublicSources : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
    try {
      evaluator::cuda::nvrtc();
    } catch (const std::runtime_error& e) {
      GTEST_SKIP() << "no toolkit: " << e.what();
    }
    if (evaluator::cuda::toolkit_program("nvcc").empty()) GTEST_SKIP() << "no nvcc";
    folder_.write("k.cu", kSource);
    folder_.write("common.h", kHeader);
  }

  ipc::BuiltReply built(const std::string& kernel,
                        const search::Configuration& configuration = {}) {
    ipc::ConfigureRequest request;
    request.problem =
        problems::parse_problem(problem(kernel, GetParam()), folder_.path() + "/problem.toml");
    request.problem.limits.memory_bytes = 0;
    request.artifact_folder = request.scratch_folder = folder_.path();
    request.own_program = testing_paths::program("nightshift-evaluator");
    request.gpu = {"", 90, 132};
    request.measures = false;
    evaluator::FakeProgress progress;
    return evaluator::cuda::CudaBuilder(request).build(
        {ipc::BuildTarget::kCandidate, configuration}, progress);
  }
  evaluator::cuda::PackedModule module(const std::string& kernel,
                                       const search::Configuration& configuration = {}) {
    const ipc::BuiltReply reply = built(kernel, configuration);
    const auto* failed = std::get_if<search::BuildFailed>(&reply.result);
    if (failed != nullptr) throw std::runtime_error(failed->message);
    const std::string hash = std::get<ipc::Artifact>(reply.result).hash;
    return evaluator::cuda::load_pack(evaluator::artifact_path(folder_.path(), hash)).modules.at(0);
  }
  std::string complaint(const std::string& kernel) {
    const ipc::BuiltReply reply = built(kernel);
    const auto* failed = std::get_if<search::BuildFailed>(&reply.result);
    return failed == nullptr ? "" : failed->message;
  }

  const evaluator::TemporaryFolder folder_;
};

TEST_P(PublicSources, KernelsAreFoundByTheirCppNames) {
  for (const char* kernel : {"problems::scale<float, BM>", "hidden", "unnamed"}) {
    const evaluator::cuda::PackedModule made = module(kernel);
    bool found = false;
    for (const auto& one : evaluator::cuda::kernels_of(made.cubin)) {
      found = found || (one.symbol == made.symbols.at(0) && one.parameters &&
                        *one.parameters == std::vector<std::uint32_t>{8, 8, 4});
    }
    EXPECT_TRUE(found) << kernel << " is " << made.symbols.at(0);
  }
}

TEST_P(PublicSources, SaysByWhatItWasCompiled) {
  const bool nvcc = std::string(GetParam()).find("nvcc") != std::string::npos;
  if (nvcc) {
    EXPECT_THAT(module("hidden").remarks, IsEmpty());
  } else {
    EXPECT_THAT(
        module("hidden").remarks,
        AllOf(HasSubstr("NVRTC, without what the source has for hosts"), HasSubstr("stdio.h")));
  }
}

TEST_P(PublicSources, ConstantsOfTheSourceTakeTheProblemsValues) {
  const auto code = [&](std::int64_t tile) {
    return evaluator::cuda::hash_of_code(
        module("problems::scale<float, BM>",
               search::Configuration({{"BM", std::int64_t{1}}, {"TILE", tile}}))
            .cubin);
  };
  EXPECT_NE(code(8), code(16));
  EXPECT_EQ(code(8), code(8));
}

TEST_P(PublicSources, AWrongNameIsAnsweredWithThoseThatAre) {
  EXPECT_THAT(complaint("scales"), AllOf(HasSubstr("there is no kernel scales in k.cu"),
                                         HasSubstr("problems::scale<class T, int BM>(")));
  EXPECT_THAT(complaint("problems::scale<float>"),
              HasSubstr("a value for each template parameter"));
}

INSTANTIATE_TEST_SUITE_P(By, PublicSources,
                         ::testing::Values("", "compiler = \"nvrtc\"", "compiler = \"nvcc\""));

}  // namespace
}  // namespace nightshift::toolkit
