#include "search/acceptance/recheck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace nightshift::search {
namespace {

enum class Shown { kYes, kNo, kUnclear };

// A verdict after `pairs` pairs on one device, with a standard error of `error` in logarithms.
Verdict measured(double ratio, Shown shown, double error = 0.001, int pairs = 32) {
  Verdict v;
  v.ratio = ratio;
  v.interval = {ratio * std::exp(-2 * error), ratio * std::exp(2 * error)};
  v.looks = {{pairs, -std::log(ratio), error, 0.5, 0.01}};
  v.devices.resize(1);
  switch (shown) {
    case Shown::kYes:
      v.acceptance = Accept{"shown"};
      break;
    case Shown::kNo:
      v.acceptance = Reject{"not shown"};
      break;
    case Shown::kUnclear:
      v.acceptance = Undecided{"the device was lost"};
      break;
  }
  return v;
}

// The winner was 20 % better than the baseline, and is another program now.
RecheckFacts facts() {
  RecheckFacts f;
  f.winner_before = "w";
  f.winner_now = "w2";
  f.baseline_before = f.baseline_now = "b";
  f.stored_ratio = 0.8;
  f.stored_interval = {0.795, 0.805};
  f.margin = 0.01;
  f.level = 0.005;
  return f;
}

TEST(RecheckStep, NothingIsMeasuredWhereMachineCodeAndMachineAreTheSame) {
  RecheckFacts f = facts();
  f.winner_now = "w";
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kUnchanged);
  f.source_changed = true;  // and yet the same machine code
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
}

TEST(RecheckStep, WhatIsAskedOtherwiseIsMeasuredAndWhatCannotBeComparedIsNot) {
  RecheckFacts f = facts();
  f.is_built = false;
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
  f.asked_otherwise = true;
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
  f.incomparable = "another figure";
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kUndecided);
}

TEST(RecheckStep, OtherCodeIsMeasuredAgainstTheOldAndThenAgainstTheBaseline) {
  RecheckFacts f = facts();
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstOld);
  f.against_old = measured(1, Shown::kNo);
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
  f.against_baseline = measured(0.8, Shown::kYes);
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
}

TEST(RecheckStep, TheBaselineAloneIsAskedWhereOldCodeSaysNothingNew) {
  RecheckFacts f = facts();
  f.unpaired = "it is kept nowhere";
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
  f = facts();
  f.winner_now = "w";
  f.machine_changed = true;
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
  f.machine_changed = false;
  f.baseline_now = "b2";
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
}

TEST(RecheckStep, WhatIsBrokenIsNotMeasured) {
  RecheckFacts f = facts();
  f.broken = "does not build";
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kBroken);
}

TEST(RecheckStep, WithoutABuildFilesDecide) {
  RecheckFacts f = facts();
  f.is_built = false;
  f.winner_before = f.winner_now = f.baseline_before = f.baseline_now = "";
  f.unpaired = "nothing is built";
  EXPECT_EQ(next_step(f), RecheckStep::kNothing);
  f.source_changed = true;
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
}

TEST(RecheckStep, UnknownHashesAreNotEqual) {
  RecheckFacts f = facts();
  f.winner_before = f.winner_now = "";
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstOld);
}

TEST(Recheck, SpeedAgainstTheOldCode) {
  struct Row {
    double ratio;
    Shown shown;
    double error;
    SpeedChange expected;
  };
  const std::vector<Row> rows = {
      {1.03, Shown::kYes, 0.002, SpeedChange::kRegressed},
      {0.97, Shown::kYes, 0.002, SpeedChange::kFaster},
      {1.005, Shown::kYes, 0.001, SpeedChange::kSame},  // real, and not worth mentioning
      {0.995, Shown::kYes, 0.001, SpeedChange::kSame},
      {1.001, Shown::kNo, 0.002, SpeedChange::kSame},
      {1.001, Shown::kNo, 0.02, SpeedChange::kUndecided},  // may be 4 %
      {0.98, Shown::kNo, 0.002, SpeedChange::kUndecided},
      {1.03, Shown::kUnclear, 0.002, SpeedChange::kUndecided},
  };
  for (const Row& row : rows) {
    RecheckFacts f = facts();
    f.against_old = measured(row.ratio, row.shown, row.error);
    EXPECT_EQ(speed_change(f), row.expected) << row.ratio << " +- " << row.error;
  }
  EXPECT_EQ(speed_change(facts()), SpeedChange::kNotAsked);
}

