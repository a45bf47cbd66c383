#include "scheduler/confirmation/confirmation_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "scheduler/confirmation/out_of_time.h"

namespace nightshift::scheduler {
namespace {

using search::TrialId;
using ::testing::ElementsAre;

search::Problem bare() {
  search::Problem problem;
  problem.acceptance.self_test_pairs = problem.acceptance.hold_out_most = 0;
  return problem;
}

search::Problem claimed() {
  search::Problem problem;
  problem.acceptance.self_test_pairs = 0;
  return problem;
}

// ConfirmationPlanner with what surrounds them: opens what is due, and concludes it as a test says.
struct Season {
  explicit Season(search::Problem p) : problem(std::move(p)), confirmations(problem) {
    situation.devices = {"n/gpu:0", "n/gpu:1"};
  }

  void explore(int count) {
    for (int i = 0; i < count; ++i) confirmations.explored();
  }
  // Opens what is due: its purpose, or "nothing".
  std::string open() {
    const auto setup = confirmations.due(situation);
    if (!setup) return "nothing";
    confirmations.opened(*setup, situation.run_seconds);
    opened.push_back(*setup);
    return std::string(name_of(setup->purpose));
  }
  void end(search::Acceptance acceptance, double ratio = 1) {
    ConfirmationVerdict verdict{opened.back().id, opened.back().candidate, {}};
    verdict.verdict.acceptance = std::move(acceptance);
    verdict.verdict.ratio = ratio;
    const bool rejected = std::holds_alternative<search::Reject>(verdict.verdict.acceptance);
    if (rejected) verdict.verdict.interval = {0, std::numeric_limits<double>::infinity()};
    confirmations.concluded(verdict);
  }
  std::string play(search::Acceptance acceptance, double ratio = 1) {
    std::string purpose = open();
    if (purpose != "nothing") end(std::move(acceptance), ratio);
    return purpose;
  }
  const ConfirmationSetup& last() const { return opened.back(); }

  search::Problem problem;
  ConfirmationPlanner confirmations;
  Situation situation;
  std::vector<ConfirmationSetup> opened;
};

const search::Acceptance kAccept = search::Accept{"yes"};
const search::Acceptance kReject = search::Reject{"no"};
const search::Acceptance kUndecided = search::Undecided{"a device was lost"};

TEST(ConfirmationPlanner, TheOrderIsSelfTestCanaryDuelHoldOut) {
  search::Problem problem;
  problem.acceptance.canary = search::Configuration({{"x", std::int64_t{1}}});
  Season season(problem);
  season.confirmations.waits({4}, 0.8);
  season.explore(10);
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.last().candidate, season.last().opponent);
  EXPECT_EQ(season.last().pairs, 16);
  EXPECT_EQ(season.play(kAccept), "canary");
  EXPECT_EQ(season.last().candidate, TrialId{});
  EXPECT_EQ(season.last().pairs, 8);
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  EXPECT_EQ(season.last().candidate, TrialId{4});
  EXPECT_EQ(season.last().opponent, TrialId{});
  EXPECT_EQ(season.play(kAccept), "nothing") << "it explores";
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().candidate, TrialId{4});
  EXPECT_EQ(season.last().opponent, TrialId{}) << "against the baseline";
  EXPECT_EQ(season.last().level, 0.01);
  EXPECT_EQ(season.play(kAccept), "nothing");
  std::vector<std::uint64_t> ids;
  for (const ConfirmationSetup& setup : season.opened) ids.push_back(setup.id.value);
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, 4));
}

// The claim of a night that a node left in its last minute.
TEST(ConfirmationPlanner, AnUndecidedHoldOutIsRepeatedAtTheSameLevelWithWhoIsThere) {
  Season season(claimed());
  season.confirmations.waits({4}, 0.8);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  EXPECT_EQ(season.play(kUndecided), "hold-out");
  season.situation.devices = {"n/gpu:1"};
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().candidate, TrialId{4});
  EXPECT_THAT(season.last().devices, ElementsAre("n/gpu:1"));
  EXPECT_EQ(season.last().level, 0.01);
  EXPECT_EQ(season.play(kAccept), "nothing");
}

TEST(ConfirmationPlanner, AHoldOutIsRepeatedWhileThereIsTimeAndNotForEver) {
  Season season(claimed());
  season.confirmations.waits({4}, 0.8);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  for (int i = 0; i < DuelCandidates::kChances; ++i) {
    season.situation.duels = i == 0;  // the first one has time of its own
    if (i > 0) {
      EXPECT_EQ(season.open(), "nothing");
    }
    season.situation.duels = true;
    EXPECT_EQ(season.play(kUndecided), "hold-out");
  }
  EXPECT_EQ(season.play(kUndecided), "nothing");
}

