// The small rules that the tuner is made of, each alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "scheduler/study/device_care.h"
#include "scheduler/study/lookahead.h"
#include "scheduler/study/time/budget.h"
#include "scheduler/trials/build_queue.h"
#include "scheduler/trials/retry.h"
#include "scheduler/trials/trial_queue.h"

namespace nightshift::scheduler {
namespace {

using search::JobKind;
using search::Phase;
using search::TrialId;

const search::TrialOutcome kCrash =
    search::Crashed{search::Crashed::Cause::kSignal, 11, Phase::kMeasure, ""};

bool deserves_retry(const search::TrialOutcome& outcome, const Attempt& attempt) {
  return retry_after(outcome, attempt) != Retry::kNone;
}

TEST(Retry, TheCandidatesOwnFaultsAreNeverTriedAgain) {
  for (const search::TrialOutcome& outcome :
       {search::TrialOutcome{search::BuildFailed{}}, search::TrialOutcome{search::LaunchFailed{}},
        search::TrialOutcome{search::WrongResult{}},
        search::TrialOutcome{search::TimedOut{Phase::kMeasure, 1, false}},
        search::TrialOutcome{search::Measured{}}, search::TrialOutcome{search::Skipped{}}}) {
    EXPECT_FALSE(deserves_retry(outcome, {})) << search::status_name(outcome);
  }
}

TEST(Retry, ADeathDependsOnWhatTheProcessDidBefore) {
  EXPECT_TRUE(deserves_retry(kCrash, {JobKind::kExplore, 1, 0, false, false}));
  EXPECT_FALSE(deserves_retry(kCrash, {JobKind::kExplore, 1, 0, true, false}));
  EXPECT_TRUE(deserves_retry(kCrash, {JobKind::kExplore, 1, 0, true, true}));
  EXPECT_FALSE(deserves_retry(kCrash, {JobKind::kExplore, 2, 0, false, false}));
  const search::TrialOutcome code =
      search::Crashed{search::Crashed::Cause::kExitCode, 3, Phase::kMeasure, ""};
  EXPECT_FALSE(deserves_retry(code, {JobKind::kExplore, 1, 0, true, false}));
  EXPECT_TRUE(deserves_retry(code, {JobKind::kExplore, 1, 0, false, false}));
  const search::TrialOutcome killed =
      search::Crashed{search::Crashed::Cause::kSignal, SIGKILL, Phase::kMeasure, ""};
  EXPECT_TRUE(deserves_retry(killed, {JobKind::kExplore, 1, 0, true, false})) << "by whom?";
  EXPECT_FALSE(deserves_retry(killed, {JobKind::kExplore, 2, 0, true, false}));
  EXPECT_TRUE(deserves_retry(killed, {JobKind::kConfirm, 2, 0, true, false})) << "it has worked";
  EXPECT_TRUE(deserves_retry(killed, {JobKind::kBaseline, 2, 0, true, true}));
  EXPECT_FALSE(deserves_retry(killed, {JobKind::kConfirm, 3, 0, true, true}));
}

TEST(Retry, NothingIsTriedAgainWhenTheBudgetHasEndedIt) {
  const search::TrialOutcome late = search::TimedOut{Phase::kMeasure, 10, false};
  EXPECT_TRUE(deserves_retry(late, {JobKind::kBaseline, 1, 0, true, false, false}));
  EXPECT_FALSE(deserves_retry(late, {JobKind::kBaseline, 1, 0, true, false, true}));
}

TEST(Retry, NothingCountsThatRanWhileSourcesWereOthers) {
  for (const search::TrialOutcome& outcome :
       {search::TrialOutcome{search::BuildFailed{}}, search::TrialOutcome{search::LaunchFailed{}},
        search::TrialOutcome{search::Measured{}}, kCrash}) {
    Attempt attempt{JobKind::kExplore, 2, 0, true, false};
    EXPECT_EQ(retry_after(outcome, attempt), Retry::kNone);
    attempt.other_sources = true;
    EXPECT_EQ(retry_after(outcome, attempt), Retry::kAsNew) << search::status_name(outcome);
  }
}

TEST(BuildQueue, WhatIsDisturbedIsSoUntilItBeginsAgain) {
  BuildQueue queue;
  queue.request({BuildKey::Kind::kCandidate, {7}}, TrialId{1});
  queue.disturb("too early");
  queue.next();
  EXPECT_EQ(queue.disturbance(TrialId{1}), "");
  queue.disturb("a file was gone");
  EXPECT_EQ(queue.disturbance(TrialId{1}), "a file was gone");
  queue.again(TrialId{1});
  queue.next();
  EXPECT_EQ(queue.disturbance(TrialId{1}), "");
}

// A file that it had mapped was cut short: a fresh process sees what is wrong with it.
TEST(Retry, ABusErrorIsTriedAgainWhereverItHappens) {
  const search::TrialOutcome bus =
      search::Crashed{search::Crashed::Cause::kSignal, SIGBUS, Phase::kMeasure, ""};
  for (const JobKind job : {JobKind::kExplore, JobKind::kConfirm, JobKind::kBaseline}) {
    EXPECT_TRUE(deserves_retry(bus, {job, 1, 0, true, false}));
    EXPECT_FALSE(deserves_retry(bus, {job, 2, 0, true, false})) << "then it is its own";
  }
}

TEST(Retry, AGpuNamesTheKernelThatBrokeItsContextAtOnce) {
  const auto retried_after = [](Phase phase) {
    return deserves_retry(search::Crashed{search::Crashed::Cause::kDeviceError, 700, phase, ""},
                          {JobKind::kExplore, 1, 0, false, false});
  };
  EXPECT_FALSE(retried_after(Phase::kVerify));
  EXPECT_TRUE(retried_after(Phase::kMeasure)) << "by then it works on copies that nobody checked";
  EXPECT_TRUE(retried_after(Phase::kPrepare));
}

TEST(Retry, WhatHappensBeforeTheCandidatesCodeIsTheMachines) {
  EXPECT_TRUE(deserves_retry(search::TimedOut{Phase::kConfigure, 1, false},
                             {JobKind::kExplore, 1, 0, true, false}));
  EXPECT_TRUE(
      deserves_retry(search::Crashed{search::Crashed::Cause::kExitCode, 1, Phase::kBoot, ""},
                     {JobKind::kExplore, 1, 0, true, false}));
}

TEST(Retry, ThreeLostDevicesAreEnoughAndABaselineHasTwoAttempts) {
  EXPECT_TRUE(deserves_retry(search::DeviceLost{}, {JobKind::kExplore, 3, 1, true, false}));
  EXPECT_FALSE(deserves_retry(search::DeviceLost{}, {JobKind::kExplore, 3, 3, true, false}));
  EXPECT_TRUE(deserves_retry(search::WrongResult{}, {JobKind::kBaseline, 1, 0, true, false}));
  EXPECT_FALSE(deserves_retry(search::WrongResult{}, {JobKind::kBaseline, 2, 0, true, false}));
  EXPECT_FALSE(deserves_retry(search::BuildFailed{}, {JobKind::kBaseline, 1, 0, true, false}));
}

TEST(Retry, ABuilderThatWasEndedFromOutsideIsStartedOnceMore) {
  const auto again = [](int signal, search::Phase phase, std::uint32_t number) {
    const search::Crashed crash{search::Crashed::Cause::kSignal, signal, phase, ""};
    return deserves_retry(crash, {JobKind::kExplore, number, 0, true, false});
  };
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT}) {
    EXPECT_TRUE(again(signal, search::Phase::kBuild, 1)) << signal;
    EXPECT_FALSE(again(signal, search::Phase::kBuild, 2)) << signal;
  }
  EXPECT_FALSE(again(SIGXCPU, search::Phase::kBuild, 1)) << "a limit of ours";
  EXPECT_FALSE(again(SIGSEGV, search::Phase::kBuild, 1));
  EXPECT_FALSE(again(SIGTERM, search::Phase::kMeasure, 1)) << "it may have raised it itself";
}

