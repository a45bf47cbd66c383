#include "scheduler/study/evaluation_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "scheduler/errors.h"
#include "tests/fakes/evaluation_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::EvaluationDriver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// So many evaluations of each contender in turn, on every device.
struct Turns final : EvaluationPlan {
  Turns(std::size_t contenders, int evaluations)
      : contenders_(contenders), evaluations_(evaluations) {}
  std::optional<PlannedEvaluation> next(DeviceIndex device) override {
    const int made = made_[device]++;
    if (made >= evaluations_) return std::nullopt;
    return PlannedEvaluation{static_cast<std::size_t>(made) % contenders_, made % 2 == 1};
  }
  void ended(DeviceIndex device, const PlannedEvaluation&, const EvaluationEnd& end) override {
    ends[device].push_back(end);
  }
  void lost(DeviceIndex device, const std::string& reason) override { gone[device] = reason; }

  std::map<DeviceIndex, std::vector<EvaluationEnd>> ends;
  std::map<DeviceIndex, std::string> gone;

 private:
  std::size_t contenders_;
  int evaluations_;
  std::map<DeviceIndex, int> made_;
};

template <class Error, class Function>
std::string message_of(Function&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(EvaluationRunner, BuildsTheReferenceAndEachContenderOnce) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  std::get<search::HostBackend>(d.problem.backend).reference.file = "/reference.cc";
  EvaluationRunner runner = d.runner({-1, 2, -1});
  ASSERT_TRUE(runner.build());
  ASSERT_EQ(d.pool.built.size(), 3U);
  EXPECT_EQ(d.pool.built[0].request.target, ipc::BuildTarget::kReference);
  EXPECT_EQ(runner.artifact(0), "a-1");
  EXPECT_EQ(runner.artifact(1), "a2");
  EXPECT_EQ(runner.artifact(2), "a-1");
  Turns plan(2, 4);
  ASSERT_TRUE(runner.run(plan));
  for (const MeasureOrder& order : d.pool.measured) {
    EXPECT_EQ(order.request.reference, "/ref-1");
    EXPECT_EQ(order.request.artifact,
              "/a" + std::to_string(fakes::x_of(order.request.configuration)));
    EXPECT_EQ(order.request.seed, d.problem.scheduling.seed);
    EXPECT_EQ(order.request.sampling.precision, 0);
  }
}

TEST(EvaluationRunner, WithoutAReferenceTheBaselineIsItAndIsBuiltToo) {
  EvaluationDriver d(fakes::host_problem(4), 1, 1);
  EvaluationRunner runner = d.runner({1});
  ASSERT_TRUE(runner.build());
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(d.pool.measured.at(0).request.reference, "/a-1");
  EXPECT_EQ(d.pool.measured.at(0).request.artifact, "/a1");
}

TEST(EvaluationRunner, AFailedBuildNamesTheContender) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  d.pool.on_build = [](const BuildOrder& order) {
    BuildDone done;
    done.result = ipc::Artifact{"a", "/a", 1};
    if (fakes::x_of(order.request.configuration) == 2) {
      done.result = search::TrialOutcome(search::BuildFailed{"no such header"});
    }
    return done;
  };
  EvaluationRunner runner = d.runner({1, 2});
  EXPECT_THAT(message_of<StudyError>([&] { runner.build(); }),
              AllOf(HasSubstr("x=2 could not be built"), HasSubstr("no such header")));
}

TEST(EvaluationRunner, EveryDeviceMakesItsOwnVisits) {
  EvaluationDriver d(fakes::command_problem(4), 3);
  EvaluationRunner runner = d.runner({-1, 1});
  Turns plan(2, 6);
  ASSERT_TRUE(runner.run(plan));
  for (DeviceIndex i = 0; i < 3; ++i) {
    ASSERT_EQ(plan.ends[i].size(), 6U);
    EXPECT_FALSE(plan.ends[i][0].fresh_process);
    EXPECT_TRUE(plan.ends[i][1].fresh_process);
    EXPECT_LT(plan.ends[i][0].started, plan.ends[i][0].finished);
  }
  std::set<std::uint64_t> seeds;
  for (const MeasureOrder& order : d.pool.measured) seeds.insert(order.request.seed);
  EXPECT_EQ(seeds.size(), d.pool.measured.size()) << "programs get other inputs in each visit";
}

TEST(EvaluationRunner, ACrashInAUsedProcessIsTriedAgainInAFreshOne) {
  EvaluationDriver d(fakes::command_problem(4));
  d.failures[{1, 1}] =
      search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kMeasure, ""};
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  ASSERT_EQ(d.pool.measured.size(), 2U);
  EXPECT_TRUE(d.pool.measured[1].fresh_process);
  EXPECT_EQ(d.pool.measured[1].attempt, 2U);
  EXPECT_TRUE(std::holds_alternative<search::Measured>(plan.ends[0].at(0).report.outcome));
}

TEST(EvaluationRunner, AFigureThatIsNoNumberIsAFailure) {
  EvaluationDriver d(fakes::command_problem(4));
  d.figure = [](int, std::size_t) { return std::nan(""); };
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_THAT(search::describe(plan.ends[0].at(0).report.outcome), HasSubstr("no number"));
}

TEST(EvaluationRunner, ALostDeviceLeavesTheOthersToGoOn) {
  EvaluationDriver d(fakes::command_problem(4), 2);
  const auto usual = d.pool.on_measure;
  d.pool.on_measure = [&](const MeasureOrder& order) {
    MeasureDone done = usual(order);
    if (order.device == 1) done.report.outcome = search::DeviceLost{"fell off the bus"};
    return done;
  };
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 4);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(plan.ends[0].size(), 4U);
  EXPECT_THAT(plan.gone[1], HasSubstr("fell off the bus"));
  EXPECT_TRUE(d.pool.retired.contains(1));
}

TEST(EvaluationRunner, WithoutAnyDeviceItEnds) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(DeviceFailed{0, "no evaluator"});
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_THAT(message_of<DeviceError>([&] { runner.run(plan); }), HasSubstr("no evaluator"));
}

TEST(EvaluationRunner, ASignalLetsTheVisitInFlightEndAndStartsNoOther) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(Interrupted{1});
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_FALSE(runner.run(plan));
  EXPECT_EQ(plan.ends[0].size(), 1U);
  EXPECT_EQ(d.pool.measured.size(), 1U);
}

TEST(EvaluationRunner, ASecondSignalStopsAtOnce) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(Interrupted{1});
  d.pool.injected.push_back(Interrupted{2});
  EvaluationRunner runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_FALSE(runner.run(plan));
  EXPECT_TRUE(plan.ends[0].empty());
}

}  // namespace
}  // namespace nightshift::scheduler