// A study of a few seconds that is resumed with more, twice.
TEST(ConfirmationPlanner, AHoldOutThatTheTimeCutShortIsMadeAgainWithMoreOfIt) {
  Season season(claimed());
  season.confirmations.waits({4}, 0.8);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  season.situation.duels = false;
  season.situation.evaluation_seconds = 1;
  for (const double limit : {6.0, 20.0, 60.0}) {
    season.situation.seconds_limit = limit;
    season.situation.run_seconds = limit - 8;  // of four pairs
    EXPECT_EQ(season.play(search::Undecided{std::string(kBudgetIsUp)}), "hold-out") << limit;
    season.situation.run_seconds = limit - 7.5;
    EXPECT_EQ(season.open(), "nothing") << "too little is left of " << limit;
    season.situation.run_seconds = limit;
    EXPECT_EQ(season.open(), "nothing") << "none is left of " << limit;
  }
  EXPECT_TRUE(season.confirmations.owes_hold_out());
  season.situation.seconds_limit = 0;
  season.situation.duels = true;
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().level, 0.01) << "the first that comes to a verdict";
  EXPECT_EQ(season.play(kAccept), "nothing");
}

TEST(ConfirmationPlanner, OnlyOneIsOpenAndNoneWithoutADevice) {
  Season season(bare());
  season.confirmations.waits({4}, 0.8);
  season.explore(10);
  const auto devices = std::exchange(season.situation.devices, {});
  EXPECT_EQ(season.open(), "nothing");
  season.situation.devices = devices;
  EXPECT_EQ(season.open(), "duel");
  EXPECT_NE(season.confirmations.open().current(), nullptr);
  EXPECT_TRUE(season.confirmations.awaits({4}));
  season.confirmations.waits({5}, 0.7);
  season.explore(20);
  EXPECT_EQ(season.open(), "nothing");
  season.end(kReject);
  EXPECT_EQ(season.confirmations.open().current(), nullptr);
  EXPECT_FALSE(season.confirmations.awaits({4}));
  EXPECT_EQ(season.open(), "duel");
}

// --- Duels ---

// Twenty that wait, the last one the best.
void let_twenty_wait(Season& season) {
  for (std::uint64_t id = 1; id <= 20; ++id) {
    season.confirmations.waits({id}, 0.9 - 0.01 * static_cast<double>(id));
  }
}

TEST(ConfirmationPlanner, ADuelAfterTenConfigurationsAndTwiceAsManyAfterEachRejection) {
  Season season(bare());
  let_twenty_wait(season);
  std::uint64_t best = 20;
  for (const int spacing : {10, 20, 40, 80, 160, 320, 320, 320}) {
    season.explore(spacing - 1);
    EXPECT_EQ(season.open(), "nothing") << spacing;
    season.explore(1);
    EXPECT_EQ(season.play(kReject), "duel") << spacing;
    EXPECT_EQ(season.last().candidate, TrialId{best--}) << "the best first";
  }
  season.explore(320);
  EXPECT_EQ(season.play(kAccept, 0.95), "duel");
  season.explore(9);
  EXPECT_EQ(season.open(), "nothing");
  season.explore(1);
  EXPECT_EQ(season.play(kReject), "duel") << "an acceptance makes it ten again";
}

TEST(ConfirmationPlanner, ADuelThatStayedUndecidedIsNoRejection) {
  Season season(bare());
  season.confirmations.waits({1}, 0.7);
  for (int i = 0; i < 3; ++i) {
    season.explore(ConfirmationPlanner::kSpacing - 1);
    EXPECT_EQ(season.open(), "nothing") << i;
    season.explore(1);
    EXPECT_EQ(season.play(kUndecided), "duel") << i;
  }
  season.explore(ConfirmationPlanner::kSpacing);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
}

TEST(ConfirmationPlanner, ConfigurationsWithoutADuelAreNotSavedUp) {
  Season season(bare());
  let_twenty_wait(season);
  season.explore(1000);
  EXPECT_EQ(season.play(kAccept, 0.99), "duel");
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ConfirmationPlanner, WhenExplorationHasEndedEightRejectionsInARowEndTheDuels) {
  Season season(bare());
  let_twenty_wait(season);
  season.situation.exploring = false;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.play(kAccept, 0.99), "duel");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(season.play(kReject), "duel") << i;
  EXPECT_EQ(season.play(kReject), "nothing");
  // A larger budget.
  season.explore(1);
  EXPECT_EQ(season.play(kReject), "duel");
}

TEST(ConfirmationPlanner, WithoutTimeThereIsNoDuel) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.8);
  season.confirmations.waits({2}, 0.6);
  EXPECT_EQ(season.play(kAccept, 0.9), "duel");
  season.situation.duels = false;
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_TRUE(season.confirmations.any_waits());
}

TEST(ConfirmationPlanner, WhileExploringDuelsTakeTheirShareAndNoMore) {
  Season season(claimed());
  let_twenty_wait(season);
  season.explore(10);
  season.situation.duels_wait = true;
  EXPECT_EQ(season.open(), "nothing");
  season.situation.duels_wait = false;
  EXPECT_EQ(season.play(kAccept, 0.99), "duel");
  season.situation.duels_wait = true;
  season.explore(10);
  EXPECT_EQ(season.open(), "nothing");
  season.situation.exploring = false;
  for (int i = 0; i < ConfirmationPlanner::kFinalDuels; ++i)
    EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.play(kAccept), "hold-out");
}

