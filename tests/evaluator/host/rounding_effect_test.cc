#include "evaluator/host/rounding_effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>

#include "evaluator/host/build/host_call.h"
#include "evaluator/host/host_backend.h"
#include "evaluator/host/host_reference.h"
#include "evaluator/process/artifact_path.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

constexpr double kStep = 0x1p-52;  // of double, at 1

// Of y[i] = `answer` of each of 1000 numbers x in [-1, 1).
class RoundingEffectTest : public ::testing::Test {
 protected:
  RoundingEffect effect_of(const std::string& answer) {
    search::Problem problem = doubling_problem(folder_, doubling(kGoodLoop));
    auto& host = host_of(problem);
    host.reference.file = folder_.write(
        "doubled_reference.cc",
        "#include <cmath>\nvoid doubled_reference(const double* x, double* y, long n) {\n"
        "  for (long i = 0; i < n; ++i) y[i] = " +
            answer + ";\n}\n");
    const ipc::ConfigureRequest setting = setting_for(problem, folder_);
    HostTrialBackend backend(setting);
    FakeProgress progress;
    const auto built = backend.build({ipc::BuildTarget::kReference, {}}, progress);
    const std::string path =
        artifact_path(setting.artifact_folder, std::get<ipc::Artifact>(built.result).hash).string();
    const auto shapes = shapes_of(host, {}, 0);
    ExpectedOutput output = HostReference(host).expected(path, shapes, 7).front();
    const auto arguments = [&] {
      return HostArguments(host.arguments, shapes, 7, HostArguments::View::kReference);
    };
    return rounding_effects(KernelLibrary(path), arguments, {output}, 7).front();
  }
  static double largest(const std::vector<double>& effect) {
    return *std::ranges::max_element(effect);
  }

 private:
  TemporaryFolder folder_;
};

// y = x: nothing is rounded, and an input that moves takes its answer along.
TEST_F(RoundingEffectTest, OfACopyIsThatOfItsInputs) {
  const RoundingEffect effect = effect_of("x[i]");
  EXPECT_EQ(largest(effect.of_steps), 0);
  EXPECT_GT(largest(effect.of_inputs), kNudge / 2);
  EXPECT_LE(largest(effect.of_inputs), kNudge);
}

// 1 + x rounds to digits of 1, however small x is: by half of one.
TEST_F(RoundingEffectTest, OfStepsIsHalfADigitOfEach) {
  const RoundingEffect effect = effect_of("(1 + 1e-9 * x[i]) - 1");
  EXPECT_LE(largest(effect.of_inputs), 1e-9 * kNudge + 2 * kStep);
  EXPECT_GE(largest(effect.of_steps), kStep / 4);
  EXPECT_LE(largest(effect.of_steps), kStep);
}

// Rounded up, 10,000 steps are off by 5,000 digits of 1 together, and as many the other way rounded
// down: half of them is no rounding.
TEST_F(RoundingEffectTest, OfManyStepsIsNotTheirSum) {
  const RoundingEffect effect = effect_of(
      "([&] { double s = 1; for (int k = 0; k < 10000; ++k) s += 1e-7 * x[i] * x[(i + k) % n]; "
      "return s; })()");
  EXPECT_GE(largest(effect.of_steps), 10 * kStep);
  EXPECT_LE(largest(effect.of_steps), 1000 * kStep);
}

// All answers are off by what one sum is off by, and by their own last digits.
TEST_F(RoundingEffectTest, OfOwnStepsLeavesOutWhatAllHaveInCommon) {
  const RoundingEffect effect = effect_of(
      "([&] { double s = 1; for (int k = 0; k < 10000; ++k) s += 1e-7 * x[k % n] * x[(7 * k) % n]; "
      "return s; })() + 1e-3 * x[i]");
  EXPECT_GE(largest(effect.of_steps), 10 * kStep);
  EXPECT_GE(effect.of_own_steps, kStep / 4);
  EXPECT_LE(effect.of_own_steps, 2 * kStep);
}

TEST_F(RoundingEffectTest, LeavesTheRoundingOfItsProcessAsItWas) {
  effect_of("x[i]");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace nightshift::evaluator
