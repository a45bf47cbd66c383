// Whole studies on a fake pool: what they accept, claim, and leave alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/confirmation/evaluation_start.h"
#include "scheduler/errors.h"
#include "scheduler/summary/summary.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using fakes::claiming;
using fakes::command_problem;
using fakes::StudyDriver;
using search::JobKind;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Every evaluation is off by `cv`, the samples within it hardly.
std::function<double(int, std::size_t)> noisy(std::function<double(int)> cost, double cv,
                                              std::uint64_t seed) {
  return [cost = std::move(cost), cv, rng = base::Rng(seed)](int x, std::size_t) mutable {
    return cost(x) * std::exp(cv * rng.normal());
  };
}

// "duel 3 accept": what was decided on which x, in order.
std::vector<std::string> decisions(const StudyDriver& study) {
  const History& history = study.journal.history;
  std::vector<std::string> all;
  for (const ConfirmationVerdict& v : history.verdicts) {
    const ConfirmationSetup& setup = history.confirmations.at(v.id.value - 1);
    const auto candidate = setup.candidate.value;
    const int x =
        candidate == 0 ? -1 : fakes::x_of(history.trials[candidate - 1].proposed.configuration);
    all.push_back(std::string(name_of(setup.purpose)) + " " + std::to_string(x) + " " +
                  std::string(search::name_of(v.verdict.acceptance)));
  }
  return all;
}

StudySummary summary_of(const StudyDriver& study) {
  return summarise(study.journal.history, study.problem);
}

// Which confirmation an order belongs to; nullptr for none.
const ConfirmationSetup* confirmation_of(const StudyDriver& study, const Job& order) {
  const History& history = study.journal.history;
  const auto id = history.trials[order.trial.value - 1].proposed.confirmation.value;
  return id == 0 ? nullptr : &history.confirmations[id - 1];
}

// --- Claims ---

TEST(AcceptanceStudy, OfIdenticalCandidatesNothingIsClaimed) {
  int claimed = 0, accepted = 0, duels = 0, evaluations = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    search::Problem problem = claiming(command_problem(200));
    problem.scheduling.seed = seed;
    StudyDriver study(problem, 2);
    study.cost = noisy([](int) { return 1.0; }, 0.03, seed);
    study.run();
    const StudySummary summary = summary_of(study);
    claimed += summary.accepted ? 1 : 0;
    accepted += summary.won_duels ? 1 : 0;
    duels += static_cast<int>(summary.confirmations);
    evaluations += static_cast<int>(summary.evaluations);
  }
  EXPECT_EQ(claimed, 0);
  EXPECT_EQ(accepted, 2) << "of 267 duels at 1 %, against which there is the hold-out";
  EXPECT_EQ(duels, 267);
  EXPECT_EQ(evaluations, 20 * 200);
}

TEST(AcceptanceStudy, ATrueGainIsClaimedWithItsRatio) {
  StudyDriver study(claiming(command_problem(60)), 2);
  study.cost = noisy([](int x) { return x == 17 ? 0.9 : 1.0; }, 0.01, 1);
  study.run();
  const StudySummary summary = summary_of(study);
  EXPECT_TRUE(summary.accepted);
  EXPECT_TRUE(summary.won_duels);
  EXPECT_EQ(summary.best->trial, study.explored(17).proposed.id);
  EXPECT_NEAR(summary.ratio, 0.9, 0.01);
  EXPECT_LT(summary.ratio_interval.low, 0.9);
  EXPECT_GT(summary.ratio_interval.high, 0.9);
  EXPECT_THAT(summary.reason, StartsWith("confirmed on new data: candidate "));
  EXPECT_EQ(summary.devices.size(), 2U);
  EXPECT_EQ(summary.devices[0].pairs, 12);
  ASSERT_TRUE(study.observer.last.claim);
  EXPECT_EQ(study.observer.last.claim->ratio, summary.ratio);
  EXPECT_THAT(decisions(study), ElementsAre("self-test -1 accept", "duel 1 reject",
                                            "duel 17 accept", "hold-out 17 accept"));
}

TEST(AcceptanceStudy, TheClaimRestsOnNewDataAlone) {
  // In its duel the candidate is 20 % better, in the hold-out 10 %.
  StudyDriver study(claiming(command_problem(12)));
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    const bool held_out = in != nullptr && in->purpose == Purpose::kHoldOut;
    study.cost = [held_out](int x, std::size_t) { return x != 4 ? 1.0 : held_out ? 0.9 : 0.8; };
    return study.answer(order);
  };
  study.run();
  EXPECT_NEAR(summary_of(study).ratio, 0.9, 0.002);
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 0.8, 0.002);
}

TEST(AcceptanceStudy, WhatTheHoldOutDoesNotConfirmIsNotAccepted) {
  StudyDriver study(claiming(command_problem(12)), 2);
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    const bool held_out = in != nullptr && in->purpose == Purpose::kHoldOut;
    study.cost = [held_out](int x, std::size_t) { return x == 4 && !held_out ? 0.8 : 1.0; };
    return study.answer(order);
  };
  study.run();
  EXPECT_THAT(decisions(study),
              ElementsAre("self-test -1 accept", "duel 4 accept", "hold-out 4 reject"));
  const StudySummary summary = summary_of(study);
  EXPECT_FALSE(summary.accepted);
  EXPECT_TRUE(summary.won_duels);
  EXPECT_NEAR(summary.ratio, 1, 0.002);
  EXPECT_THAT(summary.reason, StartsWith("the hold-out did not confirm it: "));
}

// A program that crashes from its so manieth start on.
TEST(AcceptanceStudy, WhereTheWinnerFailsItsHoldOutTheNextBestIsConfirmed) {
  StudyDriver study(claiming(fakes::host_problem(12)), 2, 2);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : x == 7 ? 0.85 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    JobEnded end = study.answer(order);
    if (in == nullptr || in->purpose != Purpose::kHoldOut) return end;
    if (fakes::x_of(order.evaluation().configuration) == 4) {
      end.report.outcome = search::WrongResult{"y", 0, 1, 2, 1, 0.1};
    }
    return end;
  };
  study.run();
  EXPECT_THAT(decisions(study),
              ElementsAre("self-test -1 accept", "duel 4 accept", "hold-out 4 reject",
                          "duel 7 accept", "hold-out 7 accept"));
  const StudySummary summary = summary_of(study);
  EXPECT_TRUE(summary.accepted) << summary.reason;
  EXPECT_EQ(summary.best->trial, study.explored(7).proposed.id);
  EXPECT_NEAR(study.observer.last.incumbent_ratio.value(), 0.85, 0.002);
  ASSERT_TRUE(study.observer.last.claim);
}

