#include "scheduler/evaluation_loop.h"

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
  void ended(DeviceIndex device, const PlannedEvaluation&, const TrialEnd& end) override {
    ends[device].push_back(end);
  }
  void lost(DeviceIndex device, const std::string& reason) override { gone[device] = reason; }

  std::map<DeviceIndex, std::vector<TrialEnd>> ends;
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

TEST(EvaluationLoop, WhatTheFirstTookLimitsTheOthersWhereThatIsAskedFor) {
  const auto patience = [](EvaluationLoop::Time time) {
    EvaluationDriver d(fakes::command_problem(4));
    d.pool.seconds_per_event = 2;
    EvaluationLoop runner(
        {d.problem, d.pool, d.clock, d.observer, {d.contender(-1), d.contender(1)}, {}, time});
    Turns plan(2, 3);
    EXPECT_TRUE(runner.run(plan));
    std::vector<double> seconds;
    for (const Job& job : d.pool.measured) seconds.push_back(job.evaluation().patience);
    return seconds;
  };
  EXPECT_THAT(patience({{}, true}), ElementsAre(0, 40, 0));
  EXPECT_THAT(patience({}), ElementsAre(0, 0, 0));
  EXPECT_THAT(patience({{}, false, true}), ElementsAre(EvaluationLoop::kFirstLook, 40, 40));
}

// Two contenders, baseline and x = 1, whose evaluations take so many seconds; one that would take
// longer than it may times out.
class EachLimitsOthers : public ::testing::Test {
 protected:
  EachLimitsOthers() {
    d_.pool.on_measure = [this](const Job& job) {
      const int x = fakes::x_of(job.evaluation().configuration);
      const double limit = job.evaluation().patience > 0 ? job.evaluation().patience : 60;
      measured_.push_back(x);
      JobEnded done;
      done.report.outcome = search::Measured{{{{"time", {1, 1, 1}}}, {}}};
      if (seconds_[x] > limit) {
        done.report.outcome = search::TimedOut{search::Phase::kMeasure, limit, false};
      }
      return done;
    };
  }
  std::vector<TrialEnd> ends(int evaluations) {
    EvaluationLoop runner({d_.problem,
                           d_.pool,
                           d_.clock,
                           d_.observer,
                           {d_.contender(-1), d_.contender(1)},
                           {},
                           {{}, false, true}});
    Turns plan(2, evaluations);
    EXPECT_TRUE(runner.run(plan));
    return plan.ends[0];
  }

  EvaluationDriver d_{fakes::command_problem(4)};
  std::map<int, double> seconds_;
  std::vector<int> measured_;
};

TEST_F(EachLimitsOthers, AFirstThatHangsEndsByTheLimitThatFollowsFromTheSecond) {
  d_.pool.seconds_per_event = 0.1;
  seconds_ = {{-1, 1e9}, {1, 0.1}};
  const auto ends = this->ends(1);
  EXPECT_THAT(measured_, ElementsAre(-1, 1, -1));
  ASSERT_EQ(ends.size(), 1U);
  const auto& late = std::get<search::TimedOut>(ends[0].report.outcome);
  EXPECT_EQ(late.limit_seconds, search::Limits::kLeastPatience);
  EXPECT_THAT(late.message, AllOf(HasSubstr("follows from the other one"),
                                  HasSubstr("limits.times_baseline"), HasSubstr("limits.trial")));
}

TEST_F(EachLimitsOthers, AFirstThatIsSlowIsMeasuredOnceMoreAndCounts) {
  d_.pool.seconds_per_event = 4;
  seconds_ = {{-1, 30}, {1, 4}};
  const auto ends = this->ends(2);
  EXPECT_THAT(measured_, ElementsAre(-1, 1, -1, 1));
  ASSERT_EQ(ends.size(), 2U);
  for (const TrialEnd& end : ends) EXPECT_FALSE(search::is_failure(end.report.outcome));
}

TEST_F(EachLimitsOthers, WhereBothHangTheSecondIsNamedByTheLimitsThatAreSet) {
  seconds_ = {{-1, 1e9}, {1, 1e9}};
  const auto ends = this->ends(1);
  EXPECT_THAT(measured_, ElementsAre(-1, 1));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(std::get<search::TimedOut>(ends[0].report.outcome).limit_seconds, 60);
}

TEST_F(EachLimitsOthers, LimitsThatSomebodySetHoldAsTheyAre) {
  d_.problem.limits.times_baseline = 0;
  seconds_ = {{-1, 30}, {1, 0.1}};
  EXPECT_EQ(ends(2).size(), 2U);
  EXPECT_THAT(measured_, ElementsAre(-1, 1));
}

