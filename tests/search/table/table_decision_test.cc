#include "search/table/table_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/table/simulated_table.h"

namespace nightshift::search {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// Candidate 1 is good where M is small, 2 where it is large, 3 is slower everywhere.
SimulatedTable two_regions(double noise, std::uint64_t seed) {
  std::vector<std::vector<double>> truth;
  for (int s = 0; s < 12; ++s) {
    truth.push_back(s < 6 ? std::vector<double>{1, 0.7, 1.2, 1.1}
                          : std::vector<double>{1, 1.3, 0.8, 1.1});
  }
  return {truth, noise, seed};
}

TEST(TableDecision, GivesEachRegionItsConfigurationAndLearnsTheBorder) {
  SimulatedTable machine = two_regions(0.02, 1);
  const TableDecision table = decided_table(machine.matrix(), {}, machine);
  EXPECT_EQ(table.k, 2U);
  EXPECT_THAT(table.rows, ElementsAre(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2));
  EXPECT_TRUE(table.claim.accepted);
  EXPECT_NEAR(table.claim.ratio, std::sqrt(0.7 * 0.8), 0.02);
  EXPECT_EQ(table.depth, 1U);
  EXPECT_EQ(answer_of(table.unseen, {{"M", 70}, {"N", 64}}).choice, 0U) << "no divisor vouches";
  EXPECT_EQ(answer_of(table.unseen, {{"M", 192}, {"N", 64}}).choice, 1U);
  EXPECT_EQ(answer_of(table.unseen, {{"M", 640}, {"N", 64}}).choice, 2U);
}

TEST(TableDecision, WhatCannotBeShownToBeNoWorseKeepsTheDefault) {
  SimulatedTable machine = two_regions(0.02, 2);
  const std::vector<MatrixColumn> columns = machine.matrix();
  machine.truth[0][1] = 1.05;  // the matrix was wrong about it
  const TableDecision table = decided_table(columns, {}, machine);
  EXPECT_EQ(table.shapes[0].proposed, 1U);
  EXPECT_FALSE(table.shapes[0].shown);
  EXPECT_EQ(table.rows[0], 0U);
  EXPECT_EQ(table.rows[1], 1U);
  EXPECT_TRUE(table.claim.accepted);
}

TEST(TableDecision, WithoutAHoldOutThereIsNoTable) {
  SimulatedTable machine = two_regions(0.02, 3);
  machine.reaches_hold_out = false;
  const TableDecision table = decided_table(machine.matrix(), {}, machine);
  EXPECT_FALSE(table.claim.accepted);
  EXPECT_THAT(table.rows, Each(0U));
  EXPECT_THAT(table.unseen.tree, SizeIs(1));
  EXPECT_EQ(answer_of(table.unseen, {{"M", 192}, {"N", 64}}).choice, 0U);
}

TEST(TableDecision, KIsTakenWhereItIsAskedFor) {
  SimulatedTable machine = two_regions(0.001, 4);
  TableTerms terms;
  terms.k = 1;
  EXPECT_THAT(proposed_table(machine.matrix(), terms).curve.back().kept, ElementsAre(1));
}

TEST(TableDecision, LevelsOfShapesThatAreShownGoToTheOthers) {
  SimulatedTable machine = two_regions(0.005, 5);
  const TableDecision table = decided_table(machine.matrix(), {}, machine);
  double least = 1, most = 0;
  for (const ShapeVerdict& shape : table.shapes) {
    least = std::min(least, shape.level);
    most = std::max(most, shape.level);
  }
  EXPECT_NEAR(least, 0.01 / 12, 1e-12);
  EXPECT_NEAR(most, 0.01, 1e-12);
}

// tools/bench/accept has the rates over 200 tables and more; this is the same with one seed.
TEST(TableDecision, OfEqualCandidatesNoTableIsMade) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SimulatedTable machine(std::vector<std::vector<double>>(20, std::vector<double>(9, 1.0)), 0.03,
                           seed);
    const TableDecision table = decided_table(machine.matrix(), {}, machine);
    made += switched(table) > 0 ? 1 : 0;
    EXPECT_EQ(switched(table) > 0, table.claim.accepted);
  }
  EXPECT_EQ(made, 0);
}

TEST(TableDecision, NothingIsAskedWhereNothingGains) {
  SimulatedTable machine(std::vector<std::vector<double>>(5, {1, 1.4, 1.2}), 0.01, 7);
  const TableDecision table = decided_table(machine.matrix(), {}, machine);
  EXPECT_EQ(machine.asked, 0);
  EXPECT_EQ(table.claim.reason, "every shape keeps the default");
}

}  // namespace
}  // namespace nightshift::search