TEST(AcceptanceStudy, WhereAllFailTheirHoldOutsTheFirstIsToldOfByItsDuel) {
  StudyDriver study(claiming(command_problem(12)));
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : x == 7 ? 0.85 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    JobEnded end = study.answer(order);
    if (in == nullptr || in->purpose != Purpose::kHoldOut) return end;
    if (!order.evaluation().configuration.is_baseline()) {
      end.report.outcome = search::LaunchFailed{"no more"};
    }
    return end;
  };
  study.run();
  const StudySummary summary = summary_of(study);
  EXPECT_FALSE(summary.accepted);
  EXPECT_EQ(summary.best->trial, study.explored(4).proposed.id);
  EXPECT_NEAR(summary.ratio, 0.8, 0.002);
  EXPECT_THAT(summary.reason, HasSubstr("the candidate failed while it was confirmed"));
  EXPECT_THAT(summary.reason, HasSubstr("nor 1 that won duels after it"));
  EXPECT_TRUE(summary.failed_when_confirmed);
  EXPECT_FALSE(study.observer.last.incumbent_ratio);
}

TEST(AcceptanceStudy, WhoReignsAgainIsShownWithItsClaim) {
  search::Problem problem = claiming(command_problem(12));
  problem.budget.trials = 6;
  StudyDriver first(problem);
  first.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  first.run();
  ASSERT_TRUE(first.observer.last.claim);
  problem.budget.trials = 12;
  StudyDriver second(problem);
  second.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : x == 7 ? 0.6 : 1.0; };
  second.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(second, order);
    JobEnded end = second.answer(order);
    const bool held_out = in != nullptr && in->purpose == Purpose::kHoldOut;
    if (held_out && fakes::x_of(order.evaluation().configuration) == 7) {
      end.report.outcome = search::LaunchFailed{"no more"};
    }
    return end;
  };
  second.resume(first.journal.history);
  EXPECT_THAT(decisions(second),
              ElementsAre("self-test -1 accept", "duel 4 accept", "hold-out 4 accept",
                          "duel 7 accept", "hold-out 7 reject"));
  ASSERT_TRUE(second.observer.last.claim);
  EXPECT_EQ(second.observer.last.claim->ratio, first.observer.last.claim->ratio);
  EXPECT_NEAR(second.observer.last.incumbent_ratio.value(), 0.8, 0.002);
}

TEST(AcceptanceStudy, WhatFailsInItsDuelIsToldAsFailed) {
  StudyDriver study(claiming(command_problem(12)));
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    JobEnded end = study.answer(order);
    const ConfirmationSetup* in = confirmation_of(study, order);
    if (in == nullptr || fakes::x_of(order.evaluation().configuration) != 4) return end;
    end.report.outcome = search::LaunchFailed{"no more"};
    return end;
  };
  study.run();
  const StudySummary summary = summary_of(study);
  EXPECT_FALSE(summary.accepted);
  EXPECT_TRUE(summary.failed_when_confirmed) << summary.reason;
}

TEST(AcceptanceStudy, WithoutHoldOutsTheDuelsAreTheClaim) {
  StudyDriver study(command_problem(12));
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.run();
  const StudySummary summary = summary_of(study);
  EXPECT_TRUE(summary.accepted);
  EXPECT_NEAR(summary.ratio, 0.8, 0.002);
  EXPECT_FALSE(study.observer.last.claim);
}

TEST(AcceptanceStudy, ARecordedDeviceNeedsNoSelfTest) {
  StudyDriver study(claiming(fakes::recorded_problem(12)));
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.run();
  EXPECT_THAT(decisions(study), ElementsAre("duel 4 accept", "hold-out 4 accept"));
}

// --- Devices ---

TEST(AcceptanceStudy, EveryDeviceTakesPartInTheSelfTestThatComesFirst) {
  StudyDriver study(claiming(command_problem(5)), 3);
  study.run();
  const History& history = study.journal.history;
  ASSERT_FALSE(history.confirmations.empty());
  EXPECT_EQ(history.confirmations[0].purpose, Purpose::kSelfTest);
  EXPECT_THAT(history.confirmations[0].devices,
              ElementsAre("node/fake:0", "node/fake:1", "node/fake:2"));
  std::map<std::string, int> evaluations;
  for (const TrialRecord& t : history.trials) {
    if (t.proposed.confirmation.value == 1) ++evaluations[t.proposed.device];
  }
  for (const auto& [device, count] : evaluations) EXPECT_EQ(count, 32) << device;
}

TEST(AcceptanceStudy, EveryDeviceThatIsThereTakesPartInTheHoldOut) {
  StudyDriver study(claiming(command_problem(12)), 6);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.run();
  EXPECT_EQ(study.journal.history.confirmations[1].devices.size(), 4U) << "a duel";
  EXPECT_EQ(study.journal.history.confirmations[2].devices.size(), 6U);
}

// What it had in hand is asked of it again once it is lost, and nobody else can answer.
TEST(AcceptanceStudy, ADuelGoesOnWithTheDevicesThatAreThere) {
  StudyDriver study(command_problem(40), 2);
  int evaluations = 0;
  bool is_away = false;
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    const bool duels = confirmation_of(study, order) != nullptr;
    if (duels && order.device == 1 && !is_away && ++evaluations == 5) {
      is_away = true;
      done.report.outcome = search::DeviceLost{"its link has ended"};
      study.pool.injected.push_back(DeviceAway{1, "node1 is away"});
      study.pool.timed.emplace_back(study.pool.seconds() + 75, DeviceBack{1});
    }
    return done;
  };
  const double began = study.pool.seconds();
  study.run();
  ASSERT_THAT(decisions(study), ElementsAre("duel 4 undecided", "duel 4 accept"));
  EXPECT_THAT(study.journal.history.confirmations[1].devices, ElementsAre("node/fake:0"));
  EXPECT_LT(study.pool.seconds() - began, 75);
  EXPECT_TRUE(study.pool.retired.empty());
  EXPECT_EQ(study.journal.history.status, "completed");
}

