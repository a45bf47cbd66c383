#include "scheduler/summary/unsteadiness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/rng.h"

namespace nightshift::scheduler {
namespace {

std::vector<double> levels(std::size_t count, std::uint64_t seed, double noise,
                           const std::function<double(double)>& at) {
  base::Rng rng(seed);
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(at(static_cast<double>(i) / static_cast<double>(count)) + noise * rng.normal());
  }
  return all;
}

TEST(SlowScatter, IndependentLevelsHaveNone) {
  int shown = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    shown += slow_scatter(levels(30, seed, 0.1, [](double) { return 0; })) > 0 ? 1 : 0;
  }
  EXPECT_LE(shown, 20) << "1 %";
}

TEST(SlowScatter, WhatMovesSlowlyIsToldWithoutTheNoise) {
  const auto step = [](double at) { return at < 0.5 ? 0.0 : 0.2; };
  const auto drift = [](double at) { return 0.2 * at; };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NEAR(slow_scatter(levels(60, seed, 0.02, step)), 1.96 * 0.1, 0.03);
    EXPECT_NEAR(slow_scatter(levels(60, seed, 0.02, drift)), 1.96 * 0.2 / std::sqrt(12), 0.03);
  }
  EXPECT_EQ(slow_scatter(levels(7, 1, 0, drift)), 0) << "too few";
}

History history_of(const std::vector<double>& logarithms) {
  History history;
  for (std::size_t i = 0; i < logarithms.size(); ++i) {
    TrialRecord record;
    record.proposed.id = {i + 1};
    // Baselines, and what a confirmation compares with.
    record.proposed.job = i % 2 == 0 ? search::JobKind::kRebaseline : search::JobKind::kConfirm;
    if (i % 2 == 1) record.proposed.arm = Arm::kBaseline;
    FinishedTrial finished;
    finished.device = "n/cpu:1";
    finished.value = std::exp(logarithms[i]);
    finished.started = finished.finished = 1e9 + static_cast<double>(i);
    record.finished = finished;
    history.trials.push_back(record);
  }
  return history;
}

TEST(Unsteadiness, IsToldWhereItExceedsTheClaimsInterval) {
  const History history =
      history_of(levels(60, 3, 0.01, [](double at) { return at < 0.5 ? 0.0 : 0.2; }));
  const auto moved = unsteadiness_of(history, 0.5, {0.45, 0.55}, 0.005);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->device, "n/cpu:1");
  EXPECT_EQ(moved->evaluations, 60U);
  EXPECT_NEAR(moved->share, 0.22, 0.03);
  EXPECT_FALSE(unsteadiness_of(history, 0.5, {0.35, 0.65}, 0.005)) << "the brackets are wider";
  EXPECT_FALSE(unsteadiness_of(history, 0.5, {0.45, 0.55}, 0.9)) << "nobody asks for so little";
  EXPECT_FALSE(unsteadiness_of(history_of(levels(60, 3, 0.01, [](double) { return 0; })), 0.5,
                               {0.499, 0.501}, 0.005));
}

void add_self_test(History& history, double standard_error) {
  ConfirmationSetup setup;
  setup.id = {1};
  setup.purpose = Purpose::kSelfTest;
  history.confirmations.push_back(setup);
  ConfirmationVerdict verdict;
  verdict.id = {1};
  verdict.verdict.devices = {{"n/cpu:1", 16, 0, 0.01, standard_error}};
  history.verdicts.push_back(verdict);
}

TEST(WideSelfTest, SaysWhatItMeansAndWhatToChange) {
  History history;
  add_self_test(history, 0.05);  // 0.2 of a pair
  search::Problem problem;
  const std::string words = wide_self_test(history, problem);
  for (const char* part : {"the same code differed by 22 %", "16 pairs of the self-test",
                           "at most 128 pairs finds a difference of 6.2 %", "nightshift noise",
                           "measure.min_sample_seconds"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << " in: " << words;
  }
  history.verdicts[0].verdict.devices[0].standard_error = 0.005;
  EXPECT_EQ(wide_self_test(history, problem), "") << "0.6 % are found";
  history.verdicts[0].verdict.devices[0].standard_error = 0.05;
  problem.acceptance.min_improvement = 0.05;
  EXPECT_EQ(wide_self_test(history, problem), "") << "nothing smaller is asked for";
  history.confirmations[0].purpose = Purpose::kDuel;
  EXPECT_EQ(wide_self_test(history, {}), "");
}

// The self-test has met the usual one alone.
TEST(WideSelfTest, TellsOfBothModesOfAProgram) {
  base::Rng rng(5);
  std::size_t rare = 0;
  std::vector<double> logarithms;
  for (int i = 0; i < 60; ++i) {
    const bool is_rare = rng.uniform() < 0.25;
    rare += is_rare ? 1 : 0;
    logarithms.push_back((is_rare ? std::log(1.5) : 0) + 0.002 * rng.normal());
  }
  History history = history_of(logarithms);
  add_self_test(history, 0.0005);
  const std::string words = wide_self_test(history, search::Problem());
  const auto share = static_cast<int>(std::lround(100.0 * static_cast<double>(rare) / 60));
  for (const std::string& part :
       {std::string("one of two modes by chance: 'time' is about 1 ms, and 1.5 ms in "),
        std::to_string(share) + " % of 60 evaluations"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << " in: " << words;
  }
  EXPECT_EQ(words.find("of a pair (16 pairs"), std::string::npos) << words;

  History step = history_of(levels(60, 3, 0.002, [](double at) { return at < 0.7 ? 0 : 0.4; }));
  add_self_test(step, 0.0005);
  EXPECT_EQ(wide_self_test(step, search::Problem()), "") << "a level that moved once is no mode";
}

}  // namespace
}  // namespace nightshift::scheduler
