#include "evaluator/host/host_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/host/host_backend.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using search::ElementType;
using ::testing::HasSubstr;
using ::testing::Not;

// The loop's body for the kernel and for the reference, which has the same in double.
struct Pair {
  const char* kernel;
  const char* reference;
};

class HostReferenceTest : public ::testing::Test {
 protected:
  // How a kernel f(x, y), with `n` numbers x in [-1, 1) and `answers` numbers y, ends.
  search::TrialOutcome outcome(ElementType type, const Pair& pair, int n = 4096,
                               const std::string& answers = "N") {
    const std::string name(type == ElementType::kFloat64 ? "double" : "float");
    search::Problem problem = doubling_problem(folder_, source("doubled", name, pair.kernel));
    auto& host = host_of(problem);
    host.reference.file = folder_.write("doubled_reference.cc",
                                        source("doubled_reference", "double", pair.reference));
    host.cases.front() = {{"N", n}};
    for (auto* vector : {&host.arguments[0], &host.arguments[1]}) {
      vector->type = type;
      vector->fill = fill_;
      vector->low = -1;
      vector->high = 1;
    }
    host.arguments[1].size = search::Expression::parse(answers);
    host.tolerance = tolerance_;
    problem.sampling.samples = 1;
    HostTrialBackend backend(setting_for(problem, folder_));
    FakeProgress progress;
    ipc::EvaluateRequest request;
    request.artifact = built(backend, ipc::BuildTarget::kCandidate, progress);
    request.reference = built(backend, ipc::BuildTarget::kReference, progress);
    request.seed = 7;
    request.sampling = problem.sampling;
    return backend.evaluate(request, progress).outcome;
  }
  bool is_right(ElementType type, const Pair& pair, int n = 4096,
                const std::string& answers = "N") {
    const auto ended = outcome(type, pair, n, answers);
    EXPECT_TRUE(std::holds_alternative<search::Measured>(ended) ||
                std::holds_alternative<search::WrongResult>(ended))
        << search::describe(ended);
    return std::holds_alternative<search::Measured>(ended);
  }

  search::GivenTolerance tolerance_;
  search::Argument::Fill fill_ = search::Argument::Fill::kUniform;

 private:
  static std::string source(const std::string& name, const std::string& type,
                            const std::string& body) {
    return "#include <cmath>\nusing T = " + type + ";\nvoid " + name +
           "(const T* x, T* y, long n) {\n" + body + "\n}\n";
  }
  static std::string built(HostTrialBackend& backend, ipc::BuildTarget target,
                           FakeProgress& progress) {
    const ipc::BuiltReply reply = backend.build({target, {}}, progress);
    return std::get<ipc::Artifact>(reply.result).hash;
  }

  TemporaryFolder folder_;
};

constexpr const char* kSmall = "for (long i = 0; i < n; ++i) y[i] = x[i] * 1e-9;";

TEST_F(HostReferenceTest, ZerosAreNoAnswerWhereAnswersAreSmall) {
  for (const auto type : {ElementType::kFloat32, ElementType::kFloat64}) {
    EXPECT_FALSE(is_right(type, {"for (long i = 0; i < n; ++i) y[i] = 0;", kSmall}));
    EXPECT_FALSE(
        is_right(type, {"for (long i = 0; i < n; ++i) y[i] = x[i] * T(1.001e-9);", kSmall}));
    EXPECT_TRUE(
        is_right(type, {"for (long i = n - 1; i >= 0; --i) y[i] = T(1e-9) * x[i];", kSmall}));
  }
}

TEST_F(HostReferenceTest, NorBesideAMaskHoweverLarge) {
  const char* masked = "for (long i = 0; i < n; ++i) y[i] = i % 2 ? T(-1e30) : x[i] * T(1e-9);";
  for (const auto type : {ElementType::kFloat32, ElementType::kFloat64}) {
    EXPECT_FALSE(
        is_right(type, {"for (long i = 0; i < n; ++i) y[i] = i % 2 ? T(-1e30) : T(0);", masked}));
    EXPECT_TRUE(is_right(type, {masked, masked}));
  }
}

TEST_F(HostReferenceTest, Float64ThatIsComputedInFloat32IsWrong) {
  const char* triple = "for (long i = 0; i < n; ++i) y[i] = x[i] * 3;";
  EXPECT_FALSE(is_right(ElementType::kFloat64,
                        {"for (long i = 0; i < n; ++i) y[i] = float(x[i] * 3);", triple}));
  EXPECT_TRUE(is_right(ElementType::kFloat64,
                       {"for (long i = 0; i < n; ++i) y[i] = x[i] + 2 * x[i];", triple}));
  tolerance_.relative = 1e-6;  // the problem's own
  EXPECT_TRUE(is_right(ElementType::kFloat64,
                       {"for (long i = 0; i < n; ++i) y[i] = float(x[i] * 3);", triple}));
}

