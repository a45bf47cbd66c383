#include "scheduler/confirmation/succession.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nightshift::scheduler {
namespace {

using search::TrialId;

enum class By { kPairs, kFailure };

ConfirmationVerdict verdict(std::uint64_t id, std::uint64_t candidate, double ratio) {
  ConfirmationVerdict v{{id}, {candidate}, {}};
  v.verdict.acceptance = search::Accept{"yes"};
  v.verdict.ratio = ratio;
  v.verdict.devices = {{"n/gpu:0", 12, 0, -std::log(ratio), 0.01}};
  return v;
}

ConfirmationVerdict rejected(std::uint64_t id, std::uint64_t candidate, By by) {
  ConfirmationVerdict v = verdict(id, candidate, 1);
  v.verdict.acceptance = search::Reject{"no"};
  if (by == By::kFailure) {
    v.verdict.devices.clear();
    v.verdict.interval = {0, std::numeric_limits<double>::infinity()};
  }
  return v;
}

TEST(Succession, GainsOfDuelsAddUp) {
  Succession all;
  EXPECT_EQ(all.incumbent(), std::nullopt);
  EXPECT_EQ(all.gain(), 0);
  all.won_duel(verdict(1, 4, 0.8), 0.02);
  all.won_duel(verdict(2, 9, 0.5), 0.03);
  EXPECT_EQ(all.incumbent(), TrialId{9});
  EXPECT_NEAR(std::exp(-all.gain()), 0.4, 1e-12);
  EXPECT_EQ(all.pair_sd(), 0.03);
  EXPECT_EQ(all.reign()->by.value, 2U);
}

TEST(Succession, EachFinishingRoundIsAgainstTheWinner) {
  Succession all;
  all.won_duel(verdict(1, 4, 0.8), 0.02);
  all.no_worse(verdict(2, 5, 1.01));
  all.no_worse(verdict(3, 6, 1.002));
  EXPECT_EQ(all.incumbent(), TrialId{6});
  EXPECT_EQ(all.winner(), TrialId{4});
  EXPECT_NEAR(std::exp(-all.gain()), 0.8 * 1.002, 1e-12);
  EXPECT_NEAR(std::exp(-all.winner_gain()), 0.8, 1e-12);
  EXPECT_EQ(all.reign()->by.value, 3U);
  ConfirmationVerdict same_code = verdict(4, 7, 1);
  same_code.verdict.devices.clear();
  all.no_worse(same_code);
  EXPECT_EQ(all.incumbent(), TrialId{7});
  EXPECT_EQ(all.reign()->by.value, 1U) << "which had no pairs";
}

TEST(Succession, WhatFailsMakesWayForWhatItWasMadeFrom) {
  Succession all;
  all.won_duel(verdict(1, 4, 0.8), 0.02);
  all.no_worse(verdict(2, 5, 1));
  EXPECT_TRUE(all.held_out(rejected(3, 5, By::kFailure)));
  EXPECT_EQ(all.incumbent(), TrialId{4});
  EXPECT_TRUE(all.is_restored());
  EXPECT_TRUE(all.held_out(rejected(4, 4, By::kFailure)));
  EXPECT_EQ(all.incumbent(), std::nullopt);
  EXPECT_FALSE(all.is_restored());
  EXPECT_EQ(all.gain(), 0);
  ASSERT_EQ(all.falls().size(), 2U);
  EXPECT_EQ(all.falls()[0].hold_out.value, 3U);
}

TEST(Succession, PairsAreAgainstWhatItWasMadeFromAsWell) {
  Succession all;
  all.won_duel(verdict(1, 3, 0.9), 0.02);
  all.won_duel(verdict(2, 4, 0.8), 0.02);
  all.no_worse(verdict(3, 5, 1));
  EXPECT_TRUE(all.held_out(rejected(4, 5, By::kPairs)));
  EXPECT_EQ(all.incumbent(), TrialId{3});
  EXPECT_FALSE(all.reigns({4}));
  EXPECT_TRUE(all.reigns({3}));
}

TEST(Succession, OfAnotherCandidateOrWithoutAnAnswerNothingChanges) {
  Succession all;
  all.won_duel(verdict(1, 4, 0.8), 0.02);
  EXPECT_FALSE(all.held_out(rejected(2, 9, By::kPairs)));
  EXPECT_FALSE(all.held_out(verdict(3, 4, 0.8)));
  ConfirmationVerdict undecided = verdict(4, 4, 0.8);
  undecided.verdict.acceptance = search::Undecided{"a device was lost"};
  EXPECT_FALSE(all.held_out(undecided));
  EXPECT_EQ(all.incumbent(), TrialId{4});
}

TEST(Succession, WhoComesBackHasWhatItsOwnHoldOutSaid) {
  Succession all;
  all.won_duel(verdict(1, 4, 0.8), 0.02);
  EXPECT_FALSE(all.held_out(verdict(2, 4, 0.8)));
  all.won_duel(verdict(3, 9, 0.5), 0.02);
  EXPECT_EQ(all.reign()->hold_out.value, 0U);
  EXPECT_TRUE(all.held_out(rejected(4, 9, By::kPairs)));
  EXPECT_EQ(all.incumbent(), TrialId{4});
  EXPECT_EQ(all.reign()->hold_out.value, 2U);
}

TEST(Succession, TheThirdThatPairsRejectStays) {
  Succession all;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    all.won_duel(verdict(2 * id, id, 0.8), 0.02);
    EXPECT_EQ(all.held_out(rejected(2 * id + 1, id, By::kPairs)), id < 3);
  }
  EXPECT_EQ(all.incumbent(), TrialId{3});
}

TEST(Succession, WhatTheTimeCutOffHasNoFiguresAndHasNotFailed) {
  ConfirmationVerdict cut_off = rejected(1, 4, By::kFailure);
  EXPECT_TRUE(ended_at_failure(cut_off.verdict));
  cut_off.verdict.acceptance = search::Undecided{"the time budget was used up"};
  EXPECT_TRUE(has_no_figures(cut_off.verdict));
  EXPECT_FALSE(ended_at_failure(cut_off.verdict));
  EXPECT_FALSE(has_no_figures(rejected(2, 4, By::kPairs).verdict));
}

}  // namespace
}  // namespace nightshift::scheduler
