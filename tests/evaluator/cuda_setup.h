#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/cuda/cuda_backend.h"
#include "problems/problem_file.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/gpu/fake_gpu.h"

namespace nightshift::evaluator::cuda {

// y[i] = factor * x[i], by a kernel that a test may spoil through SPOIL, on the fake GPU.
inline constexpr const char* kScaleKernel = R"cuda(
enum { none, wrong, nan_out, outside, before, to_input, illegal, trap, forgets, slow, unstable,
       to_input_late, ruins_late };
#ifndef SPOIL
#define SPOIL none
#endif
extern "C" int fake_registers = 40;
extern "C" int fake_shared_bytes = 1024;
extern "C" __global__ void scale(const float* x, float factor, float* y, unsigned* launches) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (SPOIL == illegal && i == 7) fake_fail(700);
  if (SPOIL == trap && i == 7) __trap();
  static unsigned runs = 0;  // of the loaded module
  if (i == 0) *launches = ++runs;
  if (i < N) y[i] = factor * x[i];
  if (SPOIL == forgets && i == 4 && runs > 1) y[i] = 0;
  if (SPOIL == wrong && i == 5) y[i] += 3;
  if (SPOIL == nan_out && i == 6) y[i] = 0.0f / 0.0f;
  if (SPOIL == outside && i == 0) y[N] = 1;
  if (SPOIL == before && i == 0) y[-1] = 1;
  if (SPOIL == to_input && i == 0) const_cast<float*>(x)[3] = 1;
  if (SPOIL == to_input_late && i == 999 && runs > 1) const_cast<float*>(x)[3] = 1;
  if (SPOIL == ruins_late && i == 3 && runs > 1) const_cast<float*>(x)[3] = y[3] = 0;
  if (SPOIL == unstable && i == 1) y[1] *= 1.0f + 1e-7f * (runs < 10 ? runs : 10);
  fake_spend_us(SPOIL == slow ? 400.0 : 1000.0 / BLOCK);
}
)cuda";

inline constexpr const char* kScaleReference = R"cuda(
extern "C" __global__ void scale_reference(const float* x, float factor, double* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = (double)factor * x[i];
}
)cuda";

inline constexpr const char* kScaleProblem = R"toml(
name = "scale"
[parameters]
BLOCK = [32, 64, 128]
SPOIL = ["none", "wrong", "nan_out", "outside", "before", "to_input", "illegal", "trap", "forgets", "slow", "unstable", "to_input_late", "ruins_late"]
[baseline]
BLOCK = 32
SPOIL = "none"
[cuda]
source = "scale.cu"
sizes = { N = 1000 }
bytes = "8 * N"
flops = "N"
[cuda.reference]
source = "reference.cu"
[[cuda.reference.launch]]
kernel = "scale_reference"
grid = "ceil(N / 64)"
block = 64
arguments = ["x", "factor", "y"]
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
fill = "normal"
[[cuda.argument]]
name = "factor"
type = "float32"
value = 2.5
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[[cuda.argument]]
name = "launches"
type = "uint32"
size = "1"
access = "work"
[[cuda.launch]]
kernel = "scale"
grid = "ceil(N / BLOCK)"
block = "BLOCK"
arguments = ["x", "factor", "y", "launches"]
[measure]
samples = 5
most_samples = 5
warm_up_runs = 1
warm_up_seconds = 0
)toml";

using Overrides = std::vector<problems::Override>;

// A builder and an evaluator of that problem in this process.
class CudaSetup {
 public:
  explicit CudaSetup(const Overrides& overrides = {}, const std::string& problem = kScaleProblem,
                     const std::string& kernel = kScaleKernel,
                     const std::string& reference = kScaleReference) {
    use_fake_gpu();
    ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
    folder_.write("scale.cu", kernel);
    folder_.write("reference.cu", reference);
    use(problems::parse_problem(problem, folder_.path() + "/problem.toml", overrides));
  }
  // Of a problem with sources of its own.
  explicit CudaSetup(search::Problem problem) {
    use_fake_gpu();
    ::setenv("NIGHTSHIFT_BUILD_CACHE", "off", 1);
    use(std::move(problem));
  }

  ipc::ConfigureRequest builder_request() const {
    ipc::ConfigureRequest request = request_;
    request.measures = false;
    return request;
  }
  const ipc::ConfigureRequest& evaluator_request() const { return request_; }
  const TemporaryFolder& folder() const { return folder_; }
  // As FAKE_GPU_ARCHITECTURES says: 80 for compute capability 8.0.
  void be_architecture(int architecture) { request_.gpu.architecture = architecture; }
  // As FAKE_GPU_MULTIPROCESSORS says.
  void have_multiprocessors(int count) { request_.gpu.multiprocessors = count; }

  ipc::BuiltReply build(const search::Configuration& configuration,
                        ipc::BuildTarget target = ipc::BuildTarget::kCandidate) const {
    FakeProgress progress;
    return CudaTrialBackend(builder_request()).build({target, configuration}, progress);
  }
  // With artifacts of `configuration` and, where the problem has one, of the reference.
  ipc::EvaluateRequest evaluation(const search::Configuration& configuration) const {
    ipc::EvaluateRequest request;
    request.configuration = configuration;
    request.artifact = hash_of(build(configuration));
    const auto target = search::has_reference(request_.problem) ? ipc::BuildTarget::kReference
                                                                : ipc::BuildTarget::kCandidate;
    request.reference = hash_of(build({}, target));
    request.sampling = request_.problem.sampling;
    request.seed = 7;
    return request;
  }
  search::TrialReport evaluate(CudaTrialBackend& backend,
                               const search::Configuration& configuration) const {
    FakeProgress progress;
    return backend.evaluate(evaluation(configuration), progress);
  }

 private:
  void use(search::Problem problem) {
    request_.problem = std::move(problem);
    request_.artifact_folder = folder_.path();
    request_.scratch_folder = folder_.path();
    request_.gpu = {fake_gpu_uuid(0), 90, 132};
  }
  static std::string hash_of(const ipc::BuiltReply& built) {
    if (const auto* failed = std::get_if<search::BuildFailed>(&built.result)) {
      throw std::runtime_error(failed->message);
    }
    return std::get<ipc::Artifact>(built.result).hash;
  }

  TemporaryFolder folder_;
  ipc::ConfigureRequest request_;
};

inline search::Configuration scale_by(std::int64_t block, const std::string& spoil = "none") {
  return search::Configuration({{"BLOCK", block}, {"SPOIL", spoil}});
}

}  // namespace nightshift::evaluator::cuda