TEST(ConfirmationPlanner, OnlyWhatIsBetterThanTheIncumbentIsWorthADuel) {
  Season season(bare());
  EXPECT_NEAR(season.confirmations.worth(), 0.995, 1e-12);
  season.confirmations.waits({1}, 0.996);
  EXPECT_FALSE(season.confirmations.awaits({1}));
  season.confirmations.waits({2}, 0.85);
  season.confirmations.waits({3}, 0.70);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  EXPECT_EQ(season.confirmations.incumbent(), TrialId{3});
  EXPECT_NEAR(season.confirmations.gain(), -std::log(0.8), 1e-12);
  EXPECT_NEAR(season.confirmations.worth(), 0.8 * 0.995, 1e-12);
  EXPECT_EQ(season.open(), "nothing") << "trial 2 is worse than the incumbent";
  EXPECT_FALSE(season.confirmations.awaits({2}));
  season.confirmations.waits({4}, 0.6);
  EXPECT_EQ(season.play(kAccept, 0.75), "duel");
  EXPECT_EQ(season.last().opponent, TrialId{3});
  EXPECT_NEAR(season.confirmations.gain(), -std::log(0.6), 1e-12) << "gains multiply";
}

TEST(ConfirmationPlanner, AScoreThatIsSettledLaterCountsAsItIsThen) {
  Season season(bare());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.confirmations.waits({2}, 0.8);
  season.confirmations.rescored({1}, 0.9);
  season.confirmations.rescored({7}, 0.1);  // does not wait
  EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.last().candidate, TrialId{2});
  season.confirmations.rescored({1}, 1.1);
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ConfirmationPlanner, WhatTheIncumbentMadeWorthlessStaysSoWhateverItsScoreBecomes) {
  // So it is, too, when the events are told again without asking what is due in between.
  for (const bool asked : {true, false}) {
    Season season(bare());
    season.situation.exploring = false;
    season.confirmations.waits({1}, 0.7);
    season.confirmations.waits({2}, 0.8);
    EXPECT_EQ(season.play(kAccept, 0.75), "duel");
    if (asked) {
      EXPECT_EQ(season.open(), "nothing");
    }
    EXPECT_FALSE(season.confirmations.awaits({2}));
    season.confirmations.rescored({2}, 0.5);
    EXPECT_EQ(season.open(), "nothing") << asked;
  }
}

TEST(ConfirmationPlanner, AScoreThatIsSettledDuringItsDuelDoesNotMakeItWait) {
  Season season(bare());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.open();
  season.confirmations.rescored({1}, 0.6);
  EXPECT_TRUE(season.confirmations.awaits({1}));
  EXPECT_FALSE(season.confirmations.any_waits());
  season.end(kReject);
  EXPECT_FALSE(season.confirmations.awaits({1}));
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ConfirmationPlanner, AnUndecidedCandidateGetsMoreChancesAndNotForEver) {
  Season season(bare());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  for (int i = 0; i < DuelCandidates::kChances; ++i) {
    EXPECT_TRUE(season.confirmations.awaits({1}));
    EXPECT_EQ(season.play(kUndecided), "duel");
    EXPECT_EQ(season.last().candidate, TrialId{1});
  }
  EXPECT_EQ(season.open(), "nothing");
  EXPECT_FALSE(season.confirmations.incumbent());
}

TEST(ConfirmationPlanner, AVerdictOnAnotherConfirmationIsNotHeard) {
  Season season(bare());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.open();
  ConfirmationVerdict other{{99}, {1}, {}};
  other.verdict.acceptance = kAccept;
  season.confirmations.concluded(other);
  EXPECT_NE(season.confirmations.open().current(), nullptr);
  EXPECT_FALSE(season.confirmations.incumbent());
}

// --- Duels that are set aside ---

// Three that wait, with promises that a test may change.
struct Queue : Season {
  Queue() : Season(claimed()) {
    situation.exploring = false;
    situation.promise = [this](TrialId candidate) { return promises.at(candidate.value); };
    for (std::uint64_t id = 1; id <= 3; ++id) {
      confirmations.waits({id}, 0.7 + 0.01 * static_cast<double>(id));
    }
  }
  TrialId current() const { return confirmations.open().current()->setup().candidate; }
  std::map<std::uint64_t, double> promises = {{1, 0.3}, {2, 0.2}, {3, 0.1}};
};

TEST(ConfirmationsAside, TheLargestPromiseGoesOn) {
  Queue queue;
  EXPECT_EQ(queue.open(), "duel");
  EXPECT_EQ(queue.current(), TrialId{1});
  queue.promises[1] = 0.05;
  EXPECT_EQ(queue.confirmations.next_duel(queue.situation), TrialId{2});
  queue.confirmations.open().set_aside();
  EXPECT_EQ(queue.confirmations.open().current(), nullptr);
  EXPECT_TRUE(queue.confirmations.awaits({1})) << "its artifact is still needed";
  EXPECT_EQ(queue.open(), "duel");
  EXPECT_EQ(queue.current(), TrialId{2});
  queue.promises[2] = 0.01;
  queue.confirmations.open().set_aside();
  EXPECT_EQ(queue.open(), "duel");
  EXPECT_EQ(queue.current(), TrialId{3});
  queue.end(kReject);
  EXPECT_EQ(queue.open(), "nothing") << "none is opened:";
  EXPECT_EQ(queue.current(), TrialId{1}) << "one goes on";
  EXPECT_EQ(queue.opened.size(), 3U);
}

