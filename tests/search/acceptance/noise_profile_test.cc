#include "search/acceptance/noise_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/rng.h"
#include "search/acceptance/aa_error.h"
#include "search/statistics/power.h"

namespace nightshift::search {
namespace {

// Evaluations 0.1 s apart, the first of every four in a process that costs 0.4 s more; `log` is the
// logarithm of evaluation i of process p.
std::vector<NoiseEvaluation> evaluations_of(int count,
                                            const std::function<double(int i, int p)>& log,
                                            double launch_sd = 0.001) {
  base::Rng rng(3);
  std::vector<NoiseEvaluation> evaluations;
  double at = 0;
  for (int i = 0; i < count; ++i) {
    NoiseEvaluation v;
    v.fresh_process = i % 4 == 0;
    v.started = at;
    at += v.fresh_process ? 0.5 : 0.1;
    v.finished = at;
    v.value = std::exp(log(i, i / 4));
    for (int s = 0; s < 9; ++s) v.samples.push_back(v.value * std::exp(launch_sd * rng.normal()));
    evaluations.push_back(v);
  }
  return evaluations;
}

TEST(NoiseProfile, OfFewVisitsIsEmpty) {
  EXPECT_EQ(profile_noise({}, 1).evaluations.count, 0U);
  EXPECT_EQ(profile_noise(evaluations_of(3, [](int, int) { return 0.0; }), 1).evaluations.count,
            0U);
}

TEST(NoiseProfile, FindsTheScatterOfEachLevel) {
  base::Rng rng(1);
  std::vector<double> luck;
  for (int p = 0; p < 100; ++p) luck.push_back(0.03 * rng.normal());
  const auto evaluations = evaluations_of(
      400, [&](int, int p) { return luck[static_cast<std::size_t>(p)] + 0.01 * rng.normal(); });
  const NoiseLevels levels = profile_noise(evaluations, 1).levels;
  EXPECT_GT(levels.launch_sd, 0.0008);  // nine launches around their own median
  EXPECT_LT(levels.launch_sd, 0.001);
  EXPECT_NEAR(levels.evaluation_sd, 0.01, 0.001);
  EXPECT_NEAR(levels.process_sd, 0.03, 0.006);
  EXPECT_LT(levels.process_p, 1e-10);
  EXPECT_NEAR(levels.evaluation_seconds, 0.1, 1e-9);
  EXPECT_NEAR(levels.process_seconds, 0.4, 1e-9);
}

TEST(NoiseProfile, ProcessesThatDoNotDifferAreRarelySaidTo) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed);
    const auto evaluations = evaluations_of(64, [&](int, int) { return 0.02 * rng.normal(); });
    alarms += profile_noise(evaluations, 1).levels.process_p < 0.05 ? 1 : 0;
  }
  EXPECT_LE(alarms, 20);  // 10 are expected; above 20 with a chance of one in a thousand
  EXPECT_GE(alarms, 2);
}

TEST(NoiseProfile, ASlowDriftIsNoScatterOfProcesses) {
  base::Rng rng(1);
  const auto evaluations =
      evaluations_of(64, [&](int i, int) { return 0.001 * i + 0.005 * rng.normal(); });
  const NoiseProfile profile = profile_noise(evaluations, 1);
  EXPECT_LT(profile.levels.process_sd, 0.004);
  EXPECT_GT(profile.drift.per_minute, 3 * profile.drift.per_minute_error);
  EXPECT_NEAR(profile.drift.per_minute, 0.001 / 0.2 * 60, 0.05);
}

TEST(NoiseProfile, PlacesAStep) {
  base::Rng rng(1);
  const auto evaluations =
      evaluations_of(64, [&](int i, int) { return (i < 40 ? 0 : 0.05) + 0.005 * rng.normal(); });
  const Drift drift = profile_noise(evaluations, 1).drift;
  EXPECT_EQ(drift.step_before, 40U);
  EXPECT_NEAR(drift.step, 0.05, 0.004);
  EXPECT_GT(drift.step_t, 20);
}

