#include "evaluator/host/host_draws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluator/answers/drawn_inputs.h"
#include "evaluator/host/host_backend.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;

// Kernels f(x, y, n) with `rows` rows of 12 numbers x in [1, 1.001): what is left of them in y is so
// small that rounding explains much of it.
class HostDrawsTest : public ::testing::Test {
 protected:
  search::TrialOutcome outcome(const std::string& of_row, const std::string& expected_of_row) {
    search::Problem problem = doubling_problem(folder_, source("doubled", "float", of_row));
    auto& host = host_of(problem);
    host.reference.file = folder_.write("doubled_reference.cc",
                                        source("doubled_reference", "double", expected_of_row));
    host.cases.front() = {{"N", kRows}};
    search::Argument& x = host.arguments[0];
    x.size = search::Expression::parse("12 * N");
    x.fill = fill_;
    x.low = 1;
    x.high = high_;
    problem.sampling.samples = 1;
    problem.limits.verify = verify_;
    HostTrialBackend backend(setting_for(problem, folder_));
    FakeProgress building;
    ipc::EvaluateRequest request;
    const auto artifact = [&](ipc::BuildTarget target) {
      return std::get<ipc::Artifact>(backend.build({target, {}}, building).result).hash;
    };
    request.artifact = artifact(ipc::BuildTarget::kCandidate);
    request.reference = artifact(ipc::BuildTarget::kReference);
    request.seed = 7;
    request.sampling = problem.sampling;
    request.sampling.trust = trust_;
    return backend.evaluate(request, progress_).outcome;
  }

  static constexpr std::int64_t kRows = 4096;
  search::Argument::Fill fill_ = search::Argument::Fill::kUniform;
  double high_ = 1.001;
  double verify_ = 600;  // seconds
  search::Trust trust_ = search::Trust::kUsual;
  FakeProgress progress_;

 private:
  static std::string source(const std::string& name, const std::string& type,
                            const std::string& body) {
    return "#include <cmath>\nusing T = " + type + ";\nvoid " + name +
           "(const T* x, T* y, long n) {\n  for (long r = 0; r < n; ++r, x += 12) {\n" + body +
           "\n  }\n}\n";
  }

  TemporaryFolder folder_;
};

std::string variance(const std::string& divisor) {
  return "T m = 0; for (int i = 0; i < 12; ++i) m += x[i]; m /= 12;"
         "T s = 0; for (int i = 0; i < 12; ++i) s += (x[i] - m) * (x[i] - m);"
         "y[r] = s / (" +
         divisor + ");";
}

// By a whole row less it is more than rounding explains of the largest.
TEST_F(HostDrawsTest, AVarianceByTooFewRowsIsNoRounding) {
  const auto outcome = this->outcome(variance("T(11.5)"), variance("12"));
  const auto* wrong = std::get_if<search::WrongResult>(&outcome);
  ASSERT_NE(wrong, nullptr) << search::describe(outcome);
  EXPECT_THAT(search::describe(outcome), HasSubstr("4.3 % too large in each of 24 draws"));
}

// Nor is it known to be right: where a claim asks, that counts as not asked.
TEST_F(HostDrawsTest, WithoutTimeForTheDrawsItPassesAndItsAuditIsCutShort) {
  verify_ = 0;
  trust_ = search::Trust::kNone;
  const auto outcome = this->outcome(variance("T(11.9)"), variance("12"));
  const auto* measured = std::get_if<search::Measured>(&outcome);
  ASSERT_NE(measured, nullptr) << search::describe(outcome);
  EXPECT_EQ(measured->measurement.condition("audit"), "cut short");
}

TEST_F(HostDrawsTest, OneRowAloneIsNoRoundingEither) {
  const auto outcome = this->outcome(variance("r == 2000 ? 11 : 12"), variance("12"));
  const auto* wrong = std::get_if<search::WrongResult>(&outcome);
  ASSERT_NE(wrong, nullptr) << search::describe(outcome);
  EXPECT_EQ(wrong->element, 2000U);
  EXPECT_THAT(search::describe(outcome), HasSubstr("it is about 9.1 % too large"));
}