TEST(ConfirmationsAside, NoClaimBeforeTheyHaveEnded) {
  Queue queue;
  queue.open();
  queue.promises[1] = 0.05;
  queue.confirmations.open().set_aside();
  EXPECT_EQ(queue.open(), "duel");
  queue.end(kAccept, 0.9);
  EXPECT_EQ(queue.confirmations.incumbent(), TrialId{2});
  const Confirmation* stale = queue.confirmations.stale(queue.situation);
  ASSERT_NE(stale, nullptr) << "its opponent is the incumbent no more";
  EXPECT_EQ(stale->setup().candidate, TrialId{1});
  EXPECT_TRUE(std::holds_alternative<search::Undecided>(stale->verdict()->acceptance));
  ConfirmationVerdict verdict{stale->id(), {1}, *stale->verdict()};
  queue.confirmations.concluded(verdict);
  EXPECT_EQ(queue.confirmations.stale(queue.situation), nullptr);
  EXPECT_TRUE(queue.confirmations.awaits({1})) << "it waits for a duel with the new one";
  EXPECT_EQ(queue.open(), "duel");
  EXPECT_EQ(queue.last().opponent, TrialId{2});
  queue.end(kUndecided);
  EXPECT_TRUE(queue.confirmations.awaits({1})) << "that was not its one more chance";
}

TEST(ConfirmationsAside, WithoutTimeTheyEnd) {
  Queue queue;
  queue.open();
  queue.confirmations.open().set_aside();
  queue.situation.duels = false;
  EXPECT_EQ(queue.open(), "nothing");
  const Confirmation* stale = queue.confirmations.stale(queue.situation);
  ASSERT_NE(stale, nullptr);
  queue.confirmations.concluded({stale->id(), {1}, *stale->verdict()});
  EXPECT_FALSE(queue.confirmations.open().any_aside());
}

TEST(ConfirmationsAside, WhereNothingIsTrustedTheyEndWithTheSearch) {
  search::Problem problem = claimed();
  problem.acceptance.self_test_pairs = 4;
  Season season(problem);
  season.play(kAccept);
  season.confirmations.waits({1}, 0.7);
  season.explore(10);
  EXPECT_EQ(season.open(), "duel");
  season.confirmations.open().set_aside();
  season.situation.run_seconds = 7200;
  EXPECT_EQ(season.play(kReject), "self-test");
  EXPECT_EQ(season.play(kReject), "self-test");
  EXPECT_EQ(season.open(), "nothing");
  EXPECT_EQ(season.confirmations.stale(season.situation), nullptr) << "another may pass yet";
  season.situation.exploring = false;
  EXPECT_NE(season.confirmations.stale(season.situation), nullptr);
}

TEST(ConfirmationsAside, ALostDeviceEndsThemToo) {
  Queue queue;
  queue.open();
  queue.confirmations.open().set_aside();
  queue.confirmations.open().drop("n/gpu:1");
  const Confirmation* stale = queue.confirmations.stale(queue.situation);
  ASSERT_NE(stale, nullptr);
  EXPECT_EQ(search::reason_of(stale->verdict()->acceptance), "n/gpu:1 was lost");
}

// --- Trust ---

search::Problem tested() {
  search::Problem problem = bare();
  problem.acceptance.self_test_pairs = 16;
  return problem;
}

TEST(ContestsTrust, AFailedSelfTestIsRepeatedOnceAndThenNothingIsAccepted) {
  Season season(tested());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kReject), "self-test");
  EXPECT_EQ(season.confirmations.distrust(), "");
  EXPECT_EQ(season.play(kReject), "self-test");
  EXPECT_EQ(season.confirmations.distrust(), "the self-test failed twice: no");
  EXPECT_EQ(season.open(), "nothing");
  season.situation.run_seconds = 7199;
  EXPECT_EQ(season.open(), "nothing");
  season.situation.run_seconds = 7200;
  EXPECT_EQ(season.play(kReject), "self-test");
  EXPECT_EQ(season.open(), "nothing");
  season.situation.run_seconds = 14400;
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.confirmations.distrust(), "");
  EXPECT_EQ(season.open(), "duel");
}

TEST(ContestsTrust, OneFailureAloneChangesNothing) {
  Season season(tested());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.play(kReject);
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.confirmations.distrust(), "");
  EXPECT_EQ(season.open(), "duel");
}

TEST(ContestsTrust, TheSelfTestComesAgainWithTimeAndWithTheIncumbent) {
  Season season(tested());
  EXPECT_EQ(season.play(kAccept), "self-test");
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  season.situation.run_seconds = 7200;
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.last().candidate, TrialId{1});
  EXPECT_EQ(season.last().opponent, TrialId{1});
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ContestsTrust, WhatNeverDriftsNeedsNoSelfTest) {
  Season season(tested());
  season.situation.drifts = false;
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.open(), "duel");
}

TEST(ContestsTrust, TheSelfTestTakesAllDevices) {
  Season season(tested());
  season.situation.devices = {"n/0", "n/1", "n/2", "n/3", "n/4", "n/5"};
  season.open();
  EXPECT_EQ(season.last().devices, season.situation.devices);
}

TEST(ContestsTrust, AfterACanaryThatSurvivesNothingIsAccepted) {
  search::Problem problem = bare();
  problem.acceptance.canary = search::Configuration({{"x", std::int64_t{1}}});
  Season season(problem);
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kReject), "canary");
  EXPECT_EQ(season.last().pairs, 4) << "at least";
  EXPECT_EQ(season.confirmations.distrust(), "no");
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ContestsTrust, AnUndecidedCheckProvesNothing) {
  Season season(tested());
  EXPECT_EQ(season.play(kUndecided), "self-test");
  EXPECT_EQ(season.play(kUndecided), "self-test");
  EXPECT_NE(season.confirmations.distrust(), "");
}