TEST(AcceptanceStudy, ADeviceThatIsBackProvesItselfAndTakesPart) {
  StudyDriver study(claiming(command_problem(60)), 2);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.pool.timed.emplace_back(study.pool.seconds() + 0.1, DeviceAway{1, "node1 is away"});
  study.pool.timed.emplace_back(study.pool.seconds() + 0.4, DeviceBack{1});
  std::size_t before = 0;
  bool was_away = false;
  std::vector<Job> after;
  study.pool.on_measure = [&](const Job& order) {
    was_away = was_away || study.pool.away.contains(1);
    if (order.device == 1) (was_away ? after.push_back(order) : void(++before));
    return study.answer(order);
  };
  study.run();
  EXPECT_GT(before, 0U);
  ASSERT_GT(after.size(), 1U);
  EXPECT_TRUE(after.front().evaluation().configuration.is_baseline());
  EXPECT_EQ(study.journal.history.confirmations.back().devices.size(), 2U);
}

TEST(AcceptanceStudy, AStudyWhoseDevicesAreAllAwayWaits) {
  StudyDriver study(claiming(command_problem(20)), 2);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  const double began = study.pool.seconds();
  for (const DeviceIndex d : {0U, 1U}) {
    study.pool.timed.emplace_back(began + 0.15, DeviceAway{d, "it is away"});
  }
  study.pool.timed.emplace_back(began + 60, DeviceBack{1});
  study.run();
  EXPECT_GT(study.pool.seconds() - began, 60);
  EXPECT_EQ(study.observer.last.measured, 20U);
  EXPECT_EQ(study.journal.history.status, "completed");
  ASSERT_FALSE(study.observer.verdicts.empty());
  EXPECT_THAT(study.observer.setups.back().devices, ElementsAre("node/fake:1"));
}

TEST(AcceptanceStudy, ADeviceLostInADuelLeavesItUndecidedAndItIsRepeatedOnNewData) {
  StudyDriver study(command_problem(12), 2);
  int evaluations = 0;
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    JobEnded done = study.answer(order);
    if (confirmation_of(study, order) != nullptr && ++evaluations == 5) {
      study.pool.injected.push_back(DeviceFailed{1, "fell off the bus"});
    }
    return done;
  };
  study.run();
  EXPECT_THAT(decisions(study), ElementsAre("duel 4 undecided", "duel 4 accept"));
  EXPECT_THAT(study.journal.history.confirmations[1].devices, ElementsAre("node/fake:0"));
  for (const Job& order : study.pool.measured) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    if (in != nullptr && in->id.value == 2) {
      EXPECT_EQ(order.device, 0U);
    }
  }
}

TEST(AcceptanceStudy, AFailedSelfTestDistrustsTheDevices) {
  StudyDriver study(claiming(command_problem(12)), 2);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    const bool candidate =
        study.journal.history.trials[order.trial.value - 1].proposed.arm == Arm::kCandidate;
    JobEnded done = study.answer(order);
    for (double& value :
         std::get<search::Measured>(done.report.outcome).measurement.figures[0].values) {
      if (candidate) value *= 1.05;
    }
    return done;
  };
  study.run();
  EXPECT_THAT(decisions(study), ElementsAre("self-test -1 reject", "self-test -1 reject"));
  EXPECT_EQ(study.observer.last.evaluations, 12U) << "it goes on exploring";
  EXPECT_THAT(study.observer.remarks,
              Contains(StartsWith("nothing is accepted: the self-test failed twice: ")));
  const StudySummary summary = summary_of(study);
  EXPECT_FALSE(summary.accepted);
  EXPECT_THAT(summary.distrust, StartsWith("the self-test failed twice: "));
  EXPECT_THAT(summary.reason, StartsWith("nothing was accepted: the self-test failed twice: the "
                                         "same configuration differs from itself by "));
}

TEST(AcceptanceStudy, ASelfTestThatIsDisturbedIsRepeatedLongerAndTheStudyGoesOn) {
  for (const std::uint64_t disturbed_tests : {1, 2}) {
    StudyDriver study(claiming(command_problem(12)));
    study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
    study.pool.on_measure = [&](const Job& order) {
      const ConfirmationSetup* in = confirmation_of(study, order);
      JobEnded done = study.answer(order);
      if (in != nullptr && in->id.value <= disturbed_tests) {
        std::get<search::Measured>(done.report.outcome).measurement.disturbance = "throttled";
      }
      return done;
    };
    study.run();
    const std::vector<ConfirmationSetup>& setups = study.journal.history.confirmations;
    ASSERT_GE(setups.size(), 2U);
    EXPECT_EQ(setups[1].pairs, 2 * setups[0].pairs);
    const StudySummary summary = summary_of(study);
    if (disturbed_tests == 1) {
      EXPECT_THAT(decisions(study), ElementsAre("self-test -1 undecided", "self-test -1 accept",
                                                "duel 4 accept", "hold-out 4 accept"));
      EXPECT_TRUE(summary.accepted);
    } else {
      EXPECT_THAT(decisions(study),
                  ElementsAre("self-test -1 undecided", "self-test -1 undecided"));
      EXPECT_FALSE(summary.accepted);
      EXPECT_THAT(summary.distrust, StartsWith("the self-test was undecided twice: "));
      EXPECT_THAT(summary.distrust, HasSubstr("throttled"));
    }
  }
}

search::Problem with_canary(int x) {
  search::Problem problem = claiming(command_problem(12));
  problem.acceptance.self_test_pairs = 0;
  problem.acceptance.canary = search::Configuration({{"x", std::int64_t{x}}});
  return problem;
}