TEST_F(HostDrawsTest, ASumOfBothSignsThatIsScaledIsNoRounding) {
  const std::string sum =
      "T s = 0; for (int i = 0; i < 12; ++i) s += i % 2 ? x[i] : -x[i];"
      "y[r] = T(1e-3) * s * (T(1) + T(SCALE));";
  const auto scaled = [&](const std::string& by) {
    return "\n#undef SCALE\n#define SCALE " + by + "\n" + sum;
  };
  for (const std::string by : {"1e-2", "-2e-3"}) {
    const auto outcome = this->outcome(scaled(by), scaled("0"));
    EXPECT_TRUE(std::holds_alternative<search::WrongResult>(outcome)) << search::describe(outcome);
  }
  EXPECT_TRUE(std::holds_alternative<search::Measured>(outcome(scaled("0"), scaled("0"))));
}

TEST_F(HostDrawsTest, HonestWaysToAVarianceAreRight) {
  const char* welford =
      "T m = 0, s = 0; for (int i = 0; i < 12; ++i) { const T d = x[i] - m; m += d / (i + 1);"
      " s += d * (x[i] - m); } y[r] = s / 12;";
  const char* backwards =
      "T m = 0; for (int i = 11; i >= 0; --i) m += x[i]; m *= T(1) / 12;"
      "T s = 0; for (int i = 11; i >= 0; --i) s += (x[i] - m) * (x[i] - m); y[r] = s * (T(1) / "
      "12);";
  for (const std::string& body : {variance("12"), std::string(welford), std::string(backwards)}) {
    const auto outcome = this->outcome(body, variance("12"));
    EXPECT_TRUE(std::holds_alternative<search::Measured>(outcome)) << search::describe(outcome);
  }
}

// Steps of float32 at 1 are a thousandth of this range: all products round to the same side.
TEST_F(HostDrawsTest, WhatStepsOfTheInputsExplainIsRounding) {
  high_ = 1.0001;
  const auto row = [](const std::string& factor) {
    return "const T q = T(0.25) * (T(1) - T(5e-5)); y[r] = (x[0] * q - x[11] * q) * T(1e-2) * " +
           factor + ";";
  };
  const auto honest = outcome(row("T(1)"), row("T(1)"));
  EXPECT_TRUE(std::holds_alternative<search::Measured>(honest)) << search::describe(honest);
  const auto scaled = outcome(row("T(1.005)"), row("T(1)"));
  EXPECT_TRUE(std::holds_alternative<search::WrongResult>(scaled)) << search::describe(scaled);
}

TEST(ShareOfSteps, IsAStepOfTheCoarsestInputThatIsRead) {
  std::vector<search::Argument> arguments = {vector_argument("x", search::Argument::Access::kIn),
                                             vector_argument("y", search::Argument::Access::kOut)};
  EXPECT_DOUBLE_EQ(share_of_steps(arguments), 0x1p-23 / 2);  // [-1, 1)
  arguments[0].low = 1;
  arguments[0].high = 1.5;
  EXPECT_DOUBLE_EQ(share_of_steps(arguments), 0x1p-23 * 3);
  arguments[1].low = 1;
  arguments[1].high = 1.0001;
  EXPECT_DOUBLE_EQ(share_of_steps(arguments), 0x1p-23 * 3) << "nobody reads y";
  arguments[0].fill = search::Argument::Fill::kNormal;  // a mean of 1
  EXPECT_DOUBLE_EQ(share_of_steps(arguments), 0x1p-23 / 1.5);
}

// Whoever drew nothing cannot tell a factor from the rounding of these numbers.
TEST_F(HostDrawsTest, NumbersThatAreFewOrTheSameInAllDrawsAreNotAsked) {
  search::HostBackend host;
  host.arguments = {vector_argument("x", search::Argument::Access::kIn),
                    vector_argument("y", search::Argument::Access::kOut)};
  EXPECT_TRUE(are_drawn(host.arguments));
  search::Argument& x = host.arguments[0];
  x.low = 1;
  x.high = 1.00001;
  EXPECT_FALSE(are_drawn(host.arguments));
  x.high = 1.001;
  EXPECT_TRUE(are_drawn(host.arguments));
  for (const auto fill : {search::Argument::Fill::kConstant, search::Argument::Fill::kSequence,
                          search::Argument::Fill::kFile}) {
    x.fill = fill;
    EXPECT_FALSE(are_drawn(host.arguments));
  }
  x.access = search::Argument::Access::kOut;
  EXPECT_TRUE(are_drawn(host.arguments)) << "it is not read";
}

}  // namespace
}  // namespace nightshift::evaluator