// What is played, with the pairs on each device: "self-test 16".
std::vector<std::string> tests_played(Season& season, std::vector<search::Acceptance> outcomes) {
  std::vector<std::string> all;
  for (search::Acceptance& outcome : outcomes) {
    std::string purpose = season.play(std::move(outcome));
    all.push_back(purpose == "nothing" ? purpose
                                       : purpose + " " + std::to_string(season.last().pairs));
  }
  return all;
}

TEST(ContestsTrust, AnUndecidedSelfTestIsRepeatedOnceWithTwiceThePairs) {
  Season passed(tested());
  EXPECT_THAT(tests_played(passed, {kUndecided, kAccept, kAccept}),
              ElementsAre("self-test 16", "self-test 32", "nothing"));
  EXPECT_EQ(passed.confirmations.distrust(), "");

  Season lost(tested());
  EXPECT_THAT(tests_played(lost, {kUndecided, kUndecided, kAccept}),
              ElementsAre("self-test 16", "self-test 32", "nothing"));
  EXPECT_EQ(lost.confirmations.distrust(), "the self-test was undecided twice: a device was lost");
  lost.situation.run_seconds = 7200;
  EXPECT_THAT(tests_played(lost, {kAccept}), ElementsAre("self-test 16"));
  EXPECT_EQ(lost.confirmations.distrust(), "");
}

// A product that takes a second under a budget of 40 must not be tested for 32 of them.
TEST(ContestsTrust, TheFirstSelfTestHasItsShareOfAShortStudy) {
  const auto pairs = [](double limit, double evaluation) {
    Season season{search::Problem{}};
    season.situation.seconds_limit = limit;
    season.situation.evaluation_seconds = evaluation;
    EXPECT_EQ(season.open(), "self-test");
    return season.last().pairs;
  };
  EXPECT_EQ(pairs(0, 1), 16);
  EXPECT_EQ(pairs(40, 0), 16);
  EXPECT_EQ(pairs(400, 1), 16);
  EXPECT_EQ(pairs(160, 1), 8);
  EXPECT_EQ(pairs(40, 1), 4);
  EXPECT_EQ(pairs(15, 0.75), 2) << "four would take two fifths of it";
}

TEST(ContestsTrust, SoHasASelfTestThatIsRepeatedSinceNothingCameOfIt) {
  Season season{search::Problem{}};
  season.situation.seconds_limit = 20;
  season.situation.evaluation_seconds = 0.9;  // a first baseline, with the start of its process
  EXPECT_EQ(season.open(), "self-test");
  EXPECT_EQ(season.last().pairs, 2);
  season.end(kUndecided);
  season.situation.evaluation_seconds = 0.25;
  EXPECT_EQ(season.open(), "self-test");
  EXPECT_EQ(season.last().pairs, 4) << "a tenth of the time, and not thirty-two";
}

// Not even two pairs fit: what a study can show then is a landslide, and nothing else is claimed.
TEST(ContestsTrust, WithoutTimeForASelfTestOnlyALandslideIsClaimed) {
  const auto pairs_of_claim = [](int least) {
    search::Problem problem;
    problem.acceptance.hold_out_least = least;
    Season season(problem);
    season.situation.devices = {"n/0"};
    season.situation.seconds_limit = 15;
    season.situation.evaluation_seconds = 0.8;
    season.confirmations.waits({1}, 0.7);
    season.situation.exploring = false;
    EXPECT_EQ(season.play(kAccept, 0.7), "duel");
    season.situation.evaluation_seconds = 0.1;  // the winner takes less
    season.situation.run_seconds = 13.5;        // but a self-test as well has no room any more
    EXPECT_EQ(season.open(), "hold-out");
    return season.last().pairs;
  };
  EXPECT_EQ(pairs_of_claim(12), 4);
  EXPECT_EQ(pairs_of_claim(4), 3) << "fewer than are enough for any other gain";
}

// Evaluations turned out to be shorter than the first one let expect.
TEST(ContestsTrust, ASelfTestIsMadeUpForBeforeAHoldOutThatHasRoomBehindIt) {
  Season season{search::Problem{}};
  season.situation.devices = {"n/0"};
  season.situation.seconds_limit = 15;
  season.situation.evaluation_seconds = 0.8;
  season.confirmations.waits({1}, 0.7);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  season.situation.evaluation_seconds = 0.1;
  EXPECT_EQ(season.play(kAccept, 1), "self-test");
  EXPECT_EQ(season.open(), "hold-out");
  EXPECT_GE(season.last().pairs, 7);
}

TEST(ContestsTrust, WhatWasLeftOutForTimeComesWhenThereIsSome) {
  Season season{search::Problem{}};
  season.situation.devices = {"n/0"};
  season.situation.seconds_limit = 15;
  season.situation.evaluation_seconds = 0.8;
  season.confirmations.waits({1}, 0.7);
  season.explore(10);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  season.situation.seconds_limit = 1500;
  EXPECT_EQ(season.play(kAccept), "self-test");
  season.situation.exploring = false;
  EXPECT_EQ(season.open(), "hold-out");
  EXPECT_EQ(season.last().pairs, 12);
}