TEST(AcceptanceStudy, ACanaryMustBeSlower) {
  const auto cost = [](int x, std::size_t) { return x == 4 ? 0.8 : x == 11 ? 1.3 : 1.0; };
  StudyDriver sound(with_canary(11));
  sound.cost = cost;
  sound.run();
  EXPECT_THAT(decisions(sound),
              ElementsAre("canary -1 accept", "duel 4 accept", "hold-out 4 accept"));
  int canary_evaluations = 0;
  for (const Job& order : sound.pool.measured) {
    const ConfirmationSetup* in = confirmation_of(sound, order);
    if (in == nullptr || in->purpose != Purpose::kCanary) continue;
    canary_evaluations += fakes::x_of(order.evaluation().configuration) == 11 ? 1 : 0;
  }
  EXPECT_EQ(canary_evaluations, sound.journal.history.confirmations[0].pairs);

  StudyDriver deaf(with_canary(10));
  deaf.cost = cost;
  deaf.run();
  EXPECT_THAT(decisions(deaf), ElementsAre("canary -1 reject"));
  EXPECT_THAT(summary_of(deaf).reason, HasSubstr("the parameters may not reach the kernel"));
}

TEST(AcceptanceStudy, ACanaryThatIsUndecidedIsRepeatedOnce) {
  search::Problem problem = with_canary(11);
  StudyDriver study(problem, 2);
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : x == 11 ? 1.3 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    if (confirmation_of(study, order) != nullptr && study.pool.retired.empty()) {
      study.pool.injected.push_back(DeviceFailed{1, "gone"});
    }
    return study.answer(order);
  };
  study.run();
  EXPECT_THAT(decisions(study), ElementsAre("canary -1 undecided", "canary -1 accept",
                                            "duel 4 accept", "hold-out 4 accept"));
  EXPECT_TRUE(summary_of(study).accepted);
}

TEST(AcceptanceStudy, ACanaryOutsideTheSpaceEndsTheStudy) {
  StudyDriver study(with_canary(99));
  try {
    study.run();
    FAIL() << "the study went on";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the canary is no configuration of the space: {\"x\": 99}"));
  }
}

// --- Drift ---

// A study whose devices become `step` times as slow after so many events.
std::vector<std::string> decided_with(int after, double step) {
  StudyDriver study(claiming(command_problem(40)), 2);
  const auto begin = study.clock.now();
  study.cost = [&study, begin, after, step](int x, std::size_t) {
    const std::chrono::duration<double> age = study.clock.now() - begin;
    const double level = age.count() > 0.01 * after ? step : 1;
    return level * (x == 7 ? 0.85 : x == 31 ? 0.7 : 1.0);
  };
  study.run();
  return decisions(study);
}

TEST(AcceptanceStudy, AStepOfFivePerCentChangesNoDecision) {
  const std::vector<std::string> undisturbed = decided_with(0, 1);
  EXPECT_THAT(undisturbed, ElementsAre("self-test -1 accept", "duel 7 accept", "duel 31 accept",
                                       "hold-out 31 accept"));
  for (int after = 1; after < 240; after += 5) {
    EXPECT_EQ(decided_with(after, 1.05), undisturbed) << "slower after " << after;
    EXPECT_EQ(decided_with(after, 1 / 1.05), undisturbed) << "faster after " << after;
  }
}

TEST(AcceptanceStudy, AStepIsNoGain) {
  for (int after = 5; after < 200; after += 15) {
    StudyDriver study(claiming(command_problem(60)), 2);
    const auto begin = study.clock.now();
    study.cost = [&study, begin, after](int, std::size_t) {
      const std::chrono::duration<double> age = study.clock.now() - begin;
      return age.count() > 0.01 * after ? 0.95 : 1.0;
    };
    study.run();
    EXPECT_FALSE(summary_of(study).won_duels) << after;
  }
}

TEST(AcceptanceStudy, ALevelThatMovesIsRemarkedAndTheDeviceChecked) {
  search::Problem problem = command_problem(60);
  problem.scheduling.normalisation = search::Normalisation::kEach;
  StudyDriver study(problem);
  study.cost = [&study](int, std::size_t) { return study.pool.measured.size() > 60 ? 1.05 : 1.0; };
  study.run();
  EXPECT_THAT(study.observer.remarks,
              Contains(StartsWith("the baseline on node/fake:0 seems to have moved to 1.051 ms")));
  // Two baselines in a row: the one that showed it, and the check.
  const auto& trials = study.journal.history.trials;
  bool checked = false;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    checked |= trials[i].proposed.job == JobKind::kRebaseline &&
               trials[i - 1].proposed.job == JobKind::kRebaseline;
  }
  EXPECT_TRUE(checked);

  StudyDriver calm(problem);
  calm.run();
  EXPECT_TRUE(calm.observer.remarks.empty());
}

// --- Normalisation ---

TEST(Normalisation, EachMeasuresTheBaselineBeforeEveryTrial) {
  search::Problem problem = command_problem(6);
  problem.scheduling.normalisation = search::Normalisation::kEach;
  StudyDriver study(problem);
  study.run();
  std::vector<JobKind> jobs;
  for (const TrialRecord& t : study.journal.history.trials) jobs.push_back(t.proposed.job);
  int baselines = 0, explorations = 0;
  for (const Job& order : study.pool.measured) {
    const bool baseline = order.evaluation().configuration.is_baseline();
    baselines += baseline ? 1 : 0;
    explorations += baseline ? 0 : 1;
    EXPECT_GE(baselines, explorations);
  }
  EXPECT_EQ(explorations, 6);
  EXPECT_EQ(baselines, 6);
}

TEST(Normalisation, GivenScoresAgainstTheFigureThatIsGiven) {
  search::Problem problem = command_problem(4);
  problem.scheduling.normalisation = search::Normalisation::kGiven;
  problem.scheduling.given_baseline = 2.5;
  StudyDriver study(problem);
  study.run();
  for (const auto& [x, told] : study.searcher.told) {
    EXPECT_NEAR(told.score->value, 0.4, 0.001) << x;
  }
  EXPECT_THAT(decisions(study), Each(::testing::EndsWith("reject")))
      << "what is accepted is better than the baseline, not than that figure";
}

