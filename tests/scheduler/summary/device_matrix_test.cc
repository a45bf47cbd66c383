#include "scheduler/summary/device_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace nightshift::scheduler {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using Holds = GainThere::Holds;

constexpr double kT15 = 2.1314;  // Student's t at 97.5 % with 15 degrees of freedom

// A history of verdicts and explorations, made by hand.
class DeviceMatrixTest : public ::testing::Test {
 protected:
  DeviceMatrixTest() { problem.objectives = {{"time", "ms", search::Direction::kMinimise}}; }

  void kind(const std::string& device, const std::string& words) {
    history.remarks.push_back(
        {std::string(kIdentityRemark),
         identity_remark({search::IdentityPart::Kind::kDevice, device, words}), 1});
  }
  search::TrialId explore(const std::string& device, double score) {
    TrialRecord record;
    record.proposed.id = {history.trials.size() + 1};
    record.proposed.configuration =
        search::Configuration({{"x", static_cast<std::int64_t>(record.proposed.id.value)}});
    FinishedTrial finished;
    finished.device = device;
    finished.report.outcome = search::Measured{};
    finished.normalised = search::Score{score, 0.01};
    record.finished = std::move(finished);
    history.trials.push_back(std::move(record));
    return history.trials.back().proposed.id;
  }
  // Of 16 pairs on each device.
  void verdict(Purpose purpose, search::TrialId candidate, search::TrialId opponent,
               std::vector<std::pair<std::string, double>> ratios, double error = 0.01) {
    ConfirmationSetup setup;
    setup.id = {history.confirmations.size() + 1};
    setup.purpose = purpose;
    setup.candidate = candidate;
    setup.opponent = opponent;
    setup.level = 0.01;
    ConfirmationVerdict reached{setup.id, candidate, {}};
    reached.verdict.acceptance = search::Accept{"as told"};
    for (const auto& [device, ratio] : ratios) {
      reached.verdict.devices.push_back({device, 16, 0, -std::log(ratio), error});
    }
    history.confirmations.push_back(std::move(setup));
    history.verdicts.push_back(std::move(reached));
  }
  DeviceMatrix matrix(search::TrialId best = {}) const {
    return device_matrix_of(history, problem, baselines, best);
  }

  History history;
  search::Problem problem;
  std::vector<DeviceFigure> baselines;
};

TEST_F(DeviceMatrixTest, OneDeviceIsNoMatrix) {
  baselines = {{"n/cpu:1", 10}};
  const search::TrialId best = explore("n/cpu:1", 0.9);
  verdict(Purpose::kHoldOut, best, {}, {{"n/cpu:1", 0.9}});
  EXPECT_THAT(matrix(best).devices, IsEmpty());
  EXPECT_THAT(matrix(best).nodes, IsEmpty());
  EXPECT_THAT(matrix(best).kinds, IsEmpty());
}

TEST_F(DeviceMatrixTest, BaselinesAreRelativeToTheFastest) {
  baselines = {{"a/cpu:1", 10}, {"a/cpu:2", 12.1}, {"b/cpu:1", 22}};
  const DeviceMatrix found = matrix();
  ASSERT_EQ(found.devices.size(), 3U);
  EXPECT_DOUBLE_EQ(*found.devices[0].pace, 1);
  EXPECT_DOUBLE_EQ(*found.devices[2].pace, 2.2);
  ASSERT_EQ(found.nodes.size(), 2U);
  EXPECT_THAT(found.nodes[0].devices, ElementsAre("a/cpu:1", "a/cpu:2"));
  EXPECT_NEAR(*found.nodes[1].pace, 2, 1e-9) << "11 is the geometric mean of 10 and 12.1";
  EXPECT_FALSE(found.devices[0].gain);
  problem.objectives[0].direction = search::Direction::kMaximise;
  EXPECT_DOUBLE_EQ(*matrix().devices[2].pace, 1);
  baselines[0].value = 0;
  EXPECT_FALSE(matrix().devices[2].pace);
}