TEST(EvaluationLoop, ABudgetEndsWhatIsUnderWay) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.seconds_per_event = 2;
  const Clock::TimePoint end = d.clock.now() + std::chrono::seconds(5);
  EvaluationLoop runner({d.problem,
                         d.pool,
                         d.clock,
                         d.observer,
                         {d.contender(-1), d.contender(1)},
                         {},
                         {end, false}});
  Turns plan(2, 2);
  EXPECT_TRUE(runner.run(plan));
  EXPECT_DOUBLE_EQ(d.pool.measured.at(0).evaluation().patience, 5.25);
  EXPECT_DOUBLE_EQ(d.pool.measured.at(1).evaluation().patience, 3.25);
}

TEST(EvaluationLoop, MachineCodeThatIsGivenIsNotBuilt) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  std::get<search::HostBackend>(d.problem.backend).reference.file = "/reference.cc";
  std::vector<Contender> contenders{d.contender(2), d.contender(2), d.contender(-1),
                                    d.contender(-1)};
  contenders[0].artifact = "old2";
  contenders[2].artifact = "old-1";
  EvaluationLoop runner({d.problem, d.pool, d.clock, d.observer, contenders, "ref-old"});
  ASSERT_TRUE(runner.build());
  ASSERT_EQ(d.pool.built.size(), 2U);  // neither the reference nor what is given
  EXPECT_EQ(runner.reference_artifact(), "ref-old");
  EXPECT_EQ(runner.artifact(0), "old2");
  EXPECT_EQ(runner.artifact(1), "a2");
  EXPECT_EQ(runner.artifact(2), "old-1");
  EXPECT_EQ(runner.artifact(3), "a-1");
  Turns plan(4, 4);
  ASSERT_TRUE(runner.run(plan));
  std::vector<std::string> measured;
  for (const Job& order : d.pool.measured) {
    EXPECT_EQ(order.evaluation().reference, "ref-old");
    measured.push_back(order.evaluation().artifact);
    EXPECT_EQ(order.evaluation().configuration.is_baseline(), measured.size() > 2);
  }
  EXPECT_THAT(measured, ElementsAre("old2", "a2", "old-1", "a-1"));
}

TEST(EvaluationLoop, TheBaselineIsTheReferenceThatIsGivenWhereThereIsNoOther) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  EvaluationLoop runner(
      {d.problem, d.pool, d.clock, d.observer, {d.contender(-1), d.contender(1)}, "base"});
  ASSERT_TRUE(runner.build());
  ASSERT_EQ(d.pool.built.size(), 1U);
  EXPECT_EQ(runner.artifact(0), "base");
  EXPECT_EQ(runner.artifact(1), "a1");
}

TEST(EvaluationLoop, BuildsTheReferenceAndEachContenderOnce) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  std::get<search::HostBackend>(d.problem.backend).reference.file = "/reference.cc";
  EvaluationLoop runner = d.runner({-1, 2, -1});
  ASSERT_TRUE(runner.build());
  ASSERT_EQ(d.pool.built.size(), 3U);
  EXPECT_EQ(d.pool.built[0].build().target, ipc::BuildTarget::kReference);
  EXPECT_EQ(runner.artifact(0), "a-1");
  EXPECT_EQ(runner.artifact(1), "a2");
  EXPECT_EQ(runner.artifact(2), "a-1");
  Turns plan(2, 4);
  ASSERT_TRUE(runner.run(plan));
  for (const Job& order : d.pool.measured) {
    EXPECT_EQ(order.evaluation().reference, "ref-1");
    EXPECT_EQ(order.evaluation().artifact,
              "a" + std::to_string(fakes::x_of(order.evaluation().configuration)));
    EXPECT_EQ(order.evaluation().seed, d.problem.scheduling.seed);
    EXPECT_EQ(order.evaluation().sampling.precision, 0);
  }
}

TEST(EvaluationLoop, WithoutAReferenceTheBaselineIsItAndIsBuiltToo) {
  EvaluationDriver d(fakes::host_problem(4), 1, 1);
  EvaluationLoop runner = d.runner({1});
  ASSERT_TRUE(runner.build());
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(d.pool.measured.at(0).evaluation().reference, "a-1");
  EXPECT_EQ(d.pool.measured.at(0).evaluation().artifact, "a1");
}

TEST(EvaluationLoop, AFailedBuildNamesTheContender) {
  EvaluationDriver d(fakes::host_problem(4), 1, 2);
  d.pool.on_build = [](const Job& order) {
    JobEnded done;
    if (fakes::x_of(order.build().configuration) == 2) {
      done.report.outcome = search::BuildFailed{"no such header"};
    } else {
      done.artifact = ipc::Artifact{"a", 1};
    }
    return done;
  };
  EvaluationLoop runner = d.runner({1, 2});
  EXPECT_THAT(message_of<StudyError>([&] { runner.build(); }),
              AllOf(HasSubstr("x=2 could not be built"), HasSubstr("no such header")));
}