TEST(ContestsTrust, AStudyWithoutHoldOutsIsAlwaysTested) {
  Season season{search::Problem{}};
  season.problem.acceptance.hold_out_most = 0;
  season.situation.seconds_limit = 15;
  season.situation.evaluation_seconds = 0.8;
  EXPECT_EQ(season.open(), "self-test");
}

TEST(ContestsTrust, AnUndecidedSelfTestIsNoFailure) {
  Season season(tested());
  EXPECT_THAT(tests_played(season, {kUndecided, kReject, kAccept, kAccept}),
              ElementsAre("self-test 16", "self-test 32", "self-test 16", "nothing"));
  EXPECT_EQ(season.confirmations.distrust(), "");

  Season failing(tested());
  EXPECT_THAT(tests_played(failing, {kReject, kUndecided, kReject, kAccept}),
              ElementsAre("self-test 16", "self-test 16", "self-test 32", "nothing"));
  EXPECT_EQ(failing.confirmations.distrust(), "the self-test failed twice: no");
}

TEST(ContestsTrust, WhatTheTimeCutOffIsAskedAgainByALaterRun) {
  for (const std::string_view cut : {kLeftForHoldOut, kBudgetIsUp, kWindUpIsUp}) {
    const search::Acceptance kCut = search::Undecided{std::string(cut)};
    Season season(tested());
    EXPECT_THAT(tests_played(season, {kReject, kCut, kCut, kAccept}),
                ElementsAre("self-test 16", "self-test 16", "self-test 32", "nothing"));
    EXPECT_NE(season.confirmations.distrust(), "");
    season.confirmations.take_up();
    EXPECT_THAT(tests_played(season, {kCut, kAccept}), ElementsAre("self-test 32", "nothing"))
        << "once for each run";
    season.confirmations.take_up();
    EXPECT_THAT(tests_played(season, {kAccept, kAccept}), ElementsAre("self-test 32", "nothing"));
    EXPECT_EQ(season.confirmations.distrust(), "");
  }
  for (const search::Acceptance& found : {kReject, kUndecided}) {
    Season season(tested());
    tests_played(season, {found, found});
    season.confirmations.take_up();
    EXPECT_THAT(tests_played(season, {kAccept}), ElementsAre("nothing"));
    EXPECT_NE(season.confirmations.distrust(), "");
  }
}

TEST(ContestsTrust, SoIsACanary) {
  const search::Acceptance kCut = search::Undecided{std::string(kLeftForHoldOut)};
  for (const bool is_cut : {false, true}) {
    search::Problem problem = tested();
    problem.acceptance.canary = search::Configuration({{"x", std::int64_t{1}}});
    Season season(problem);
    season.situation.exploring = false;
    season.play(kAccept);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(season.play(is_cut ? kCut : kUndecided), "canary");
    EXPECT_NE(season.confirmations.distrust(), "");
    EXPECT_EQ(season.open(), "nothing");
    season.confirmations.take_up();
    EXPECT_EQ(season.play(kAccept), is_cut ? "canary" : "nothing");
    EXPECT_EQ(season.confirmations.distrust().empty(), is_cut);
  }
}

// The next one's pairs after an undecided one of 16 that took so long.
int pairs_after(double seconds) {
  Season season(tested());
  season.open();
  season.situation.run_seconds = seconds;
  season.end(kUndecided);
  season.open();
  return season.last().pairs;
}

TEST(ContestsTrust, TheRepeatedSelfTestFitsIntoItsSecondsOrHasTheUsualPairs) {
  EXPECT_EQ(pairs_after(60), 32);
  EXPECT_EQ(pairs_after(3600), 32);
  EXPECT_EQ(pairs_after(4800), 24);
  EXPECT_EQ(pairs_after(7199), 16);
  EXPECT_EQ(pairs_after(20000), 16);
}

TEST(ContestsTrust, WithoutTimeForDuelsOnlyAFailureIsClearedUp) {
  search::Problem problem = tested();
  problem.acceptance.hold_out_most = 128;
  for (const bool undecided : {false, true}) {
    Season season(problem);
    season.confirmations.waits({1}, 0.7);
    season.play(kAccept);
    season.situation.exploring = false;
    EXPECT_EQ(season.play(kAccept, 0.7), "duel");
    season.situation.run_seconds = 7200;
    if (undecided) {
      EXPECT_EQ(season.play(kUndecided), "self-test");
    }
    season.situation.duels = false;
    EXPECT_EQ(season.play(kAccept), "hold-out") << "an old test is not made again";
  }
  Season failed(problem);
  failed.situation.exploring = false;
  EXPECT_EQ(failed.play(kReject), "self-test");
  failed.situation.duels = false;
  EXPECT_THAT(tests_played(failed, {kUndecided, kUndecided, kAccept}),
              ElementsAre("self-test 16", "self-test 32", "nothing"));
  EXPECT_NE(failed.confirmations.distrust(), "");
}

TEST(ContestsTrust, ASelfTestThatPassesSaysNothingForTheCanary) {
  search::Problem problem = tested();
  problem.acceptance.canary = search::Configuration({{"x", std::int64_t{1}}});
  Season season(problem);
  season.confirmations.waits({1}, 0.7);
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.play(kReject), "canary");
  season.situation.run_seconds = 7200;
  EXPECT_EQ(season.play(kAccept), "self-test");
  EXPECT_EQ(season.confirmations.distrust(), "no");
  EXPECT_EQ(season.open(), "nothing");
}