TEST(Normalisation, NoneScoresAgainstTheFirstBaseline) {
  search::Problem problem = command_problem(10);
  problem.scheduling.normalisation = search::Normalisation::kNone;
  StudyDriver study(problem, 2);
  study.cost = [](int, std::size_t device) { return device == 0 ? 1.0 : 1.5; };
  study.run();
  int slow = 0;
  for (const TrialRecord& t : study.journal.history.trials) {
    if (t.proposed.job != JobKind::kExplore) continue;
    const bool second = t.finished->device == "node/fake:1";
    slow += second ? 1 : 0;
    EXPECT_NEAR(t.finished->normalised->value, second ? 1.5 : 1.0, 0.005);
  }
  EXPECT_GT(slow, 2);
}

// --- What is asked of the evaluator ---

// Orders of confirmations by what they are for and by their block of rounds.
struct BlockOrders {
  std::map<std::pair<std::uint64_t, int>, std::set<std::uint64_t>>
      seeds;  // by confirmation (0: none), block
  std::map<Purpose, std::map<std::tuple<std::uint64_t, int, std::string>, int>>
      processes;  // started in the first round, by confirmation, block, device
  int fresh_later = 0;
};
BlockOrders orders_of(const StudyDriver& study) {
  BlockOrders found;
  const History& history = study.journal.history;
  for (const Job& order : study.pool.measured) {
    const ProposedTrial& trial = history.trials.at(order.trial.value - 1).proposed;
    if (trial.job == JobKind::kExplore) found.seeds[{0, 0}].insert(order.evaluation().seed);
    if (trial.job != JobKind::kConfirm) continue;
    const Purpose purpose = history.confirmations.at(trial.confirmation.value - 1).purpose;
    const bool by_pair = purpose == Purpose::kHoldOut && has_processes_for_each_pair(study.problem);
    const int rounds = by_pair ? 1 : Confirmation::kRoundsOfBlock;
    const int block = trial.round / rounds;
    found.seeds[{trial.confirmation.value, block}].insert(order.evaluation().seed);
    if (trial.round % rounds == 0) {
      found.processes[purpose][{trial.confirmation.value, block, trial.device}] +=
          order.fresh_process ? 1 : 0;
    } else {
      found.fresh_later += order.fresh_process ? 1 : 0;
    }
  }
  return found;
}

TEST(Orders, EveryBlockOfRoundsAndEveryPairOfAClaimHasInputsAndProcessesOfItsOwn) {
  StudyDriver study(claiming(fakes::host_problem(5)), 1, 2);
  study.cost = [](int x, std::size_t) { return 1 - 0.05 * x; };
  study.run();
  const BlockOrders orders = orders_of(study);
  ASSERT_GT(orders.seeds.size(), 2U);
  std::set<std::uint64_t> all;
  for (const auto& [block, seeds] : orders.seeds) {
    EXPECT_EQ(seeds.size(), 1U) << "both arms of a pair have the same inputs";
    all.insert(seeds.begin(), seeds.end());
  }
  EXPECT_EQ(all.size(), orders.seeds.size());
  for (const auto& [purpose, processes] : orders.processes) {
    EXPECT_THAT(processes, Each(::testing::Pair(::testing::_, 2))) << "one for each arm";
  }
  EXPECT_EQ(orders.fresh_later, 0);
}

TEST(Orders, OnGpusTheClaimAloneHasProcessesOfItsOwnOneForBothArms) {
  search::Problem problem = claiming(fakes::host_problem(5));
  problem.backend = search::CudaBackend{};
  problem.target = search::Target::kGpus;
  StudyDriver study(problem, 1, 2);
  study.cost = [](int x, std::size_t) { return 1 - 0.05 * x; };
  study.run();
  const BlockOrders orders = orders_of(study);
  ASSERT_TRUE(orders.processes.contains(Purpose::kDuel));
  ASSERT_TRUE(orders.processes.contains(Purpose::kHoldOut));
  for (const auto& [purpose, processes] : orders.processes) {
    const int each = purpose == Purpose::kHoldOut ? 1 : 0;
    EXPECT_THAT(processes, Each(::testing::Pair(::testing::_, each)));
  }
  EXPECT_EQ(orders.fresh_later, 0);
}

TEST(Orders, OnlyExplorationsAreGivenUpAndOnlyTheyAreMeasuredToAPrecision) {
  search::Problem problem = claiming(command_problem(24));
  problem.sampling.precision = 0.005;
  problem.sampling.give_up_ratio = 3;
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return 10 * (x == 4 ? 0.8 : 1.0); };
  study.run();
  std::map<JobKind, int> seen;
  double least = 1e9, most = 0;
  for (const Job& order : study.pool.measured) {
    const JobKind job = study.journal.history.trials[order.trial.value - 1].proposed.job;
    ++seen[job];
    if (job == JobKind::kExplore) {
      EXPECT_EQ(order.evaluation().sampling.precision, 0.005);
      least = std::min(least, order.evaluation().give_up_above);
      most = std::max(most, order.evaluation().give_up_above);
    } else {
      EXPECT_EQ(order.evaluation().sampling.precision, 0) << search::name_of(job);
      EXPECT_EQ(order.evaluation().give_up_above, 0) << search::name_of(job);
    }
  }
  EXPECT_EQ(seen.size(), 4U) << "baseline, exploration, visit, baseline again";
  EXPECT_NEAR(most, 30, 0.1) << "three times the baseline";
  EXPECT_NEAR(least, 24, 0.1) << "three times the incumbent";
}

// --- Budget ---

search::Problem timed(double seconds) {
  search::Problem problem = claiming(command_problem(10000));
  problem.budget = {};
  problem.budget.seconds = seconds;
  return problem;
}

TEST(TimeBudget, LeavesRoomForTheHoldOut) {
  StudyDriver study(timed(5));
  study.cost = [](int x, std::size_t) { return x == 4 ? 0.8 : 1.0; };
  study.run();
  EXPECT_EQ(decisions(study).back(), "hold-out 4 accept");
  EXPECT_TRUE(summary_of(study).accepted);
  EXPECT_LT(study.observer.last.elapsed, 5.1);
}