TEST(Recheck, AdvantageAgainstTheStoredOne) {
  struct Row {
    double ratio;
    Shown shown;
    double error;
    AdvantageChange expected;
  };
  const std::vector<Row> rows = {
      {0.80, Shown::kYes, 0.002, AdvantageChange::kHeld},
      {0.70, Shown::kYes, 0.002, AdvantageChange::kHeld},  // more than was stored
      {0.82, Shown::kYes, 0.02, AdvantageChange::kHeld},   // may be chance
      {0.803, Shown::kYes, 0.0001, AdvantageChange::kHeld},
      {0.85, Shown::kYes, 0.002, AdvantageChange::kSmaller},
      {0.99, Shown::kNo, 0.01, AdvantageChange::kLost},
      {1.10, Shown::kYes, 0.01, AdvantageChange::kLost},
      {0.80, Shown::kNo, 0.2, AdvantageChange::kUndecided},
      {0.87, Shown::kYes, 0.04, AdvantageChange::kUndecided},  // half of it may be gone
      {0.80, Shown::kUnclear, 0.002, AdvantageChange::kUndecided},
  };
  for (const Row& row : rows) {
    RecheckFacts f = facts();
    f.against_baseline = measured(row.ratio, row.shown, row.error);
    EXPECT_EQ(advantage_change(f), row.expected) << row.ratio << " +- " << row.error;
  }
  EXPECT_EQ(advantage_change(facts()), AdvantageChange::kNotAsked);
}

// Somebody has mended the baseline: the winner's own machine code has no pairs with itself.
TEST(Recheck, AGainOverABaselineOfOnesOwnMachineCodeIsLost) {
  RecheckFacts f = facts();
  f.winner_now = f.baseline_now = "w";
  Verdict same;
  same.acceptance = Reject{"equal machine code"};
  same.interval = {1, 1};
  f.against_baseline = same;
  EXPECT_EQ(advantage_change(f), AdvantageChange::kLost);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kLost);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kLost);
  f.is_built = false;  // equal files may be told apart by their arguments
  EXPECT_EQ(advantage_change(f), AdvantageChange::kUndecided);
}

TEST(Recheck, LessThanTheMarginIsNotSmaller) {
  RecheckFacts f = facts();
  f.stored_interval = {0.7999, 0.8001};
  f.against_baseline = measured(0.805, Shown::kYes, 0.0001);
  EXPECT_EQ(advantage_change(f), AdvantageChange::kHeld);
  f.margin = 0.005;
  EXPECT_EQ(advantage_change(f), AdvantageChange::kSmaller);
}

TEST(Recheck, AStoredGainWithoutAnErrorOfItsOwnIsComparedByTodaysAlone) {
  RecheckFacts f = facts();
  f.stored_interval = {0.8, 0.8};
  f.against_baseline = measured(0.85, Shown::kYes, 0.002);
  EXPECT_EQ(advantage_change(f), AdvantageChange::kSmaller);
  f.stored_interval = kUnbounded;  // nothing is known of it: nothing can be shown
  EXPECT_EQ(advantage_change(f), AdvantageChange::kHeld);
}

TEST(Recheck, TheStricterTheLevelTheLessIsSmaller) {
  RecheckFacts f = facts();
  f.against_baseline = measured(0.815, Shown::kYes, 0.005);  // 3.3 joint standard errors
  EXPECT_EQ(advantage_change(f), AdvantageChange::kSmaller);
  f.level = 1e-4;
  EXPECT_EQ(advantage_change(f), AdvantageChange::kHeld);
}

