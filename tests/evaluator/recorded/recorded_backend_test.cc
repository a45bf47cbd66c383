#include "evaluator/recorded/recorded_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using search::LaunchFailed;
using search::Measured;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three configurations in the community's cache format: one slow, one fast, one that did not
// compile.
constexpr const char* kCache = R"({
"device_name": "Fake GPU", "kernel_name": "k", "problem_size": [1],
"tune_params_keys": ["TILE"], "tune_params": {"TILE": [8, 16, 32]}, "objective": "time",
"cache": {
"8": {"TILE": 8, "time": 4.0, "times": [3.0, 4.0, 5.0], "compile_time": 1000, "verification_time": 0,
      "benchmark_time": 500, "strategy_time": 0, "framework_time": 0, "timestamp": "2024-01-01"},
"16": {"TILE": 16, "time": 2.0, "times": [2.0, 2.0], "compile_time": 2000, "verification_time": 0,
       "benchmark_time": 250, "strategy_time": 0, "framework_time": 0, "timestamp": "2024-01-01"},
"32": {"TILE": 32, "time": "CompilationFailedConfig", "compile_time": 300, "verification_time": 0,
       "benchmark_time": 0, "strategy_time": 0, "framework_time": 0, "timestamp": "2024-01-01"}
}})";

class RecordedBackendTest : public ::testing::Test {
 protected:
  RecordedBackendTest() {
    search::RecordedBackend backend;
    backend.file = folder_.write("space.json", kCache);
    problem_.backend = backend;
    problem_.parameters = {
        parameter("TILE", {std::int64_t{8}, std::int64_t{16}, std::int64_t{32}, std::int64_t{64}})};
    problem_.objectives = {problems::RecordedSpace::read(backend.file).objective()};
  }

  search::TrialReport evaluate(const search::Configuration& c, std::uint64_t seed = 1) {
    RecordedTrialBackend backend(setting_for(problem_, folder_));
    ipc::EvaluateRequest request;
    request.configuration = c;
    request.seed = seed;
    return backend.evaluate(request, progress_);
  }
  std::vector<double> values(const search::Configuration& c, std::uint64_t seed = 1) {
    const auto report = evaluate(c, seed);
    const auto* measured = std::get_if<Measured>(&report.outcome);
    EXPECT_NE(measured, nullptr) << search::describe(report.outcome);
    return measured != nullptr ? measured->measurement.figures.at(0).values : std::vector<double>{};
  }

  TemporaryFolder folder_;
  search::Problem problem_;
  FakeProgress progress_;
};

search::Configuration tile(std::int64_t value) { return configuration({{"TILE", value}}); }

TEST_F(RecordedBackendTest, DrawsAsManyRepetitionsAsWereRecorded) {
  EXPECT_THAT(values(tile(16)), ElementsAre(2.0, 2.0));
  const auto drawn = values(tile(8));
  EXPECT_EQ(drawn.size(), 3u);
  EXPECT_THAT(drawn, Each(::testing::AnyOf(3.0, 4.0, 5.0)));
}

TEST_F(RecordedBackendTest, SeedDecidesWhatIsDrawn) {
  std::get<search::RecordedBackend>(problem_.backend).samples = 50;
  EXPECT_EQ(values(tile(8), 5).size(), 50u);
  EXPECT_EQ(values(tile(8), 5), values(tile(8), 5));
  EXPECT_NE(values(tile(8), 5), values(tile(8), 6));
}

TEST_F(RecordedBackendTest, EveryRecordedRepetitionIsDrawn) {
  std::get<search::RecordedBackend>(problem_.backend).samples = 1000;
  auto drawn = values(tile(8));
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  EXPECT_THAT(drawn, ElementsAre(3.0, 4.0, 5.0));
}

TEST_F(RecordedBackendTest, NoiseIsOneFactorAVisitOnTheSameDraws) {
  std::get<search::RecordedBackend>(problem_.backend).samples = 50;
  const auto plain = values(tile(8), 5);
  std::get<search::RecordedBackend>(problem_.backend).noise = 0.03;
  const auto noisy = values(tile(8), 5);
  ASSERT_EQ(noisy.size(), plain.size());
  const double factor = noisy.front() / plain.front();
  EXPECT_NE(factor, 1);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_DOUBLE_EQ(noisy[i], plain[i] * factor);
  EXPECT_EQ(noisy, values(tile(8), 5));
}