TEST(TimeBudget, AHoldOutThatItCutShortIsMadeWhereTheStudyIsResumedWithMore) {
  const auto script = [](StudyDriver& study, double seconds_of_hold_out) {
    study.pool.seconds_per_event = 0;
    study.cost = [&study, seconds_of_hold_out](int x, std::size_t) {
      const auto& confirmations = study.journal.history.confirmations;
      const bool holds_out =
          !confirmations.empty() && confirmations.back().purpose == Purpose::kHoldOut;
      study.clock.advance(holds_out ? seconds_of_hold_out : 0.05);
      return x == 2 ? 0.7 : 1.0;
    };
  };
  StudyDriver first(timed(4));
  script(first, 5);
  first.run();
  EXPECT_EQ(decisions(first).back(), "hold-out 2 undecided");
  EXPECT_FALSE(summary_of(first).accepted);
  StudyDriver again(timed(30));
  script(again, 10);
  again.resume(first.journal.history);
  EXPECT_EQ(decisions(again).back(), "hold-out 2 undecided") << "cut short again";
  StudyDriver third(timed(200));
  script(third, 0.05);
  third.resume(again.journal.history);
  EXPECT_EQ(decisions(third).back(), "hold-out 2 accept");
  EXPECT_TRUE(summary_of(third).accepted);
}

TEST(TimeBudget, ADuelThatRunsWhenTheTimeIsUpIsAbandonedAndTheHoldOutStillMade) {
  search::Problem problem = timed(3);
  StudyDriver study(problem);
  study.cost = [&study](int x, std::size_t) {
    // Since its duel began everything takes so long that there is no time for the first look.
    const bool fights = study.journal.history.confirmations.size() == 3;
    study.pool.seconds_per_event = fights ? 0.2 : 0.01;
    return x == 4 ? 0.8 : x == 40 ? 0.72 : 1.0;
  };
  study.run();
  const std::vector<std::string> all = decisions(study);
  EXPECT_THAT(all, Contains("duel 4 accept"));
  ASSERT_THAT(all, Contains("duel 40 undecided"));
  EXPECT_EQ(all.back(), "hold-out 4 accept");
  for (const ConfirmationVerdict& v : study.journal.history.verdicts) {
    if (!std::holds_alternative<search::Undecided>(v.verdict.acceptance)) continue;
    EXPECT_EQ(search::reason_of(v.verdict.acceptance),
              "what is left of the time is kept for the hold-out");
  }
}

// A baseline of 1.4 s, of which a self-test of two pairs would take 6, and what is 47 times as
// fast.
TEST(TimeBudget, ALandslideIsClaimedWithinTenEvaluationsOfTheBaseline) {
  for (const double gain : {47.0, 1.0}) {
    search::Problem problem = claiming(command_problem(3));
    problem.budget = {};
    problem.budget.seconds = 15;
    StudyDriver study(problem);
    study.pool.seconds_per_event = 0;
    study.cost = [&](int x, std::size_t) {
      const double cost = x == 1 ? 1.4 / gain : 1.4;
      study.clock.advance(cost);
      return cost;
    };
    study.run();
    EXPECT_EQ(summary_of(study).accepted, gain > 1);
    if (gain > 1) {
      EXPECT_THAT(decisions(study), ElementsAre("duel 1 accept", "hold-out 1 accept"));
    }
    EXPECT_LT(study.observer.last.elapsed, 15 + 1.4);
  }
}

TEST(TimeBudget, AHangingBaselineEndsWithTheBudgetAndASlowOneHasTenSeconds) {
  for (const auto& [budget, patience] : {std::pair(4.0, 10.25), std::pair(100.0, 100.25)}) {
    StudyDriver study(timed(budget));
    study.run();
    EXPECT_DOUBLE_EQ(study.pool.measured.front().evaluation().patience, patience);
  }
  StudyDriver endless(claiming(command_problem(3)));
  endless.run();
  EXPECT_EQ(endless.pool.measured.front().evaluation().patience, 0);
}

// Seven pairs show any gain to a hold-out: twenty-five evaluations leave no duel the time for its
// first look, and then the fewest of a hold-out.
TEST(TimeBudget, WhereThereIsTimeForAHoldOutAloneItJudgesTheBest) {
  int claimed = 0, luck = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double gain : {0.7, 1.0}) {
      search::Problem problem = timed(5);
      problem.scheduling.seed = seed;
      StudyDriver study(problem);
      study.pool.seconds_per_event = 0;
      base::Rng rng(seed);
      study.cost = [&](int x, std::size_t) {
        const double cost = 0.2 * (x == 2 ? gain : 1) * std::exp(0.03 * rng.normal());
        study.clock.advance(cost);
        return cost;
      };
      study.run();
      (gain < 1 ? claimed : luck) += summary_of(study).accepted ? 1 : 0;
      EXPECT_LT(study.observer.last.elapsed, 5.8) << seed;
    }
  }
  EXPECT_GE(claimed, 15);
  EXPECT_EQ(luck, 0);
}

// The last evaluation of a hold-out is cut off by the end of the time: its pair is void, and the
// others are judged.
TEST(TimeBudget, WhatTheEndOfTheTimeCutsOffIsNobodysFailure) {
  search::Problem problem = timed(12);
  StudyDriver study(problem);
  study.pool.seconds_per_event = 0;
  base::Rng rng(1);
  study.cost = [&](int x, std::size_t) {
    const double cost = 0.2 * (x == 2 ? 0.6 : 1) * std::exp(0.02 * rng.normal());
    study.clock.advance(cost);
    return cost;
  };
  int cut = 0;
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    const auto& asked = order.evaluation();
    const bool is_late = in != nullptr && in->purpose == Purpose::kHoldOut && asked.left > 0 &&
                         asked.left < 1.2 && !asked.configuration.is_baseline();
    JobEnded end = study.answer(order);
    if (!is_late) return end;
    ++cut;
    study.clock.advance(asked.left);
    end.report.outcome = search::TimedOut{search::Phase::kMeasure, asked.left, false};
    return end;
  };
  study.run();
  ASSERT_GT(cut, 0);
  const StudySummary summary = summary_of(study);
  EXPECT_TRUE(summary.accepted) << summary.reason;
  EXPECT_EQ(summary.failed_confirmed, 0U);
  EXPECT_FALSE(summary.failed_when_confirmed);
}

