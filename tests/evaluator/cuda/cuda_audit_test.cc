#include "evaluator/cuda/cuda_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "tests/evaluator/cuda_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::LaunchFailed;
using search::Measured;
using search::TrialOutcome;
using search::Trust;
using ::testing::HasSubstr;

// Doubts of evaluations of authors who are trusted.
class CudaAuditTest : public ::testing::Test {
 protected:
  static search::Problem quick(search::Problem problem) {
    problem.sampling.samples = problem.sampling.most_samples = 2;
    problem.sampling.warm_up_seconds = 0;
    problem.limits.verify = problem.limits.measure = 600;
    return problem;
  }
  static search::Problem cheats() {
    use_fake_gpu();
    return quick(
        problems::read_problem(testing_paths::source("tests/puzzles/gpu_cheats/problem.toml")));
  }
  static TrialOutcome outcome(const search::Problem& problem, const search::Configuration& what,
                              Trust trust, std::uint64_t seed = 7) {
    const CudaSetup setup(problem);
    CudaTrialBackend backend(setup.evaluator_request());
    ipc::EvaluateRequest request = setup.evaluation(what);
    request.sampling.trust = trust;
    request.seed = seed;
    FakeProgress progress;
    return backend.evaluate(request, progress).outcome;
  }
  static std::string audit_of(const TrialOutcome& outcome) {
    const auto* measured = std::get_if<Measured>(&outcome);
    return measured == nullptr ? search::describe(outcome)
                               : std::string(measured->measurement.condition("audit"));
  }
  static search::Configuration cheat(const std::string& which) {
    return search::Configuration({{"CHEAT", which}});
  }
  // y = 2 x in 20 us where x[0] is large, which it hardly ever is, else in `slow` us.
  search::Problem depends_on_inputs(const std::string& access = "out", int slow = 60) {
    use_fake_gpu();
    folder_.write("depends.cu", R"cuda(
extern "C" __global__ void depends(float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = IN_PLACE ? 2 * y[i] : 2 * x[i];
  fake_spend_us((x[0] > 0.9f ? 20 : SLOW) + WAY);
}
)cuda");
    return quick(problems::parse_problem(R"toml(
name = "depends"
[parameters]
WAY = [0, 1]
[cuda]
source = "depends.cu"
sizes = { N = 256, SLOW = )toml" + std::to_string(slow) +
                                             ", IN_PLACE = " + (access == "inout" ? "1" : "0") +
                                             R"toml( }
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = ")toml" + access + R"toml("
[[cuda.launch]]
kernel = "depends"
grid = "N // 64"
block = 64
arguments = ["x", "y"]
)toml",
                                         folder_.path() + "/problem.toml", {}));
  }
  // A seed whose x[0] is above 0.9.
  std::uint64_t lucky_seed(const search::Problem& problem) {
    const auto& cuda = std::get<search::CudaBackend>(problem.backend);
    const Context context(fake_gpu_uuid(0));
    SupportKernels support(context, 90, folder_.path());
    const CasePlan plan =
        plan_case(cuda, 0, search::resolved(problem, {}), {fake_gpu_uuid(0), 90, 132});
    for (std::uint64_t seed = 1;; ++seed) {
      const DeviceArguments arguments(cuda.arguments, plan, seed, context, support, {});
      if (support.read(arguments.vector(0), 0) > 0.9) return seed;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(CudaAuditTest, WhatRemembersItsAnswersIsRefused) {
  const search::Problem problem = cheats();
  for (const char* which :
       {"remembers_inputs", "remembers_two_inputs", "remembers_by_one_element"}) {
    const auto got = outcome(problem, cheat(which), Trust::kNone);
    const auto* failed = std::get_if<LaunchFailed>(&got);
    ASSERT_NE(failed, nullptr) << which << ": " << search::describe(got);
    EXPECT_THAT(failed->message, HasSubstr("where it has not seen the inputs")) << which;
  }
}

TEST_F(CudaAuditTest, WhatIsNotDoubtedIsNotAsked) {
  const auto got = outcome(cheats(), cheat("remembers_inputs"), Trust::kUsual);
  EXPECT_TRUE(std::holds_alternative<Measured>(got)) << search::describe(got);
  EXPECT_EQ(audit_of(got), "");
}

TEST_F(CudaAuditTest, WhatTakesItsTimeHolds) {
  EXPECT_EQ(audit_of(outcome(cheats(), cheat("none"), Trust::kNone)), "its time held");
}

TEST_F(CudaAuditTest, WorkThatDependsOnTheInputsHolds) {
  for (const char* access : {"out", "inout"}) {
    const search::Problem problem = depends_on_inputs(access);
    const auto got = outcome(problem, search::Configuration({{"WAY", std::int64_t{1}}}),
                             Trust::kNone, lucky_seed(problem));
    EXPECT_EQ(audit_of(got), "its time held") << access;
  }
}

// Its pairs would hold the device for minutes.
TEST_F(CudaAuditTest, WhatStallsWhereItIsDoubtedHoldsNoDevice) {
  search::Problem problem = depends_on_inputs("out", 500'000);
  problem.limits.times_baseline = 1;
  const std::uint64_t seed = lucky_seed(problem);
  const search::Configuration way({{"WAY", std::int64_t{1}}});
  EXPECT_EQ(audit_of(outcome(problem, way, Trust::kNone, seed)), "cut short");
  problem.sampling.trust = Trust::kNone;
  EXPECT_THAT(audit_of(outcome(problem, way, Trust::kNone, seed)),
              HasSubstr("where limits.times_baseline allows"));
}

// Nobody knows then whether it would have held.
TEST_F(CudaAuditTest, WhatTimeCutsShortIsSaidToBeSo) {
  search::Problem problem = cheats();
  problem.limits.measure = 1e-9;
  EXPECT_EQ(audit_of(outcome(problem, cheat("remembers_inputs"), Trust::kNone)), "cut short");
}

// Each has a limit of its own then, and no limit of the candidate's work counts it
// (scheduler/pool/phase_watch.h).
TEST_F(CudaAuditTest, EachPairIsMarked) {
  search::Problem problem = cheats();
  problem.sampling.trust = Trust::kNone;
  const CudaSetup setup(problem);
  CudaTrialBackend backend(setup.evaluator_request());
  FakeProgress progress;
  const auto outcome = backend.evaluate(setup.evaluation(cheat("none")), progress).outcome;
  ASSERT_TRUE(std::holds_alternative<Measured>(outcome)) << search::describe(outcome);
  const auto& phases = progress.phases;
  const auto sampled = std::find(phases.rbegin(), phases.rend(), search::Phase::kMeasure);
  EXPECT_GE(std::count(phases.rbegin(), sampled, search::Phase::kVerify), 2 * HonestyRule::kPairs);
}

TEST_F(CudaAuditTest, OfATrustedAuthorTheMemoryIsGivenBack) {
  const search::Problem problem = cheats();
  const CudaSetup setup(problem);
  CudaTrialBackend backend(setup.evaluator_request());
  ipc::EvaluateRequest request = setup.evaluation(cheat("none"));
  FakeProgress progress;
  const auto free_after = [&](Trust trust) {
    request.sampling.trust = trust;
    backend.evaluate(request, progress);
    std::size_t free = 0, all = 0;
    check(driver().cuMemGetInfo_v2(&free, &all), "test");
    return free;
  };
  const std::size_t before = free_after(Trust::kUsual);
  EXPECT_EQ(free_after(Trust::kNone), before);
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