// What is left where numbers cancel is their rounding: 0 + 1 + ... + 13 is 91.
TEST_F(HostReferenceTest, WhatCancelsMayRound) {
  fill_ = search::Argument::Fill::kSequence;
  const Pair sum = {
      "T s = 0; for (long i = n - 1; i >= 0; --i) s += x[i] * T(0.007);"
      " y[0] = s - T(0.637) * x[1];",
      "T s = -0.637 * x[1]; for (long i = 0; i < n; ++i) s += x[i] * 0.007; y[0] = s;"};
  const Pair sine = {"y[0] = std::sin(x[1] * T(M_PI));", "y[0] = std::sin(x[1] * M_PI);"};
  for (const auto type : {ElementType::kFloat32, ElementType::kFloat64}) {
    EXPECT_TRUE(is_right(type, sum, 14, "1"));
    EXPECT_TRUE(is_right(type, sine, 14, "1"));
  }
  EXPECT_FALSE(is_right(ElementType::kFloat64,
                        {"y[0] = float(x[1] * M_PI) - M_PI;", "y[0] = 0 * x[1];"}, 14, "1"));
}

// exp(x) is near 1 for each small x, and its steps are those of 1.
TEST_F(HostReferenceTest, StepsThatAreLargerThanTheirInputsMayRound) {
  const auto scaled = [](const std::string& size, const std::string& body) {
    return "const T by = T(" + size + ");" + body;
  };
  const std::string softmax =
      "T s = 0; for (long i = 0; i < n; ++i) s += std::exp(by * x[i]);"
      " for (long i = 0; i < n; ++i) y[i] = std::exp(by * x[i]) / s - T(1) / n;";
  const std::string largest_first =
      "T s = 0; for (long i = n - 1; i >= 0; --i) s += std::exp(by * x[i] - by);"
      " for (long i = 0; i < n; ++i) y[i] = (std::exp(by * x[i] - by) / s - T(1) / n)";
  const std::string less_one = "for (long i = 0; i < n; ++i) y[i] = std::exp(by * x[i]) - 1;";
  const std::string squared =
      "for (long i = 0; i < n; ++i) { const T e = std::exp(T(0.5) * (by * x[i])); y[i] = (e * e - "
      "1)";
  for (const auto& [type, size] :
       {std::pair(ElementType::kFloat32, "1e-4"), {ElementType::kFloat64, "1e-8"}}) {
    const auto ended = [&, type = type, size = size](const std::string& kernel,
                                                     const std::string& reference) {
      const std::string mine = scaled(size, kernel), right = scaled(size, reference);
      return search::describe(outcome(type, {mine.c_str(), right.c_str()}, 512));
    };
    const auto is_wrong = HasSubstr("wrong result");
    EXPECT_THAT(ended(softmax, softmax), Not(is_wrong));
    EXPECT_THAT(ended(largest_first + ";", softmax), Not(is_wrong))
        << "each slope is one of a grid";
    EXPECT_THAT(ended(squared + "; }", less_one), Not(is_wrong));
    EXPECT_THAT(ended(largest_first + " * T(1.02);", softmax), is_wrong);
    EXPECT_THAT(ended(squared + " * T(1.02); }", less_one), is_wrong);
    EXPECT_THAT(ended("for (long i = 0; i < n; ++i) y[i] = 0;", less_one), is_wrong);
  }
}

// The roundings of a long sum are no reason to leave out what it comes to.
TEST_F(HostReferenceTest, ZerosAreNoSmallMeanOfManyNumbers) {
  const char* loss =
      "double s = 0; for (long i = 0; i < n; ++i) { const double d = x[i] * 1e-4; s += d * d; }"
      " y[0] = s / n;";
  const char* own =
      "T s = 0; for (long i = n - 1; i >= 0; --i) { const T d = x[i] * T(1e-4); s += d * d; }"
      " y[0] = s / n;";
  EXPECT_FALSE(is_right(ElementType::kFloat32, {"y[0] = 0;", loss}, 1000000, "1"));
  EXPECT_FALSE(is_right(ElementType::kFloat64, {"y[0] = 0;", loss}, 1000000, "1"));
  EXPECT_TRUE(is_right(ElementType::kFloat64, {own, loss}, 1000000, "1"));
}