TEST(TimeBudget, ABaselineThatUsesItUpIsNotTriedAgain) {
  StudyDriver study(timed(4));
  study.pool.on_measure = [&](const Job& order) {
    JobEnded end = study.answer(order);
    const double patience = order.evaluation().patience;
    study.clock.advance(patience);
    end.report.outcome = search::TimedOut{search::Phase::kMeasure, patience, false};
    return end;
  };
  EXPECT_THROW(study.run(), StudyError);
  EXPECT_EQ(study.pool.measured.size(), 1U);
}

// Nothing of it is a landslide, and a quarter of the budget has no room for seven pairs.
TEST(TimeBudget, AClearGainOfFewLongEvaluationsIsClaimed) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    search::Problem problem = claiming(command_problem(6));
    problem.budget = {};
    problem.budget.seconds = 10;
    problem.scheduling.seed = seed;
    StudyDriver study(problem);
    study.pool.seconds_per_event = 0;
    base::Rng rng(seed);
    study.cost = [&](int x, std::size_t) {
      const double cost = (x == 2 ? 0.12 : 0.2) * std::exp(0.02 * rng.normal());
      study.clock.advance(cost);
      return cost;
    };
    study.run();
    const StudySummary summary = summary_of(study);
    EXPECT_TRUE(summary.accepted) << seed << ": " << summary.reason;
    EXPECT_LT(study.observer.last.elapsed, 10.5) << seed;
  }
}

// The first evaluation on a device may wait for its driver: what follows is as short as it is.
TEST(TimeBudget, ASlowFirstBaselineLeavesTheTimeForASelfTestAndAClaim) {
  for (const int size : {3, 30}) {
    search::Problem problem = claiming(command_problem(size));
    problem.budget = {};
    problem.budget.seconds = 60;
    StudyDriver study(problem);
    study.pool.seconds_per_event = 0;
    base::Rng rng(1);
    bool is_first = true;
    study.cost = [&](int x, std::size_t) {
      study.clock.advance(std::exchange(is_first, false) ? 4.5 : 0.2);
      return (x == 2 ? 0.93 : 1.0) * std::exp(0.01 * rng.normal());
    };
    study.run();
    EXPECT_THAT(decisions(study), Contains(HasSubstr("self-test"))) << size;
    EXPECT_TRUE(summary_of(study).accepted) << size << ": " << summary_of(study).reason;
  }
}

TEST(TimeBudget, WhatGainsLessThanIsAskedForIsSaidToBeSo) {
  StudyDriver study(timed(30));
  study.cost = [](int x, std::size_t) { return x < 0 ? 1.0 : x == 2 ? 0.998 : 1.01; };
  study.run();
  EXPECT_FALSE(summary_of(study).accepted);
  EXPECT_THAT(summary_of(study).reason, HasSubstr("acceptance.min_improvement"));
}

// The share of the measured time that duels had had when each pair of theirs was begun, on one
// device, for as long as more was explored for sure: at most a quarter of the time is kept for the
// end.
std::vector<double> shares_at_pairs(const StudyDriver& study, double until) {
  const History& history = study.journal.history;
  const auto fights = [&](const ProposedTrial& trial) {
    const auto id = trial.confirmation.value;
    return id != 0 && history.confirmations[id - 1].purpose == Purpose::kDuel;
  };
  std::vector<double> shares;
  std::pair<std::uint64_t, int> last_round;
  double measured = 0, in_duels = 0, now = 0;
  for (const HistoryEvent& event : history.events) {
    if (const auto* ended = std::get_if<FinishedEvent>(&event)) {
      const TrialRecord& trial = history.trials[ended->trial];
      const double seconds = trial.finished->finished - trial.finished->started;
      measured += seconds;
      now += seconds;
      if (fights(trial.proposed)) in_duels += seconds;
    } else if (const auto* begun = std::get_if<ProposedEvent>(&event)) {
      const ProposedTrial& trial = history.trials[begun->trial].proposed;
      const std::pair round(trial.confirmation.value, trial.round);
      if (fights(trial) && round != last_round && now < until)
        shares.push_back(in_duels / measured);
      if (fights(trial)) last_round = round;
    }
  }
  return shares;
}

// A study of one minute on a device whose evaluations, of 30 ms, scatter by 3 %.
std::unique_ptr<StudyDriver> noisy_minute(double share, search::Budget budget) {
  search::Problem problem = timed(60);
  problem.budget = budget;
  problem.acceptance.duel_share = share;
  problem.acceptance.test = search::DuelTest::kGroupSequential;  // its duels are longer
  auto study = std::make_unique<StudyDriver>(problem);
  study->pool.seconds_per_event = 0.03;
  study->cost = noisy([](int x) { return 1 - 0.0004 * (x % 50); }, 0.03, 5);
  study->run();
  return study;
}

TEST(TimeBudget, DuelsTakeTheirShareOfItAndNoMore) {
  search::Budget minute;
  minute.seconds = 60;
  const auto limited = noisy_minute(0.35, minute);
  const auto free = noisy_minute(1, minute);
  const std::vector<double> shares = shares_at_pairs(*limited, 45);
  ASSERT_GE(shares.size(), 100U);
  EXPECT_THAT(shares, Each(::testing::Lt(0.35)));
  EXPECT_GT(std::ranges::max(shares_at_pairs(*free, 45)), 0.5) << "the limit has something to do";
  EXPECT_GT(limited->observer.last.evaluations, free->observer.last.evaluations);
}

TEST(TimeBudget, AShareOfNoneLeavesTheDuelsForTheEnd) {
  search::Budget minute;
  minute.seconds = 60;
  const auto study = noisy_minute(0, minute);
  EXPECT_THAT(shares_at_pairs(*study, 45), ::testing::IsEmpty());
  EXPECT_THAT(decisions(*study), Contains(StartsWith("duel ")));
}

TEST(TimeBudget, ABudgetOfConfigurationsLosesNoneToDuels) {
  search::Budget count;
  count.trials = 400;
  const auto limited = noisy_minute(0.35, count);
  const auto free = noisy_minute(1, count);
  EXPECT_EQ(decisions(*limited), decisions(*free));
  EXPECT_EQ(limited->observer.last.evaluations, 400U);
}