// --- Who takes part ---

std::vector<std::string> consensus(std::vector<std::string> devices, int wished) {
  search::Problem problem = bare();
  problem.acceptance.devices = wished;
  Season season(problem);
  season.situation.devices = std::move(devices);
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.open();
  return season.last().devices;
}

TEST(ContestsDevices, FourTakePartOrAsManyAsAreWished) {
  EXPECT_THAT(consensus({"n/0", "n/1", "n/2", "n/3", "n/4"}, 0),
              ElementsAre("n/0", "n/1", "n/2", "n/3"));
  EXPECT_THAT(consensus({"n/0", "n/1"}, 0), ElementsAre("n/0", "n/1"));
  EXPECT_THAT(consensus({"n/0", "n/1"}, 8), ElementsAre("n/0", "n/1"));
  EXPECT_THAT(consensus({"n/0", "n/1", "n/2"}, 1), ElementsAre("n/0"));
}

TEST(ContestsDevices, TheyAreOfTwoNodesWhereThereAreTwo) {
  EXPECT_THAT(consensus({"n/0", "n/1", "n/2", "n/3", "m/0", "m/1"}, 0),
              ElementsAre("n/0", "n/1", "n/2", "m/0"));
  EXPECT_THAT(consensus({"n/0", "m/0", "n/1", "n/2", "m/1"}, 0),
              ElementsAre("n/0", "m/0", "n/1", "n/2"));
  EXPECT_THAT(consensus({"n/0", "n/1", "m/0"}, 2), ElementsAre("n/0", "m/0"));
  EXPECT_THAT(consensus({"n/0", "m/0"}, 1), ElementsAre("n/0"));
}

// --- The claim ---

TEST(ContestsClaim, EveryIncumbentIsHeldOutOnceAndTheLevelHalves) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.play(kAccept, 0.7);
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.last().level, 0.01);
  EXPECT_EQ(season.open(), "nothing") << "once";
  // Resumed with a larger budget.
  season.situation.exploring = true;
  season.confirmations.waits({2}, 0.5);
  season.explore(10);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  season.situation.exploring = false;
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().candidate, TrialId{2});
  EXPECT_EQ(season.last().level, 0.005);
  season.confirmations.waits({3}, 0.3);
  season.play(kAccept, 0.7);
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().level, 0.0025);
}

// --- Hold-outs that reject ---

// Pairs that are against the candidate; Season::end() rejects by a failure.
void reject_by_pairs(Season& season) {
  ConfirmationVerdict verdict{season.last().id, season.last().candidate, {}};
  verdict.verdict.acceptance = kReject;
  verdict.verdict.devices = {{"n/gpu:0", 12, 0, 0, 0.01}};
  season.confirmations.concluded(verdict);
}

TEST(ContestsFall, WhoCameBeforeIsHeldOut) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kAccept, 0.9), "duel");
  season.confirmations.waits({2}, 0.6);
  EXPECT_EQ(season.play(kAccept, 0.9), "duel");
  EXPECT_EQ(season.last().opponent, TrialId{1});
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.confirmations.incumbent(), TrialId{1});
  EXPECT_NEAR(std::exp(-season.confirmations.gain()), 0.9, 1e-12);
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().candidate, TrialId{1});
  EXPECT_EQ(season.last().level, 0.005);
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ContestsFall, WhatLostToItOrWasNotWorthADuelWithItIsACandidateAgain) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.5);
  season.confirmations.waits({2}, 0.8);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel") << "which makes 2 worthless";
  season.confirmations.waits({3}, 0.9);
  season.confirmations.waits({4}, 0.6);
  EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.last().candidate, TrialId{4});
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.confirmations.incumbent(), std::nullopt);
  std::vector<std::uint64_t> candidates;
  while (season.play(kReject) == "duel") {
    EXPECT_EQ(season.last().opponent, TrialId{}) << "the baseline";
    candidates.push_back(season.last().candidate.value);
  }
  EXPECT_THAT(candidates, ElementsAre(4, 2, 3)) << "and not the one that fell";
}

TEST(ContestsFall, WhatLostToWhoReignsAgainDoesNotComeBack) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  season.confirmations.waits({2}, 0.6);
  EXPECT_EQ(season.play(kReject), "duel");
  season.confirmations.waits({3}, 0.5);
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().candidate, TrialId{1});
  EXPECT_EQ(season.open(), "nothing");
}

// Of a study that went on with a larger budget.
TEST(ContestsFall, WhoWasConfirmedBeforeNeedsNoSecondHoldOut) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  EXPECT_EQ(season.play(kAccept), "hold-out");
  season.confirmations.waits({2}, 0.5);
  EXPECT_EQ(season.play(kAccept, 0.8), "duel");
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.confirmations.incumbent(), TrialId{1});
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ContestsFall, AScoreThatIsSettledMeanwhileCounts) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.5);
  EXPECT_EQ(season.play(kAccept, 0.5), "duel");
  season.confirmations.waits({2}, 0.8);
  season.confirmations.waits({3}, 0.9);
  season.confirmations.rescored({2}, 0.95);
  EXPECT_EQ(season.play(kReject), "hold-out");
  EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.last().candidate, TrialId{3});
}

