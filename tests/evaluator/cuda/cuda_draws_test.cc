#include "evaluator/cuda/cuda_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/figures/usual_gate.h"
#include "tests/evaluator/cuda_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::Measured;
using search::Trust;
using search::WrongResult;
using ::testing::HasSubstr;

// tests/puzzles/gpu_answers: sums and variances of rows of 12 numbers in [1, 1.01) side by side, so
// that the variances are a millionth of what elements may be off by.
class CudaDrawsTest : public ::testing::Test {
 protected:
  static search::Problem puzzle() {
    use_fake_gpu();
    search::Problem problem =
        problems::read_problem(testing_paths::source("tests/puzzles/gpu_answers/problem.toml"));
    problem.sampling.samples = problem.sampling.most_samples = 2;
    problem.sampling.warm_up_seconds = 0;
    problem.limits.verify = problem.limits.measure = 600;
    return problem;
  }
  search::TrialOutcome outcome(const std::string& way, Trust trust = Trust::kNone) {
    const CudaSetup setup(problem_);
    CudaTrialBackend backend(setup.evaluator_request());
    ipc::EvaluateRequest request = setup.evaluation(search::Configuration({{"WAY", way}}));
    request.sampling.trust = trust;
    FakeProgress progress;
    return backend.evaluate(request, progress).outcome;
  }
  void expect_right(const std::string& way, Trust trust = Trust::kNone) {
    const auto got = outcome(way, trust);
    EXPECT_TRUE(std::holds_alternative<Measured>(got)) << way << ": " << search::describe(got);
  }

  search::Problem problem_ = puzzle();
};

TEST_F(CudaDrawsTest, AFactorOfWhatIsSmallIsWrong) {
  for (const char* way : {"divides_by_n_minus_1", "scales_variances"}) {
    const auto got = outcome(way);
    const auto* wrong = std::get_if<WrongResult>(&got);
    ASSERT_NE(wrong, nullptr) << way << ": " << search::describe(got);
    EXPECT_EQ(wrong->output, "moments");
    EXPECT_EQ(wrong->element % 2, 1U) << "of the variances";
    EXPECT_THAT(wrong->message, HasSubstr("% too large in each of 24 draws"));
    EXPECT_GT(wrong->got, wrong->expected);
  }
}

TEST_F(CudaDrawsTest, WhatRoundsIsRight) {
  for (const char* way : {"reordered", "welford", "one_pass", "rounds_to_bfloat16"}) {
    expect_right(way);
  }
}

TEST_F(CudaDrawsTest, WhatIsNotDoubtedIsNotAsked) {
  expect_right("divides_by_n_minus_1", Trust::kUsual);
}

// What is the same in all draws rounds alike in all of them.
TEST_F(CudaDrawsTest, NorIsWhatIsNotDrawn) {
  auto& cuda = std::get<search::CudaBackend>(problem_.backend);
  cuda.arguments[1].fill = search::Argument::Fill::kConstant;
  expect_right("divides_by_n_minus_1");
}

TEST_F(CudaDrawsTest, AGateOfElementsThatAllowsItAllowsIt) {
  auto& cuda = std::get<search::CudaBackend>(problem_.backend);
  cuda.gates[0].element = 0.2;
  expect_right("divides_by_n_minus_1");
  expect_right("zeroes_variances");
}

// Also where it is what it would be anyway.
TEST_F(CudaDrawsTest, AGateOfElementsThatIsGivenIsAGivenOne) {
  search::CudaGate& gate = std::get<search::CudaBackend>(problem_.backend).gates[0];
  gate.element = search::given_element_gate(search::ElementType::kFloat32, gate.element, gate.norm);
  expect_right("divides_by_n_minus_1");
  expect_right("zeroes_variances");
}

TEST_F(CudaDrawsTest, WithoutTimeForThemItPasses) {
  problem_.limits.verify = 0;
  expect_right("divides_by_n_minus_1");
}

TEST_F(CudaDrawsTest, SmallElementsThatAreLostAreWrongWhoeverIsTrusted) {
  for (const Trust trust : {Trust::kUsual, Trust::kNone}) {
    for (const auto& [way, output] :
         {std::pair("zeroes_variances", "moments"), {"zeroes_small_products", "products"}}) {
      const auto got = outcome(way, trust);
      const auto* wrong = std::get_if<WrongResult>(&got);
      ASSERT_NE(wrong, nullptr) << way << ": " << search::describe(got);
      EXPECT_EQ(wrong->output, output);
      EXPECT_EQ(wrong->got, 0);
      EXPECT_THAT(wrong->message, HasSubstr("of the smallest have lost half of themselves"));
    }
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
