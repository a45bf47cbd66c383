#include "scheduler/block_evaluations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scheduler/errors.h"
#include "tests/fakes/evaluation_driver.h"

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// The baseline and x = 1 and 2, by their times.
struct Matrix {
  explicit Matrix(int devices = 1) : driver(fakes::command_problem(8), devices) {
    driver.figure = [this](int x, std::size_t) {
      order.push_back(x);
      drift *= growth;
      return drift * (x < 0 ? 1.0 : 1.0 - 0.1 * x);
    };
  }
  bool run(int blocks) {
    std::vector<int> contenders{-1, 1, 2};
    if (ContenderFigures::needs_reference(driver.problem)) contenders.push_back(-1);
    plan.emplace(BlockEvaluations::Parts{driver.problem,
                                         driver.pool.devices(),
                                         {"the default", "one", "two"},
                                         blocks,
                                         7,
                                         [this](const MeasuredBlock&) { ++told; },
                                         [this] { return told >= enough; }});
    EvaluationLoop loop = driver.runner(contenders);
    return loop.run(*plan);
  }

  fakes::EvaluationDriver driver;
  double growth = 1, drift = 1;
  std::vector<int> order;
  int told = 0, enough = 1000;
  std::optional<BlockEvaluations> plan;
};

TEST(BlockEvaluations, HaveTheDefaultAtBothEndsAndEachOtherOnce) {
  Matrix matrix;
  ASSERT_TRUE(matrix.run(4));
  ASSERT_THAT(matrix.plan->blocks(), SizeIs(4));
  EXPECT_EQ(matrix.told, 4);
  const std::size_t warm = matrix.order.size() - 4 * 4;
  for (std::size_t at = warm; at < matrix.order.size(); at += 4) {
    EXPECT_EQ(matrix.order[at], -1);
    EXPECT_EQ(matrix.order[at + 3], -1);
    EXPECT_NE(matrix.order[at + 1], matrix.order[at + 2]);
  }
}

TEST(BlockEvaluations, WhatDriftsEvenlyCancels) {
  Matrix matrix;
  matrix.growth = 1.05;
  ASSERT_TRUE(matrix.run(3));
  for (const MeasuredBlock& block : matrix.plan->blocks()) {
    EXPECT_EQ(block.effects[0], 0);
    EXPECT_NEAR(block.effects[1], std::log(0.9), 1e-9);
    EXPECT_NEAR(block.effects[2], std::log(0.8), 1e-9);
  }
}

TEST(BlockEvaluations, AreSharedByTheDevices) {
  Matrix matrix(2);
  ASSERT_TRUE(matrix.run(3));
  ASSERT_THAT(matrix.plan->blocks(), SizeIs(3));
  const auto& blocks = matrix.plan->blocks();
  EXPECT_NE(blocks[0].device, blocks[1].device);
}

TEST(BlockEvaluations, NoneIsBegunOnceItIsLate) {
  Matrix matrix;
  matrix.enough = 2;
  ASSERT_TRUE(matrix.run(5));
  EXPECT_THAT(matrix.plan->blocks(), SizeIs(2));
}

TEST(BlockEvaluations, AContenderThatFailsIsNamed) {
  Matrix matrix;
  matrix.driver.failures[{2, 1}] = search::LaunchFailed{"no such file"};
  try {
    matrix.run(3);
    FAIL();
  } catch (const ContenderFailed& failed) {
    EXPECT_EQ(failed.contender(), 2U);
    EXPECT_THAT(failed.what(), HasSubstr("two failed on"));
  }
}

TEST(BlockEvaluations, ALostDeviceLeavesItsBlocksToTheOthers) {
  Matrix matrix(2);
  matrix.driver.pool.injected.push_back(DeviceFailed{1, "unplugged"});
  ASSERT_TRUE(matrix.run(4));
  EXPECT_THAT(matrix.plan->blocks(), SizeIs(4));
  EXPECT_THAT(matrix.plan->trouble(), HasSubstr("unplugged"));
}

}  // namespace
}  // namespace nightshift::scheduler