TEST(EvaluationLoop, EveryDeviceMakesItsOwnVisits) {
  EvaluationDriver d(fakes::command_problem(4), 3);
  EvaluationLoop runner = d.runner({-1, 1});
  Turns plan(2, 6);
  ASSERT_TRUE(runner.run(plan));
  for (DeviceIndex i = 0; i < 3; ++i) {
    ASSERT_EQ(plan.ends[i].size(), 6U);
    EXPECT_FALSE(plan.ends[i][0].fresh_process);
    EXPECT_TRUE(plan.ends[i][1].fresh_process);
    EXPECT_LT(plan.ends[i][0].started, plan.ends[i][0].finished);
  }
  std::set<std::uint64_t> seeds;
  for (const Job& order : d.pool.measured) seeds.insert(order.evaluation().seed);
  EXPECT_EQ(seeds.size(), d.pool.measured.size()) << "programs get other inputs in each visit";
}

TEST(EvaluationLoop, ACrashInAUsedProcessIsTriedAgainInAFreshOne) {
  EvaluationDriver d(fakes::command_problem(4));
  d.failures[{1, 1}] =
      search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kMeasure, ""};
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  ASSERT_EQ(d.pool.measured.size(), 2U);
  EXPECT_TRUE(d.pool.measured[1].fresh_process);
  EXPECT_EQ(d.pool.measured[1].attempt, 2U);
  EXPECT_TRUE(std::holds_alternative<search::Measured>(plan.ends[0].at(0).report.outcome));
}

TEST(EvaluationLoop, AFigureThatIsNoNumberIsAFailure) {
  EvaluationDriver d(fakes::command_problem(4));
  d.figure = [](int, std::size_t) { return std::nan(""); };
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 1);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_THAT(search::describe(plan.ends[0].at(0).report.outcome), HasSubstr("no number"));
}

// Whose first job there is lost with its node, which does not come back soon.
void be_away(EvaluationDriver& d, DeviceIndex device) {
  d.pool.on_measure = [&d, device, usual = d.pool.on_measure](const Job& order) {
    JobEnded done = usual(order);
    if (order.device != device) return done;
    done.report.outcome = search::DeviceLost{"its node is lost"};
    d.pool.injected.emplace_back(DeviceAway{device, "its node is away"});
    return done;
  };
}

// Whoever asks next may find it back.
TEST(EvaluationLoop, ADeviceThatIsAwayIsNotWaitedFor) {
  EvaluationDriver d(fakes::command_problem(4), 2);
  be_away(d, 1);
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(plan.ends[0].size(), 4U);
  EXPECT_TRUE(plan.ends[1].empty());
  EXPECT_THAT(plan.gone[1], HasSubstr("its node is away"));
}

TEST(EvaluationLoop, WhereAllAreAwayThereIsNoDevice) {
  EvaluationDriver d(fakes::command_problem(4), 1);
  be_away(d, 0);
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_THAT(message_of<DeviceError>([&] { runner.run(plan); }), HasSubstr("its node is away"));
}

TEST(EvaluationLoop, ALostDeviceLeavesTheOthersToGoOn) {
  EvaluationDriver d(fakes::command_problem(4), 2);
  const auto usual = d.pool.on_measure;
  d.pool.on_measure = [&](const Job& order) {
    JobEnded done = usual(order);
    if (order.device == 1) done.report.outcome = search::DeviceLost{"fell off the bus"};
    return done;
  };
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  ASSERT_TRUE(runner.run(plan));
  EXPECT_EQ(plan.ends[0].size(), 4U);
  EXPECT_THAT(plan.gone[1], HasSubstr("fell off the bus"));
  EXPECT_TRUE(d.pool.retired.contains(1));
}

TEST(EvaluationLoop, WithoutAnyDeviceItEnds) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(DeviceFailed{0, "no evaluator"});
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_THAT(message_of<DeviceError>([&] { runner.run(plan); }), HasSubstr("no evaluator"));
}

TEST(EvaluationLoop, ASignalLetsTheVisitInFlightEndAndStartsNoOther) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(Interrupted{1});
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_FALSE(runner.run(plan));
  EXPECT_EQ(plan.ends[0].size(), 1U);
  EXPECT_EQ(d.pool.measured.size(), 1U);
}

TEST(EvaluationLoop, ASecondSignalStopsAtOnce) {
  EvaluationDriver d(fakes::command_problem(4));
  d.pool.injected.push_back(Interrupted{1});
  d.pool.injected.push_back(Interrupted{2});
  EvaluationLoop runner = d.runner({1});
  Turns plan(1, 4);
  EXPECT_FALSE(runner.run(plan));
  EXPECT_TRUE(plan.ends[0].empty());
}

}  // namespace
}  // namespace nightshift::scheduler