TEST(Recheck, TheVerdictIsTheWorstOfBoth) {
  struct Row {
    double old_ratio;
    Shown old_shown;
    double ratio;
    Shown shown;
    RecheckVerdict expected;
  };
  const std::vector<Row> rows = {
      {1.0, Shown::kNo, 0.8, Shown::kYes, RecheckVerdict::kSameSpeed},
      {0.9, Shown::kYes, 0.8, Shown::kYes, RecheckVerdict::kFaster},
      {1.1, Shown::kYes, 0.8, Shown::kYes, RecheckVerdict::kRegressed},
      {1.1, Shown::kYes, 0.88, Shown::kYes, RecheckVerdict::kRegressed},
      {1.0, Shown::kNo, 0.88, Shown::kYes, RecheckVerdict::kSmaller},
      {0.9, Shown::kYes, 0.88, Shown::kYes, RecheckVerdict::kSmaller},
      {1.3, Shown::kYes, 1.04, Shown::kYes, RecheckVerdict::kLost},
      {1.0, Shown::kUnclear, 0.8, Shown::kYes, RecheckVerdict::kUndecided},
      {1.0, Shown::kNo, 0.8, Shown::kUnclear, RecheckVerdict::kUndecided},
      {1.1, Shown::kYes, 0.8, Shown::kUnclear, RecheckVerdict::kRegressed},
  };
  for (const Row& row : rows) {
    RecheckFacts f = facts();
    f.against_old = measured(row.old_ratio, row.old_shown);
    f.against_baseline = measured(row.ratio, row.shown);
    EXPECT_EQ(verdict_of(f), row.expected) << row.old_ratio << ", " << row.ratio;
  }
  RecheckFacts held = facts();
  held.winner_now = "w";
  held.machine_changed = true;
  held.against_baseline = measured(0.8, Shown::kYes);
  EXPECT_EQ(verdict_of(held), RecheckVerdict::kHeld);
}

TEST(Recheck, WhatWasNotReachedIsSaidUnlessItIsAlreadyWorse) {
  RecheckFacts f = facts();
  f.reached = false;
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kNotReached);
  f.against_old = measured(1.0, Shown::kNo);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kNotReached);
  f.against_old = measured(1.1, Shown::kYes);
  EXPECT_EQ(verdict_of(f), RecheckVerdict::kRegressed);
}

TEST(Recheck, EachQuestionHasItsShareOfTheLevel) {
  EXPECT_DOUBLE_EQ(shared_level(0.01, 10), 0.0005);
  EXPECT_DOUBLE_EQ(shared_level(0.01, 1), 0.005);
  EXPECT_DOUBLE_EQ(shared_level(0.01, 0), 0.005);
}

TEST(Recheck, AgainstTheBaselineThereIsAFixedNumberOfPairs) {
  AcceptanceSettings asked;
  asked.max_pairs = 64;
  const AcceptanceSettings old = settings_of(RecheckStep::kAgainstOld, asked, 0.003);
  EXPECT_EQ(old.level, 0.003);
  EXPECT_EQ(old.test, asked.test);
  EXPECT_EQ(old.max_pairs, 64);
  const AcceptanceSettings baseline = settings_of(RecheckStep::kAgainstBaseline, asked, 0.003);
  EXPECT_EQ(baseline.test, DuelTest::kFixed);
  EXPECT_EQ(baseline.max_pairs, 16);
  asked.max_pairs = 8;
  EXPECT_EQ(settings_of(RecheckStep::kAgainstBaseline, asked, 0.003).max_pairs, 8);
}

// Winners asked about in turn, by scripted verdicts.
struct Turns {
  bool run(const std::vector<double>& stored, const std::vector<double>& against_old,
           int late_after = 99, int stopped_after = 99) {
    for (const double ratio : stored) {
      all.push_back(facts());
      all.back().stored_ratio = ratio;
    }
    std::vector<RecheckFacts*> winners;
    for (RecheckFacts& f : all) winners.push_back(&f);
    return ask_in_turn(
        winners, {[](std::size_t) { return 0.04; },
                  [&] { return static_cast<int>(order.size()) >= late_after; },
                  [&](std::size_t i, RecheckStep step) {
                    if (step == RecheckStep::kAgainstOld) {
                      order.push_back(i);
                      levels.push_back(all[i].level);
                      all[i].against_old =
                          measured(against_old[i], against_old[i] == 1 ? Shown::kNo : Shown::kYes);
                    } else {
                      all[i].against_baseline = measured(all[i].stored_ratio, Shown::kYes);
                    }
                    return static_cast<int>(order.size()) < stopped_after;
                  }});
  }
  std::vector<RecheckFacts> all;
  std::vector<std::size_t> order;
  std::vector<double> levels;
};