TEST_F(RecordedBackendTest, NoiseIsLognormalWithItsMedianAtWhatWasRecorded) {
  constexpr int kEvaluations = 4000;
  constexpr double kNoise = 0.03;
  std::get<search::RecordedBackend>(problem_.backend).noise = kNoise;
  RecordedTrialBackend backend(setting_for(problem_, folder_));
  ipc::EvaluateRequest request;
  request.configuration = tile(16);
  double sum = 0, squares = 0;
  for (request.seed = 0; request.seed < kEvaluations; ++request.seed) {
    const auto report = backend.evaluate(request, progress_);
    const double drawn = std::get<Measured>(report.outcome).measurement.figures[0].values[0];
    sum += std::log(drawn / 2);
    squares += std::log(drawn / 2) * std::log(drawn / 2);
  }
  // Five standard errors of a mean and of a standard deviation; the seeds are fixed.
  EXPECT_NEAR(sum / kEvaluations, 0, 5 * kNoise / std::sqrt(kEvaluations));
  EXPECT_NEAR(std::sqrt(squares / kEvaluations), kNoise,
              5 * kNoise / std::sqrt(2.0 * kEvaluations));
}

TEST_F(RecordedBackendTest, NothingIsGivenUp) {
  RecordedTrialBackend backend(setting_for(problem_, folder_));
  ipc::EvaluateRequest request;
  request.configuration = tile(8);
  request.give_up_above = 1e-9;
  const auto report = backend.evaluate(request, progress_);
  EXPECT_FALSE(std::get<Measured>(report.outcome).measurement.censored);
}

TEST_F(RecordedBackendTest, EmptyConfigurationIsTheResolvedBaseline) {
  problem_.baseline = tile(16);
  EXPECT_THAT(values({}), ElementsAre(2.0, 2.0));
  problem_.baseline = {};
  EXPECT_EQ(values({}).size(), 3u);
}

TEST_F(RecordedBackendTest, CostIsWhatWasRecorded) {
  const auto report = evaluate(tile(8));
  const auto space =
      problems::RecordedSpace::read(std::get<search::RecordedBackend>(problem_.backend).file);
  const auto* trial = space.find(tile(8));
  ASSERT_NE(trial, nullptr);
  EXPECT_GT(report.cost.simulated, 0);
  EXPECT_EQ(report.cost.simulated, trial->build_seconds + trial->measure_seconds);
  EXPECT_GT(evaluate(tile(32)).cost.simulated, 0);
}

TEST_F(RecordedBackendTest, FailuresComeBackAsTheyWereRecorded) {
  const auto report = evaluate(tile(32));
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(report.outcome))
      << search::describe(report.outcome);
}

TEST_F(RecordedBackendTest, WhatWasNotRecordedIsSaid) {
  const auto report = evaluate(tile(64));
  ASSERT_TRUE(std::holds_alternative<LaunchFailed>(report.outcome));
  EXPECT_THAT(std::get<LaunchFailed>(report.outcome).message, HasSubstr("{\"TILE\": 64}"));
}

TEST_F(RecordedBackendTest, UnitsOfTimeAreConverted) {
  problem_.objectives.front().unit = "us";
  EXPECT_THAT(values(tile(16)), ElementsAre(2000.0, 2000.0));
}

TEST_F(RecordedBackendTest, FiguresThatWereNotRecordedAreRefused) {
  problem_.objectives.front().unit = "GFLOP/s";
  EXPECT_THAT([&] { evaluate(tile(8)); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("GFLOP/s")));
  problem_.objectives = {{}, {}};
  EXPECT_THAT([&] { evaluate(tile(8)); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("one figure")));
}

TEST_F(RecordedBackendTest, MissingFileIsRefused) {
  std::get<search::RecordedBackend>(problem_.backend).file = folder_.path() + "/gone.json";
  EXPECT_THROW(evaluate(tile(8)), problems::RecordedSpaceError);
}

}  // namespace
}  // namespace nightshift::evaluator