TEST(ContestsFall, TheThirdThatPairsRejectIsTheLast) {
  Season season(claimed());
  season.situation.exploring = false;
  for (std::uint64_t id = 1; id <= 5; ++id) {
    season.confirmations.waits({id}, 0.4 + 0.1 * static_cast<double>(id));
  }
  std::vector<std::string> purposes;
  for (std::string purpose = season.open(); purpose != "nothing"; purpose = season.open()) {
    purposes.push_back(purpose);
    if (purpose == "hold-out") {
      reject_by_pairs(season);
    } else {
      season.end(kAccept, 0.5);
    }
  }
  EXPECT_THAT(purposes, ElementsAre("duel", "hold-out", "duel", "hold-out", "duel", "hold-out"));
}

TEST(ContestsFall, OneThatFailsMakesWayForAllThatMayNot) {
  Season season(claimed());
  season.situation.exploring = false;
  for (std::uint64_t id = 1; id <= 5; ++id) {
    season.confirmations.waits({id}, 0.4 + 0.1 * static_cast<double>(id));
  }
  int hold_outs = 0;
  for (std::string purpose = season.open(); purpose != "nothing"; purpose = season.open()) {
    hold_outs += purpose == "hold-out" ? 1 : 0;
    season.end(purpose == "hold-out" ? kReject : kAccept, 0.5);
  }
  EXPECT_EQ(hold_outs, 5);
}

TEST(ContestsClaim, ComesAfterTheLastDuelAndOnAllDevices) {
  Season season(claimed());
  season.situation.devices = {"n/0", "n/1", "n/2", "n/3", "n/4", "n/5"};
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  season.confirmations.waits({2}, 0.6);
  EXPECT_EQ(season.play(kAccept, 0.9), "duel");
  EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.play(kAccept), "hold-out");
  EXPECT_EQ(season.last().devices, season.situation.devices);
}

TEST(ContestsClaim, WithoutAnIncumbentThereIsNone) {
  Season season(claimed());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kReject), "duel");
  EXPECT_EQ(season.open(), "nothing");
}

TEST(ContestsClaim, ItsSizeFollowsFromTheDuels) {
  Season season(claimed());
  season.situation.exploring = false;
  season.situation.devices = {"n/0"};
  season.confirmations.waits({1}, 0.9);
  season.open();
  Confirmation& duel = *season.confirmations.open().current();
  // Pairs of ln 1.3 and -ln 1.3 in turn: sd of eight is ln 1.3 * sqrt(8 / 7) = 0.280478.
  for (int i = 0; i < 16; ++i) {
    const Evaluation evaluation = *duel.next("n/0");
    duel.started(evaluation);
    EvaluationResult result;
    const bool slow = evaluation.arm == Arm::kCandidate && evaluation.round % 2 == 0;
    const bool fast = evaluation.arm == Arm::kCandidate && evaluation.round % 2 == 1;
    result.cost = slow ? 1.3 : fast ? 1 / 1.3 : 1;
    duel.finished(evaluation, result);
  }
  season.end(kAccept, 0.75);
  EXPECT_EQ(season.play(kAccept), "hold-out");
  // (3.6079 * 0.280478 / (0.67 * 0.287682))^2 = 27.56
  EXPECT_EQ(season.last().pairs, 28);
}

// A duel of four pairs of this cost, then the hold-out with so many seconds left.
int pairs_of_claim(double cost, double seconds_left) {
  Season season(claimed());
  season.situation.exploring = false;
  season.situation.devices = {"n/0"};
  season.confirmations.waits({1}, cost);
  season.open();
  Confirmation& duel = *season.confirmations.open().current();
  for (auto e = duel.next("n/0"); e; e = duel.next("n/0")) {
    duel.started(*e);
    EvaluationResult result;
    result.cost = (e->arm == Arm::kCandidate ? cost : 1) * (1 + 0.01 * (e->round % 3));
    duel.finished(*e, result);
  }
  season.end(kAccept, cost);
  season.situation.run_seconds = 100;
  season.situation.seconds_limit = seconds_left > 0 ? 100 + seconds_left : 0;
  season.situation.evaluation_seconds = 0.5;
  EXPECT_EQ(season.open(), "hold-out");
  return season.last().pairs;
}

TEST(ContestsClaim, ALandslideHasAsManyPairsAsTheTimeHasRoomForAndFourAtLeast) {
  EXPECT_EQ(pairs_of_claim(0.02, 0), 12) << "no budget of time";
  EXPECT_EQ(pairs_of_claim(0.02, 60), 12);
  EXPECT_EQ(pairs_of_claim(0.02, 6.5), 6);
  EXPECT_EQ(pairs_of_claim(0.02, 1), 4);
  EXPECT_EQ(pairs_of_claim(0.5, 1), 12) << "which a few pairs could not show";
}

TEST(ContestsClaim, CanBeSwitchedOff) {
  Season season(bare());
  season.situation.exploring = false;
  season.confirmations.waits({1}, 0.7);
  EXPECT_EQ(season.play(kAccept, 0.7), "duel");
  EXPECT_EQ(season.open(), "nothing");
}

}  // namespace
}  // namespace nightshift::scheduler