TEST_F(DeviceMatrixTest, AGainHoldsWhereThePairsOfTheDeviceShowIt) {
  baselines = {{"a/0", 10}, {"b/0", 10}, {"c/0", 10}, {"d/0", 10}};
  const search::TrialId best = explore("a/0", 0.9);
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", 0.9}, {"b/0", 1.03}, {"c/0", 0.99}});
  const DeviceMatrix found = matrix(best);
  ASSERT_EQ(found.devices.size(), 4U);
  const GainThere& a = *found.devices[0].gain;
  EXPECT_EQ(a.holds, Holds::kYes);
  EXPECT_NEAR(a.ratio, 0.9, 1e-12);
  EXPECT_NEAR(a.interval.low, 0.9 * std::exp(-0.01 * kT15), 1e-5);
  EXPECT_NEAR(a.interval.high, 0.9 * std::exp(0.01 * kT15), 1e-5);
  EXPECT_EQ(a.pairs, 16);
  EXPECT_EQ(found.devices[1].gain->holds, Holds::kNo);
  EXPECT_EQ(found.devices[2].gain->holds, Holds::kUndecided);
  EXPECT_FALSE(found.devices[3].gain) << "no pair was measured there";
}

TEST_F(DeviceMatrixTest, WithoutAHoldOutDuelsAddUp) {
  baselines = {{"a/0", 10}, {"b/0", 10}};
  const search::TrialId first = explore("a/0", 0.9), second = explore("b/0", 0.8);
  verdict(Purpose::kDuel, first, {}, {{"a/0", 0.9}, {"b/0", 0.9}}, 0.03);
  verdict(Purpose::kDuel, second, first, {{"a/0", 0.9}, {"b/0", 1.1}}, 0.04);
  const DeviceMatrix found = matrix(second);
  EXPECT_NEAR(found.devices[0].gain->ratio, 0.81, 1e-12);
  EXPECT_NEAR(found.devices[1].gain->ratio, 0.99, 1e-12);
  EXPECT_NEAR(found.devices[0].gain->interval.low, 0.81 * std::exp(-0.05 * kT15), 1e-4);
  // New pairs take the place of those by which it was chosen.
  verdict(Purpose::kHoldOut, second, {}, {{"a/0", 0.85}, {"b/0", 0.95}});
  EXPECT_NEAR(matrix(second).devices[0].gain->ratio, 0.85, 1e-12);
}

TEST_F(DeviceMatrixTest, ANodeJoinsItsDevicesAlike) {
  baselines = {{"a/0", 10}, {"a/1", 10}, {"b/0", 10}};
  const search::TrialId best = explore("a/0", 0.9);
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", 0.8}, {"a/1", 0.9}, {"b/0", 0.9}});
  const GainThere node = *matrix(best).nodes[0].gain;
  EXPECT_NEAR(node.ratio, std::sqrt(0.8 * 0.9), 1e-12);
  // sd 0.01 / sqrt(2), 30 degrees of freedom: t = 2.0423
  EXPECT_NEAR(std::log(node.interval.high / node.ratio), 0.01 / std::sqrt(2) * 2.0423, 1e-5);
  EXPECT_EQ(node.pairs, 32);
}

class KindsTest : public DeviceMatrixTest {
 protected:
  KindsTest() {
    baselines = {{"a/0", 10}, {"b/0", 20}, {"b/1", 20}};
    kind("a/0", "Large");
    kind("b/0", "Small");
    kind("b/1", "Small");
  }
};