TEST(Retry, ABuildThatWasHeldUntilItsLimitIsStartedOnceMore) {
  const search::TimedOut late{Phase::kBuild, 120, false};
  EXPECT_TRUE(deserves_retry(late, {JobKind::kExplore, 1, 0, true, true}));
  EXPECT_FALSE(deserves_retry(late, {JobKind::kExplore, 2, 0, true, true}));
  EXPECT_TRUE(deserves_retry(late, {JobKind::kConfirm, 2, 0, true, true}));
  EXPECT_FALSE(deserves_retry(late, {JobKind::kExplore, 1, 0, true, false})) << "it took too long";
}

TEST(Retry, WhatTwoDevicesWereLostUnderIsASuspectUnlessItHasBeenSeenToWork) {
  const auto after_losses = [](JobKind job, std::uint32_t losses) {
    return retry_after(search::DeviceLost{}, {job, losses, losses, true, false});
  };
  EXPECT_EQ(after_losses(JobKind::kExplore, 1), Retry::kSoon);
  EXPECT_EQ(after_losses(JobKind::kExplore, 2), Retry::kAlone);
  EXPECT_EQ(after_losses(JobKind::kConfirm, 2), Retry::kSoon);
  EXPECT_EQ(after_losses(JobKind::kConfirm, 3), Retry::kNone);
}