TEST(NoiseProfile, CostsAreThoseOfPairsInTheirProcesses) {
  base::Rng rng(1);
  const auto evaluations = evaluations_of(400, [&](int, int) { return 0.01 * rng.normal(); });
  const NoiseProfile profile = profile_noise(evaluations, 1);
  EXPECT_NEAR(profile.pair_sd, 0.01 * std::sqrt(2.0), 0.0015);
  ASSERT_EQ(profile.detectable.size(), 4U);
  EXPECT_EQ(profile.detectable[1].gain, 0.01);
  const double cv = std::sqrt(std::expm1(profile.pair_sd * profile.pair_sd / 2));
  EXPECT_EQ(profile.detectable[1].pairs, paired_sample_size(0.01, 0.9, cv, 0.01));
  EXPECT_NEAR(profile.detectable[1].seconds,
              static_cast<double>(profile.detectable[1].pairs) * 2 * (0.1 + 0.25 * 0.4), 1e-9);
  EXPECT_GT(profile.detectable[0].pairs, profile.detectable[1].pairs);
}

TEST(AaErrors, BlocksAlarmUnderDriftAndPairsDoNot) {
  base::Rng rng(1);
  std::vector<double> drifting, steady;
  double level = 0;
  for (int i = 0; i < 512; ++i) {
    level += 0.004 * rng.normal();
    drifting.push_back(level + 0.005 * rng.normal());
    steady.push_back(0.005 * rng.normal());
  }
  const auto of_drift = aa_errors(drifting, 1), of_steady = aa_errors(steady, 1);
  ASSERT_EQ(of_drift.size(), 7U);  // 4 to 256 pairs
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(of_drift[i].paired_false, 0.09) << of_drift[i].pairs;
    EXPECT_LE(of_steady[i].paired_false, 0.09) << of_steady[i].pairs;
  }
  EXPECT_GT(of_drift[3].block_false, 0.3);
  EXPECT_LT(of_steady[3].block_false, 0.15);
  EXPECT_GT(of_drift[3].block_error, 3 * of_drift[3].paired_error);
  EXPECT_EQ(of_drift[0].block_places, 505U);
  EXPECT_LT(of_drift[4].paired_error, of_drift[0].paired_error);
}

TEST(NoiseAdvice, AsksForNoMoreThanTheWorstDeviceCanShow) {
  const auto device = [](std::size_t one_percent) {
    NoiseProfile p;
    p.detectable = {{0.005, one_percent * 4, 1},
                    {0.01, one_percent, 1},
                    {0.02, one_percent / 4, 1},
                    {0.05, one_percent / 25, 1}};
    return p;
  };
  const std::vector<NoiseProfile> quiet{device(20), device(40)}, noisy{device(20), device(800)};
  EXPECT_EQ(advise(quiet, 0, 20).min_improvement, 0.005);
  EXPECT_EQ(advise(quiet, 0, 20).max_pairs, 256);
  EXPECT_EQ(advise(noisy, 0, 20).min_improvement, 0.02);
  EXPECT_EQ(advise(noisy, 0, 20).max_pairs, 256);
  EXPECT_EQ(advise(quiet, 0, 20).samples, 0);
}

TEST(NoiseAdvice, TakesMoreLaunchesWhereTheyAreCheapAndScatter) {
  NoiseProfile p;
  p.levels.launch_sd = 0.05;
  p.levels.evaluation_sd = 0.03;
  p.levels.evaluation_seconds = 0.1;
  const int cheap = advise({&p, 1}, 0.0001, 20).samples, dear = advise({&p, 1}, 0.004, 20).samples;
  EXPECT_GT(cheap, dear);
  EXPECT_EQ(dear, 6);  // sqrt(0.02 s / 0.004 s) * 0.0627 / sqrt(0.03^2 - 0.0627^2 / 20) = 5.3
  p.levels.launch_sd = 0.001;
  EXPECT_EQ(advise({&p, 1}, 0.004, 20).samples, 5);
}

TEST(NoiseAdvice, OneJumpIsNoReasonForAProcessPerTrial) {
  NoiseProfile p;
  p.levels = {0.001, 0.01, 0.05, 0.04, 1e-6, 0.1, 0.4};
  EXPECT_TRUE(advise({&p, 1}, 0, 0).process_per_trial);
  p.levels.process_robust_sd = 0.005;
  EXPECT_FALSE(advise({&p, 1}, 0, 0).process_per_trial);
}

}  // namespace
}  // namespace nightshift::search
