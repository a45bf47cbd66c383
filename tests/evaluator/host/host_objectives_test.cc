#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "evaluator/counters/binary_size.h"
#include "evaluator/host/host_backend.h"
#include "evaluator/process/artifact_path.h"
#include "search/trial.h"
#include "tests/evaluator/fake_counters.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using search::Measured;
using search::OwnFigure;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Pair;
using ::testing::SizeIs;

// What the backend of kernels measures besides time.
class HostObjectivesTest : public ::testing::Test {
 protected:
  search::Problem problem(const std::string& body, std::vector<search::Objective> objectives) {
    search::Problem problem = doubling_problem(folder_, head_ + doubling(body));
    problem.objectives = std::move(objectives);
    return problem;
  }
  search::Measurement measured(const search::Problem& problem) {
    HostTrialBackend backend(setting_for(problem, folder_), {&counters_, powercap()});
    const auto artifact = [&](ipc::BuildTarget target) {
      return std::get<ipc::Artifact>(backend.build({target, {}}, progress_).result).hash;
    };
    ipc::EvaluateRequest request;
    request.artifact = artifact_ = artifact(ipc::BuildTarget::kCandidate);
    request.reference = artifact(ipc::BuildTarget::kReference);
    request.seed = 7;
    request.sampling = problem.sampling;
    request.give_up_above = give_up_above_;
    const auto report = backend.evaluate(request, progress_);
    const auto* good = std::get_if<Measured>(&report.outcome);
    if (good == nullptr) throw std::runtime_error(search::describe(report.outcome));
    return good->measurement;
  }
  std::filesystem::path powercap() const { return std::filesystem::path(folder_.path()) / "zones"; }

  TemporaryFolder folder_;
  FakeProgress progress_;
  FakeCounters counters_{{{OwnFigure::kInstructions, {48'000}}, {OwnFigure::kCycles, {16'000}}}};
  std::string artifact_, head_;
  double give_up_above_ = 0;
};

TEST_F(HostObjectivesTest, SizeAndTimeOfTheBuildBelongToItsMachineCode) {
  const auto with = problem(kGoodLoop, {{"time", "us"}, {"binary_size", "B"}, {"build_time", "s"}});
  const auto first = measured(with);
  const auto file = artifact_path(folder_.make_folder("artifacts"), artifact_);
  EXPECT_THAT(first.find("binary_size")->values,
              ElementsAre(static_cast<double>(binary_size(file))));
  EXPECT_THAT(first.find("build_time")->values, ElementsAre(Gt(0)));
  EXPECT_EQ(first.condition("build time"), "of the first build of this machine code");
  EXPECT_THAT(first.find("time")->values, SizeIs(5));
  const auto again = measured(with);
  EXPECT_EQ(again.find("build_time")->values, first.find("build_time")->values);
}

TEST_F(HostObjectivesTest, CountsAreOfACallAndOneForEachSample) {
  auto with = problem(kGoodLoop, {{"cycles", ""}, {"instructions", ""}});
  with.sampling.min_sample_seconds = 0;
  const auto found = measured(with);
  EXPECT_THAT(found.figures, SizeIs(2));
  EXPECT_THAT(found.find("instructions")->values, AllOf(SizeIs(5), Each(48'000)));
  EXPECT_THAT(found.find("cycles")->values, AllOf(SizeIs(5), Each(16'000)));
  EXPECT_THAT(counters_.opened, ElementsAre(Pair(OwnFigure::kCycles, CountedFrom::kNow),
                                            Pair(OwnFigure::kInstructions, CountedFrom::kNow)));
}

TEST_F(HostObjectivesTest, CountersThatOthersHadAreSaidToEstimate) {
  counters_ = FakeCounters({{OwnFigure::kCycles, {100, 2'000'000, 1'000'000}}});
  auto with = problem(kGoodLoop, {{"cycles", ""}});
  with.sampling.min_sample_seconds = 0;
  const auto found = measured(with);
  EXPECT_THAT(found.find("cycles")->values, Each(200));
  EXPECT_THAT(found.condition("counters"), HasSubstr("estimates"));
}

TEST_F(HostObjectivesTest, CountsOfSamplesWithSeveralCallsAreDivided) {
  auto with = problem(kGoodLoop, {{"instructions", ""}});
  with.sampling.min_sample_seconds = 1e-3;
  EXPECT_THAT(measured(with).find("instructions")->values, Each(AllOf(Gt(0), Lt(48'000))));
}

TEST_F(HostObjectivesTest, WhatCannotBeCountedIsSaidAtTheStartAndNotByABuilder) {
  auto setting = setting_for(problem(kGoodLoop, {{"time", "us"}, {"cache_misses", ""}}), folder_);
  EXPECT_THROW(HostTrialBackend(setting, {&counters_, powercap()}), NotMeasurable);
  setting.measures = false;
  EXPECT_NO_THROW(HostTrialBackend(setting, {&counters_, powercap()}));
}

// A kernel that writes how much it took, 500 uJ a call.
TEST_F(HostObjectivesTest, EnergyIsOfACall) {
  const auto counter = write_zone(powercap(), "intel-rapl:0", "package-0", 0).string();
  head_ = "#include <fstream>\n";
  const auto found = measured(problem("static long taken = 0; std::ofstream(\"" + counter +
                                          "\") << (taken += 500) << '\\n';" + kGoodLoop,
                                      {{"time", "us"}, {"energy", "mJ"}}));
  ASSERT_THAT(found.find("energy")->values, SizeIs(1));
  EXPECT_NEAR(found.find("energy")->values.front(), 0.5, 1e-9);
}

// Restored before each call, which is no part of either.
TEST_F(HostObjectivesTest, CountsAndEnergyOfWhatWorksInPlaceAreOfACall) {
  const auto counter = write_zone(powercap(), "intel-rapl:0", "package-0", 0).string();
  head_ = "#include <fstream>\n";
  auto with = problem("static long taken = 0; std::ofstream(\"" + counter +
                          "\") << (taken += 500) << '\\n';" + kGoodLoop,
                      {{"time", "us"}, {"energy", "mJ"}, {"instructions", ""}});
  host_of(with).arguments[1].access = search::Argument::Access::kInOut;
  with.sampling.min_sample_seconds = 1e-3;
  const auto found = measured(with);
  EXPECT_NE(found.condition("calls per sample"), "1");
  EXPECT_NEAR(found.find("energy")->values.front(), 0.5, 1e-9);
  EXPECT_THAT(found.find("instructions")->values, Each(48'000));
}

TEST_F(HostObjectivesTest, TheErrorIsWhatTheCheckSaw) {
  auto with = problem("for (long i = 0; i < n; ++i) y[i] = 2.002f * x[i];",
                      {{"time", "us"}, {"error", ""}});
  EXPECT_THROW(measured(with), std::runtime_error) << "the tolerance still holds";
  host_of(with).tolerance.relative = 0.01;
  EXPECT_NEAR(measured(with).find("error")->values.front(), 1e-3, 1e-6);
}

TEST_F(HostObjectivesTest, OnlyATimeIsGivenUpEarly) {
  give_up_above_ = 1e-9;
  EXPECT_TRUE(measured(problem(kGoodLoop, {{"time", "us"}, {"binary_size", "B"}})).censored);
  EXPECT_FALSE(measured(problem(kGoodLoop, {{"binary_size", "B"}, {"time", "us"}})).censored);
}

}  // namespace
}  // namespace nightshift::evaluator