TEST(TrialQueue, SuspectsComeLast) {
  TrialQueue queue;
  queue.push_suspect(TrialId{1});
  queue.push(TrialId{2}, JobKind::kExplore, "");
  queue.push(TrialId{3}, JobKind::kConfirm, "b");
  EXPECT_FALSE(queue.take_suspect("a"));
  EXPECT_EQ(queue.take(JobKind::kExplore, "a"), TrialId{2});
  EXPECT_FALSE(queue.take_suspect("b"));
  EXPECT_EQ(queue.take_suspect("a"), TrialId{1});
  queue.push_suspect(TrialId{4});
  queue.clear(JobKind::kExplore);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(Budget, NamesTheLimitThatIsReached) {
  search::Budget budget;
  EXPECT_EQ(exhausted(budget, {1e9, 1e9, 1000000, 100000}), "");
  budget.trials = 10;
  budget.seconds = 60;
  EXPECT_EQ(exhausted(budget, {59, 0, 9, 0}), "");
  EXPECT_THAT(exhausted(budget, {59, 0, 10, 0}), ::testing::HasSubstr("10 configurations"));
  EXPECT_THAT(exhausted(budget, {60, 0, 9, 0}), ::testing::HasSubstr("60 s"));
  EXPECT_DOUBLE_EQ(used_share(budget, {30, 0, 9, 0}), 0.9);
  budget.simulated_seconds = 5;
  EXPECT_THAT(exhausted(budget, {0, 5, 0, 0}), ::testing::HasSubstr("simulated"));
}

TEST(TrialQueue, ServesKindsInOrderAndRespectsDevices) {
  TrialQueue queue;
  queue.push(TrialId{1}, JobKind::kExplore, "");
  queue.push(TrialId{2}, JobKind::kExplore, "");
  queue.push(TrialId{3}, JobKind::kConfirm, "b");
  queue.push(TrialId{4}, JobKind::kExplore, "", true);
  EXPECT_FALSE(queue.take(JobKind::kConfirm, "a"));
  EXPECT_EQ(queue.take(JobKind::kExplore, "a"), TrialId{4});
  EXPECT_EQ(queue.take(JobKind::kExplore, "a"), TrialId{1});
  EXPECT_EQ(queue.size(), 2U);
  queue.withdraw("b");
  EXPECT_FALSE(queue.take(JobKind::kConfirm, "b"));
  EXPECT_EQ(queue.take(JobKind::kExplore, "b"), TrialId{2});
  EXPECT_TRUE(queue.empty());
}

TEST(BuildQueue, BuildsEachKeyOnceForAllThatWait) {
  BuildQueue queue;
  const BuildKey candidate{BuildKey::Kind::kCandidate, {7}};
  const BuildKey baseline{BuildKey::Kind::kBaseline, {}};
  EXPECT_FALSE(queue.request(candidate, TrialId{1}));
  EXPECT_FALSE(queue.request(candidate, TrialId{2}));
  EXPECT_FALSE(queue.request(baseline, TrialId{3}));
  EXPECT_EQ(queue.next()->key, baseline) << "the baseline overtakes candidates";
  const auto order = queue.next();
  EXPECT_EQ(order->trial, TrialId{1});
  EXPECT_FALSE(queue.next());
  EXPECT_EQ(queue.running(), 2U);
  const auto ended = queue.built(TrialId{1}, {"h", 1});
  EXPECT_EQ(ended.waiting, (std::vector<TrialId>{TrialId{1}, TrialId{2}}));
  EXPECT_EQ(queue.request(candidate, TrialId{4})->hash, "h");
  EXPECT_EQ(queue.failed(TrialId{3}).waiting, std::vector<TrialId>{TrialId{3}});
  EXPECT_EQ(queue.find(baseline), nullptr);
  queue.forget(candidate);
  EXPECT_EQ(queue.find(candidate), nullptr);
}

TEST(BuildQueue, ABuildCanBeTriedAgain) {
  BuildQueue queue;
  const BuildKey key{BuildKey::Kind::kCandidate, {1}};
  queue.request(key, TrialId{1});
  queue.next();
  queue.again(TrialId{1});
  EXPECT_EQ(queue.running(), 0U);
  EXPECT_EQ(queue.next()->key, key);
  EXPECT_EQ(queue.built(TrialId{1}, {"h", 1}).waiting.size(), 1U);
}

TEST(Lookahead, LooksAsFarAheadAsBuildsTakeAndNoFarther) {
  Lookahead lookahead;
  EXPECT_EQ(lookahead.outstanding(1, 14), 14) << "nothing is known yet";
  EXPECT_EQ(lookahead.outstanding(0, 14), 28) << "for the device that is waited for";
  EXPECT_EQ(lookahead.outstanding(0, 28), 36) << "and for some time, since nobody waits for them";
  EXPECT_EQ(lookahead.outstanding(0, 2), 4) << "never more than the builders can use";
  EXPECT_EQ(lookahead.outstanding(1, 2), 5) << "never more than the builders can use";
  EXPECT_EQ(lookahead.outstanding(1, 128), 14) << "more builders make no better guess";
  lookahead.learn({0.5, 0.1, 0.4, 0});
  EXPECT_EQ(lookahead.outstanding(1, 14), 3);
  EXPECT_EQ(lookahead.outstanding(4, 14), 12);
  for (int i = 0; i < 200; ++i) lookahead.learn({5.0, 0.1, 0.4, 0});
  EXPECT_EQ(lookahead.outstanding(1, 14), 12);
  EXPECT_EQ(lookahead.outstanding(1, 2), 5) << "never more than the builders can use";
  lookahead.learn({0, 0, 0, 0});
  EXPECT_EQ(lookahead.outstanding(1, 14), 12) << "trials that were not built say nothing";
}

// Builds of equal code give a device nothing to do.
TEST(Lookahead, LooksFartherWhereMostOfWhatIsBuiltIsEqualCode) {
  Lookahead lookahead;
  for (int i = 0; i < 50; ++i) lookahead.learn({0.2, 0.1, 0.3, 0});
  EXPECT_EQ(lookahead.outstanding(1, 15), 3);
  for (int i = 0; i < 50; ++i) {
    for (int twin = 0; twin < 9; ++twin) lookahead.learn_of_equal(0.2);
    lookahead.learn({0.2, 0.1, 0.3, 0});
  }
  EXPECT_GE(lookahead.outstanding(1, 15), 6) << "one in ten is measured";
  EXPECT_LE(lookahead.outstanding(1, 15), 10);
  EXPECT_LE(lookahead.outstanding(1, 2), 5) << "never more than the builders can use";
  for (int i = 0; i < 50; ++i) lookahead.learn({0.2, 0.1, 0.3, 0});
  EXPECT_EQ(lookahead.outstanding(1, 15), 3) << "that is over";
  for (int i = 0; i < 9; ++i) lookahead.learn_of_equal(0);
  EXPECT_EQ(lookahead.outstanding(1, 15), 3) << "what is not built costs no builder";
}

TEST(Lookahead, ADeviceIsFarByItsDelayBesideAnEvaluation) {
  Lookahead lookahead;
  EXPECT_FALSE(lookahead.is_far(1)) << "nothing is known yet";
  lookahead.learn({0, 0.1, 0.3, 0});
  EXPECT_FALSE(lookahead.is_far(0));
  EXPECT_FALSE(lookahead.is_far(0.0039));
  EXPECT_TRUE(lookahead.is_far(0.0041));
}

TEST(DeviceCare, AsksForBaselinesWhenTheyAreDue) {
  search::SchedulingSettings settings;
  settings.rebaseline_trials = 2;
  settings.rebaseline_seconds = 100;
  const Clock::TimePoint t0{};
  DeviceCare care(settings, search::Target::kCores);
  care.add(false);
  care.add(true);
  EXPECT_EQ(care.need(0, t0), DeviceCare::Need::kBaseline);
  EXPECT_EQ(care.need(1, t0), DeviceCare::Need::kCheck) << "known from an earlier run";
  EXPECT_FALSE(care.any_ready());
  care.baseline_started(0);
  EXPECT_EQ(care.need(0, t0), DeviceCare::Need::kNothing);
  care.baseline_succeeded(0, t0, 1);
  EXPECT_TRUE(care.ready(0));
  care.trial_finished(0, search::Measured{});
  EXPECT_EQ(care.need(0, t0 + std::chrono::seconds(99)), DeviceCare::Need::kNothing);
  EXPECT_EQ(care.need(0, t0 + std::chrono::seconds(100)), DeviceCare::Need::kRefresh);
  care.trial_finished(0, search::Measured{});
  EXPECT_EQ(care.need(0, t0), DeviceCare::Need::kRefresh);
  care.trial_finished(0, search::DeviceLost{});
  EXPECT_EQ(care.need(0, t0), DeviceCare::Need::kCheck);
  EXPECT_FALSE(care.ready(0));
  care.retire(0);
  EXPECT_EQ(care.need(0, t0), DeviceCare::Need::kNothing);
}

TEST(DeviceCare, EachMeansABaselineAfterEveryTrial) {
  search::SchedulingSettings settings;
  settings.normalisation = search::Normalisation::kEach;
  DeviceCare care(settings, search::Target::kCores);
  care.add(false);
  care.baseline_succeeded(0, {}, 1);
  EXPECT_EQ(care.need(0, {}), DeviceCare::Need::kNothing);
  care.trial_finished(0, search::Measured{});
  EXPECT_EQ(care.need(0, {}), DeviceCare::Need::kRefresh);
}

TEST(DeviceCare, ALevelThatHasMovedMakesTheDeviceProveItself) {
  DeviceCare care({}, search::Target::kCores);
  care.add(false);
  care.baseline_succeeded(0, {}, 1);
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(care.drifted(0, 0.001 * (i % 2)));
  EXPECT_FALSE(care.drifted(0, 0.001));
  // One value far away may be a spike; the third in a row is none.
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(care.drifted(0, 0.05));
  EXPECT_TRUE(care.ready(0));
  EXPECT_TRUE(care.drifted(0, 0.05));
  EXPECT_FALSE(care.ready(0));
  EXPECT_EQ(care.need(0, {}), DeviceCare::Need::kCheck);
  care.baseline_succeeded(0, {}, 1);
  EXPECT_TRUE(care.ready(0));
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(care.drifted(0, 0.05)) << "the new level is learned";
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(care.drifted(0, 0));
  EXPECT_TRUE(care.drifted(0, 0));
}

TEST(DeviceCare, AGpuProvesItselfAfterEachKernelThatHadToDie) {
  const search::TrialOutcome hung = search::TimedOut{Phase::kVerify, 2, false};
  const search::TrialOutcome broken =
      search::Crashed{search::Crashed::Cause::kDeviceError, 700, Phase::kVerify, ""};
  const search::TrialOutcome harmless = search::LaunchFailed{"too many registers"};
  for (const auto target : {search::Target::kGpus, search::Target::kCores}) {
    DeviceCare care({}, target);
    care.add(false);
    care.baseline_succeeded(0, {}, 1);
    for (const search::TrialOutcome& outcome : {hung, broken}) {
      care.trial_finished(0, outcome);
      EXPECT_EQ(care.ready(0), target == search::Target::kCores);
      care.baseline_succeeded(0, {}, 1);
    }
    care.trial_finished(0, harmless);
    EXPECT_TRUE(care.ready(0));
  }
}

TEST(DeviceCare, ARecordedDeviceNeverDrifts) {
  DeviceCare care({}, search::Target::kRecording);
  care.add(true);
  EXPECT_TRUE(care.ready(0));
  for (int i = 0; i < 200; ++i) {
    care.trial_finished(0, kCrash);
    EXPECT_FALSE(care.drifted(0, i < 100 ? 0 : 1));
  }
  EXPECT_EQ(care.need(0, Clock::TimePoint{} + std::chrono::hours(9)), DeviceCare::Need::kNothing);
}

}  // namespace
}  // namespace nightshift::scheduler