TEST_F(KindsTest, EachKindHasABestAndOneMayBeGoodOnAll) {
  const search::TrialId best = explore("a/0", 0.8);
  const search::TrialId other = explore("b/0", 0.6);
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", 0.8}, {"b/0", 0.9}, {"b/1", 0.9}});
  const DeviceMatrix found = matrix(best);
  ASSERT_EQ(found.kinds.size(), 2U);
  const KindStanding &large = found.kinds[0], &small = found.kinds[1];
  EXPECT_EQ(large.place.name, "Large");
  EXPECT_NEAR(*small.place.pace, 2, 1e-12);
  EXPECT_EQ(large.confirmed->trial, best);
  EXPECT_NEAR(large.confirmed->ratio, 0.8, 1e-12);
  EXPECT_FALSE(large.seen) << "nothing else was measured there";
  EXPECT_EQ(small.confirmed->trial, best);
  EXPECT_EQ(small.confirmed->pairs, 32);
  ASSERT_TRUE(small.seen);
  EXPECT_EQ(small.seen->trial, other);
  EXPECT_EQ(small.seen->pairs, 0);
  EXPECT_EQ(small.seen->configuration.to_json(), R"({"x": 2})");
  EXPECT_EQ(found.good_on_all, Holds::kYes);
}

TEST_F(KindsTest, WhatIsWorseOnOneKindIsNotGoodOnAll) {
  const search::TrialId best = explore("a/0", 0.8);
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", 0.8}, {"b/0", 1.1}, {"b/1", 1.1}});
  const DeviceMatrix found = matrix(best);
  EXPECT_EQ(found.good_on_all, Holds::kNo);
  EXPECT_EQ(found.kinds[0].confirmed->trial, best);
  EXPECT_FALSE(found.kinds[1].confirmed);
  EXPECT_FALSE(found.kinds[1].seen) << "it is worse than the baseline";
}

TEST_F(KindsTest, PairsOfADuelConfirmNothing) {
  const search::TrialId best = explore("a/0", 0.8);
  verdict(Purpose::kDuel, best, {}, {{"a/0", 0.8}, {"b/0", 0.9}});
  const DeviceMatrix found = matrix(best);
  EXPECT_FALSE(found.kinds[1].confirmed);
  ASSERT_TRUE(found.kinds[1].seen);
  EXPECT_EQ(found.kinds[1].seen->pairs, 16);
  EXPECT_EQ(found.good_on_all, Holds::kYes) << "of the best it says what its pairs show";
}

TEST_F(KindsTest, AKindsClaimHasItsShareOfTheLevel) {
  const search::TrialId best = explore("a/0", 0.97);
  // t = 2.68 with 15 degrees of freedom: p = 0.0086, below 1 % and above its half.
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", std::exp(-0.0268)}, {"b/0", 0.9}});
  const DeviceMatrix found = matrix(best);
  EXPECT_FALSE(found.kinds[0].confirmed);
  ASSERT_TRUE(found.kinds[0].seen);
  EXPECT_TRUE(found.kinds[1].confirmed);
}

TEST_F(KindsTest, AHoldOutOnOneKindAloneConfirmsThere) {
  const search::TrialId best = explore("a/0", 0.8), small_one = explore("b/0", 0.7);
  verdict(Purpose::kHoldOut, best, {}, {{"a/0", 0.8}, {"b/0", 1.1}, {"b/1", 1.1}});
  verdict(Purpose::kHoldOut, small_one, {}, {{"b/0", 0.75}, {"b/1", 0.75}});
  const DeviceMatrix found = matrix(best);
  EXPECT_EQ(found.kinds[0].confirmed->trial, best);
  EXPECT_EQ(found.kinds[1].confirmed->trial, small_one);
  EXPECT_NEAR(found.kinds[1].confirmed->ratio, 0.75, 1e-12);
}

TEST_F(KindsTest, ScoresOfOtherKindsDoNotCount) {
  explore("a/0", 0.5);
  const search::TrialId here = explore("b/1", 0.9);
  const DeviceMatrix found = matrix();
  ASSERT_TRUE(found.kinds[1].seen);
  EXPECT_EQ(found.kinds[1].seen->trial, here);
  EXPECT_EQ(found.good_on_all, Holds::kUndecided);
}

}  // namespace
}  // namespace nightshift::scheduler