TEST_F(HostReferenceTest, SumsInAnotherOrderAreRight) {
  const char* all = "double s = 0; for (long i = 0; i < n; ++i) s += x[i] * x[i]; y[0] = s;";
  EXPECT_TRUE(is_right(ElementType::kFloat32,
                       {"T s[16] = {}; for (long i = n - 1; i >= 0; --i) s[i % 16] += x[i] * x[i];"
                        " y[0] = 0; for (T one : s) y[0] += one;",
                        all},
                       1000000, "1"));
  EXPECT_TRUE(
      is_right(ElementType::kFloat64,
               {"T s = 0; for (long i = n - 1; i >= 0; --i) s += x[i] * x[i]; y[0] = s;", all},
               1000000, "1"));
  // Shares of a sum: each is a millionth.
  const char* shares =
      "double s = 0; for (long i = 0; i < n; ++i) s += std::exp(x[i]);"
      " for (long i = 0; i < n; ++i) y[i] = std::exp(x[i]) / s;";
  EXPECT_TRUE(is_right(ElementType::kFloat32,
                       {"T s = 0; for (long i = 0; i < n; ++i) s += std::exp(x[i]);"
                        " for (long i = 0; i < n; ++i) y[i] = std::exp(x[i]) / s;",
                        shares},
                       1000000));
  EXPECT_FALSE(is_right(ElementType::kFloat32,
                        {"for (long i = 0; i < n; ++i) y[i] = 1e-6f;", shares}, 1000000));
}

TEST_F(HostReferenceTest, ZerosThatAreRightAndDenormalsAreRight) {
  const Pair zeros = {"for (long i = 0; i < n; ++i) y[i] = 0 * x[i];",
                      "for (long i = 0; i < n; ++i) y[i] = 0;"};
  const char* some = "for (long i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] * 3 : 0;";
  for (const auto type : {ElementType::kFloat32, ElementType::kFloat64}) {
    EXPECT_TRUE(is_right(type, zeros));
    EXPECT_TRUE(
        is_right(type, {"for (long i = 0; i < n; ++i) y[i] = std::fmax(x[i], T(0)) * 3;", some}));
  }
  EXPECT_FALSE(is_right(ElementType::kFloat32,
                        {"for (long i = 0; i < n; ++i) y[i] = 1e-7f;", zeros.reference}));
  EXPECT_TRUE(is_right(ElementType::kFloat32,
                       {"for (long i = 0; i < n; ++i) y[i] = x[i] * 1e-40f;",
                        "for (long i = 0; i < n; ++i) y[i] = x[i] * double(1e-40f);"}));
}

// One call in a hundred: neither the first check nor one after the samples need be that one.
TEST_F(HostReferenceTest, ACallInAHundredThatIsWrongIsFoundWhereCallsAreShort) {
  const char* twice = "for (long i = 0; i < n; ++i) y[i] = 2 * x[i];";
  const auto ended = outcome(ElementType::kFloat32,
                             {"static long calls = 0; const T k = ++calls % 100 == 0 ? 3 : 2;"
                              " for (long i = 0; i < n; ++i) y[i] = k * x[i];",
                              twice},
                             64);
  EXPECT_THAT(search::describe(ended), HasSubstr("wrong result: y["));
  EXPECT_TRUE(is_right(ElementType::kFloat32, {twice, twice}, 64));
}

// The logarithm of what is negative is NaN, as the pattern of an output is.
TEST_F(HostReferenceTest, WhereNanIsExpectedItIsWrittenAsWell) {
  const char* all = "for (long i = 0; i < n; ++i) y[i] = std::log(x[i]);";
  const char* some = "for (long i = 0; i < n; ++i) if (x[i] > 0) y[i] = std::log(x[i]);";
  for (const auto type : {ElementType::kFloat32, ElementType::kFloat64}) {
    EXPECT_TRUE(is_right(type, {all, all}));
    EXPECT_TRUE(is_right(type, {"for (long i = n - 1; i >= 0; --i) y[i] = -std::log(x[i]);",
                                "for (long i = 0; i < n; ++i) y[i] = -std::log(x[i]);"}));
    EXPECT_THAT(search::describe(outcome(type, {some, all})),
                AllOf(HasSubstr("was not written, where "), HasSubstr("nan was expected")));
    EXPECT_TRUE(is_right(type, {some, some})) << "nothing is expected of what is not written";
    EXPECT_TRUE(is_right(type, {all, some})) << "NaN is as good as nothing";
  }
}

}  // namespace
}  // namespace nightshift::evaluator