TEST(TimeBudget, OfARecordingItIsTheSimulatedTimeThatDuelsShare) {
  // The fake device takes 0.01 simulated seconds for each evaluation, whatever the clock says.
  search::Problem problem = claiming(fakes::recorded_problem(10000));
  problem.budget = {};
  problem.budget.simulated_seconds = 20;
  const auto decided = [&](double seconds_per_event) {
    StudyDriver study(problem);
    study.pool.seconds_per_event = seconds_per_event;
    study.cost = noisy([](int x) { return 1 - 0.0004 * (x % 50); }, 0.03, 5);
    study.run();
    std::vector<std::string> all = decisions(study);
    all.push_back(std::to_string(study.observer.last.evaluations) + " evaluations");
    return all;
  };
  const std::vector<std::string> usual = decided(0.01);
  EXPECT_EQ(decided(0.5), usual);
  problem.acceptance.duel_share = 1;
  EXPECT_NE(decided(0.01), usual);
}

// --- Resuming ---

void script(StudyDriver& study) {
  study.cost = [](int x, std::size_t device) {
    return (x == 3 ? 0.8 : x == 13 ? 0.7 : 1.0) * (device == 0 ? 1 : 1.07);
  };
}

TEST(AcceptanceResume, KilledAfterAnyEventAStudyDecidesAsItWouldHave) {
  const search::Problem problem = claiming(command_problem(14));
  StudyDriver undisturbed(problem, 2);
  script(undisturbed);
  undisturbed.run();
  const std::vector<std::string> expected = decisions(undisturbed);
  ASSERT_THAT(expected, ElementsAre("self-test -1 accept", "duel 3 accept", "duel 13 accept",
                                    "hold-out 13 accept"));
  const double ratio = summary_of(undisturbed).ratio;
  for (std::size_t cut = 0; cut <= undisturbed.journal.history.events.size(); ++cut) {
    StudyDriver resumed(problem, 2);
    script(resumed);
    resumed.resume(undisturbed.journal.cut(cut));
    ASSERT_EQ(decisions(resumed), expected) << "cut after event " << cut;
    const StudySummary summary = summary_of(resumed);
    EXPECT_TRUE(summary.accepted);
    EXPECT_NEAR(summary.ratio, ratio, 0.002);
    for (const ConfirmationSetup& setup : resumed.journal.history.confirmations) {
      EXPECT_EQ(setup.devices.size(), 2U) << "cut after event " << cut;
    }
  }
}

TEST(AcceptanceResume, ACutDuelRepeatsThePlanOfItsVisits) {
  const search::Problem problem = claiming(fakes::recorded_problem(14));
  StudyDriver undisturbed(problem);
  script(undisturbed);
  undisturbed.run();
  const auto evaluations = [](const StudyDriver& study) {
    std::vector<std::string> all;
    for (const TrialRecord& t : study.journal.history.trials) {
      const ProposedTrial& p = t.proposed;
      if (p.job != JobKind::kConfirm) continue;
      all.push_back(std::to_string(p.confirmation.value) + " " + std::to_string(p.round) + " " +
                    std::string(name_of(p.arm)) + " " + p.configuration.to_json());
    }
    return all;
  };
  for (std::size_t cut = 0; cut <= undisturbed.journal.history.events.size(); ++cut) {
    StudyDriver resumed(problem);
    script(resumed);
    resumed.resume(undisturbed.journal.cut(cut));
    ASSERT_EQ(evaluations(resumed), evaluations(undisturbed)) << "cut after event " << cut;
  }
}

// Evaluations have become slower since their time was kept.
TEST(AcceptanceStudy, AHoldOutThatTakesLongerThanWasKeptIsJudgedByItsPairs) {
  search::Problem problem = claiming(command_problem(1000));
  // A point of the space, so that there are finishing rounds as well.
  std::get<search::CommandBackend>(problem.backend).baseline_argv.clear();
  problem.budget = {};
  problem.budget.seconds = 6;
  problem.acceptance.self_test_pairs = 0;
  StudyDriver study(problem);
  study.cost = [](int x, std::size_t) { return x == 3 ? 0.3 : 1.0; };
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* in = confirmation_of(study, order);
    if (in != nullptr && in->purpose == Purpose::kHoldOut) study.pool.seconds_per_event = 0.02;
    return study.answer(order);
  };
  study.run();
  EXPECT_LT(study.observer.last.elapsed, 6.2);
  const StudySummary summary = summary_of(study);
  EXPECT_TRUE(summary.accepted) << summary.reason;
  EXPECT_LT(summary.devices.at(0).pairs, problem.acceptance.hold_out_least);
}

// Samples of the evaluations of each purpose in a study whose candidate 3 costs so much; 1 is what
// all others cost.
std::map<Purpose, std::set<int>> samples_by_purpose(double cost, search::TailRule tail) {
  search::Problem problem = claiming(command_problem(12));
  problem.acceptance.tail = tail;
  StudyDriver study(problem);
  study.cost = noisy([cost](int x) { return x == 3 ? cost : 1.0; }, 0.003, 5);
  std::map<Purpose, std::set<int>> samples;
  study.pool.on_measure = [&](const Job& order) {
    const ConfirmationSetup* setup = confirmation_of(study, order);
    if (setup != nullptr) samples[setup->purpose].insert(order.evaluation().sampling.samples);
    return study.answer(order);
  };
  study.run();
  EXPECT_THAT(decisions(study), Contains("duel 3 accept"));
  return samples;
}

TEST(AcceptanceStudy, EvaluationsOfADuelThatPromisesALandslideByFarAreShort) {
  using search::TailRule;
  auto far = samples_by_purpose(0.2, TailRule::kReport);
  EXPECT_THAT(far[Purpose::kDuel], ElementsAre(5)) << "both sides";
  EXPECT_THAT(far[Purpose::kSelfTest], ElementsAre(20));
  EXPECT_THAT(far[Purpose::kHoldOut], ElementsAre(20)) << "the claim is as precise as any";
  EXPECT_THAT(samples_by_purpose(0.7, TailRule::kReport)[Purpose::kDuel], ElementsAre(20));
  EXPECT_THAT(samples_by_purpose(0.2, TailRule::kReject)[Purpose::kDuel], ElementsAre(20))
      << "five samples have no tail";
}

}  // namespace
}  // namespace nightshift::scheduler