TEST(RecheckTurns, TheLargestGainComesFirstAndWhatIsSettledLeavesItsShareOfTheLevel) {
  Turns turns;
  EXPECT_TRUE(turns.run({0.9, 0.5, 0.7}, {1, 1.05, 1}));
  EXPECT_EQ(turns.order, (std::vector<std::size_t>{1, 2, 0}));
  // Three are open, then two, since the first has regressed; the third is as it was.
  EXPECT_EQ(turns.levels, (std::vector<double>{0.04 / 6, 0.04 / 4, 0.04 / 4}));
  EXPECT_EQ(verdict_of(turns.all[1]), RecheckVerdict::kRegressed);
}

TEST(RecheckTurns, WhoComesTooLateIsNotReached) {
  Turns turns;
  EXPECT_TRUE(turns.run({0.9, 0.5}, {1, 1}, 1));
  EXPECT_EQ(verdict_of(turns.all[1]), RecheckVerdict::kSameSpeed);
  EXPECT_EQ(verdict_of(turns.all[0]), RecheckVerdict::kNotReached);
}

TEST(RecheckTurns, AStopLeavesTheRestNotReached) {
  Turns turns;
  EXPECT_FALSE(turns.run({0.9, 0.5}, {1, 1}, 99, 1));
  EXPECT_EQ(turns.order, (std::vector<std::size_t>{1}));
  EXPECT_FALSE(turns.all[0].reached);
}

TEST(Recheck, EveryVerdictHasAName) {
  for (std::size_t i = 0; i < kRecheckVerdicts; ++i) {
    EXPECT_FALSE(name_of(static_cast<RecheckVerdict>(i)).empty());
  }
  EXPECT_TRUE(is_worse(RecheckVerdict::kSmaller));
  EXPECT_FALSE(is_worse(RecheckVerdict::kBroken));
}

// --- A claim of somebody else ---

RecheckFacts claimed(double ratio) {
  RecheckFacts f = facts();
  f.machine_changed = true;
  f.winner_now = f.winner_before;
  f.stored_ratio = ratio;
  f.stored_interval = {ratio * 0.999, ratio * 1.001};
  return f;
}

TEST(ClaimVerdict, SaysHowTheGainStandsToTheClaim) {
  RecheckFacts f = claimed(0.8);
  EXPECT_EQ(next_step(f), RecheckStep::kAgainstBaseline);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kNotReached);
  f.against_baseline = measured(0.8, Shown::kYes);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kHolds);
  f.against_baseline = measured(0.85, Shown::kYes);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kSmaller);
  f.against_baseline = measured(0.75, Shown::kYes);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kLarger);
  f.against_baseline = measured(1, Shown::kNo);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kLost);
  f.against_baseline = measured(1.2, Shown::kYes);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kLost);
  f.against_baseline = measured(0.8, Shown::kUnclear);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kUndecided);
  f.broken = "wrong answers";
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kBroken);
}

TEST(ClaimVerdict, ADifferenceBelowTheMarginOrWithinTheNoiseIsNone) {
  RecheckFacts f = claimed(0.8);
  for (const double ratio : {0.795, 0.805}) {
    f.against_baseline = measured(ratio, Shown::kYes);  // shown, and 0.6 % of a margin of 1 %
    EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kHolds) << ratio;
  }
  f.margin = 0.001;
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kSmaller);
  f.against_baseline = measured(0.78, Shown::kYes, 0.03);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kHolds);
  f.stored_interval = kUnbounded;  // a claim without an interval is held to nothing but a gain
  f.against_baseline = measured(0.5, Shown::kYes);
  EXPECT_EQ(claim_verdict_of(f), ClaimVerdict::kHolds);
}

}  // namespace
}  // namespace nightshift::search
