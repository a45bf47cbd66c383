#include "scheduler/confirmation/duel_candidates.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using search::TrialId;
using Opponent = DuelCandidates::Opponent;

constexpr Opponent kBaseline{std::nullopt, 1};
constexpr Opponent kSeven{TrialId{7}, 0.8};

const auto kNobodyReigns = [](TrialId) { return false; };

TEST(DuelCandidates, TheBestScoreThatIsWorthADuelComesFirst) {
  DuelCandidates candidates;
  EXPECT_EQ(candidates.best(), std::nullopt);
  candidates.add({1}, 0.9, kBaseline);
  candidates.add({2}, 0.7, kBaseline);
  candidates.add({3}, 1.1, kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{2});
  EXPECT_FALSE(candidates.contains({3}));
}

TEST(DuelCandidates, OneInItsDuelWaitsNoMoreAndIsStillACandidate) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  candidates.begin({1});
  EXPECT_EQ(candidates.best(), std::nullopt);
  EXPECT_TRUE(candidates.contains({1}));
  candidates.rescore({1}, 0.5, kBaseline);
  EXPECT_EQ(candidates.best(), std::nullopt);
}

TEST(DuelCandidates, ANewScoreChangesThePlaceOfOneThatWaits) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  candidates.add({2}, 0.8, kBaseline);
  candidates.rescore({1}, 0.7, kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{1});
  candidates.rescore({1}, 1.2, kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{2});
  EXPECT_FALSE(candidates.contains({1}));
}

TEST(DuelCandidates, WhatIsNotWorthADuelWithTheWinnerWaitsAgainOnceThatHasFallen) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  candidates.add({2}, 0.75, kBaseline);
  candidates.add({7}, 0.7, kBaseline);
  candidates.begin({7});
  candidates.won({7}, kSeven);
  EXPECT_FALSE(candidates.contains({7}));
  EXPECT_FALSE(candidates.contains({1}));
  EXPECT_EQ(candidates.best(), TrialId{2});
  candidates.rescore({1}, 0.6, kSeven);
  EXPECT_EQ(candidates.best(), TrialId{2});
  candidates.take_back(kNobodyReigns, kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{1});
}

TEST(DuelCandidates, WhatAnIncumbentThatStillReignsTurnedAwayStaysAway) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kSeven);
  candidates.add({2}, 0.9, {TrialId{8}, 0.8});
  candidates.take_back([](TrialId trial) { return trial == TrialId{7}; }, kBaseline);
  EXPECT_FALSE(candidates.contains({1}));
  EXPECT_EQ(candidates.best(), TrialId{2});
}

TEST(DuelCandidates, WhoLosesToTheBaselineIsNoCandidateAnyMore) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  candidates.begin({1});
  candidates.lost({1}, kBaseline);
  candidates.take_back(kNobodyReigns, kBaseline);
  EXPECT_FALSE(candidates.contains({1}));
}

TEST(DuelCandidates, WhoLosesToAnIncumbentWaitsAgainOnceThatHasFallen) {
  DuelCandidates candidates;
  candidates.add({1}, 0.7, kSeven);
  candidates.begin({1});
  candidates.lost({1}, kSeven);
  EXPECT_FALSE(candidates.contains({1}));
  candidates.take_back(kNobodyReigns, kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{1});
}

TEST(DuelCandidates, UndecidedDuelsAreRepeatedAndNotForEver) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  for (int i = 1; i < DuelCandidates::kChances; ++i) {
    candidates.begin({1});
    candidates.undecided({1}, kBaseline);
    ASSERT_EQ(candidates.best(), TrialId{1}) << i;
  }
  candidates.begin({1});
  candidates.undecided({1}, kBaseline);
  EXPECT_FALSE(candidates.contains({1}));
}

TEST(DuelCandidates, WhatItsTimeWasTooShortForWaitsAgainInALaterRun) {
  DuelCandidates candidates;
  candidates.add({1}, 0.9, kBaseline);
  candidates.add({2}, 0.8, kBaseline);
  candidates.begin({2});
  candidates.put_off({2});
  EXPECT_EQ(candidates.best(), TrialId{1}) << "this run has no time for it";
  EXPECT_FALSE(candidates.contains({2}));
  candidates.take_up(kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{2});
  candidates.begin({2});
  candidates.put_off({2});
  candidates.begin({2});  // of a run that is repeated
  EXPECT_TRUE(candidates.contains({2}));
  candidates.lost({2}, kBaseline);
  candidates.take_up(kBaseline);
  EXPECT_EQ(candidates.best(), TrialId{1}) << "it was in its duel, which it lost";
}

TEST(DuelCandidates, ADuelWithAnIncumbentThatChangedCostsNoChance) {
  DuelCandidates candidates;
  candidates.add({1}, 0.7, kBaseline);
  for (int i = 0; i < 2 * DuelCandidates::kChances; ++i) {
    candidates.begin({1});
    candidates.put_back({1}, kSeven);
    ASSERT_EQ(candidates.best(), TrialId{1});
  }
}

}  // namespace
}  // namespace nightshift::scheduler
