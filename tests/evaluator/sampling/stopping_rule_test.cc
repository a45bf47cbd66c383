#include "evaluator/sampling/stopping_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/rng.h"
#include "tests/search/statistics/precision_of_mean.h"

namespace nightshift::evaluator {
namespace {

using Verdict = StoppingRule::Verdict;

search::SamplingPlan plan(int samples, int most, double precision) {
  search::SamplingPlan p;
  p.samples = samples;
  p.most_samples = most;
  p.precision = precision;
  return p;
}

struct End {
  Verdict verdict = Verdict::kGoOn;
  std::size_t samples = 0;
};
// Feeds the series until the rule has enough.
End run(StoppingRule& rule, const std::vector<double>& series, double seconds_each = 0) {
  End end;
  for (const double value : series) {
    ++end.samples;
    end.verdict = rule.add(value, static_cast<double>(end.samples) * seconds_each);
    if (end.verdict != Verdict::kGoOn) break;
  }
  return end;
}

// Lognormal noise around 1 with a lag-1 autocorrelation.
std::vector<double> noisy(std::uint64_t seed, std::size_t n, double sd, double lag1 = 0) {
  base::Rng rng(seed);
  std::vector<double> series;
  double state = rng.normal();
  for (std::size_t i = 0; i < n; ++i) {
    series.push_back(std::exp(sd * state));
    state = lag1 * state + std::sqrt(1 - lag1 * lag1) * rng.normal();
  }
  return series;
}

// What the rule has to do, by the slow way of looking at the whole series each time.
std::size_t first_precise(const std::vector<double>& series, std::size_t least, double tick,
                          double precision) {
  for (std::size_t n = least; n < series.size(); ++n) {
    if (search::precision_of_mean(std::span(series).first(n), tick).within(precision)) return n;
  }
  return series.size();
}

void expect_same(const search::MeanPrecision& a, const search::MeanPrecision& b) {
  EXPECT_NEAR(a.mean, b.mean, 1e-12 * std::abs(b.mean));
  EXPECT_NEAR(a.effective_n, b.effective_n, 1e-9 * b.effective_n);
  if (std::isinf(b.error)) {
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.half_width, b.half_width);
    return;
  }
  EXPECT_NEAR(a.error, b.error, 1e-9 * b.error);
  if (std::isinf(b.half_width)) {
    EXPECT_EQ(a.half_width, b.half_width);
  } else {
    EXPECT_NEAR(a.half_width, b.half_width, 1e-8 * b.half_width);
  }
}

TEST(StoppingRule, KnowsAfterEachSampleWhatTheWholeSeriesSays) {
  for (const double offset : {0.0, 1e3}) {
    for (const double lag1 : {0.0, 0.7, -0.5}) {
      auto series = noisy(3, 60, 0.1, lag1);
      for (double& x : series) x += offset;
      StoppingRule rule(plan(60, 60, 0), 0.001, 0);
      for (std::size_t n = 1; n <= series.size(); ++n) {
        rule.add(series[n - 1], 0);
        expect_same(rule.precision(), search::precision_of_mean(std::span(series).first(n), 0.001));
      }
    }
  }
}

TEST(StoppingRule, LargeOffsetKeepsTheDigits) {
  StoppingRule rule(plan(5, 5, 0), 0, 0);
  std::vector<double> series;
  for (int i = 0; i < 5; ++i) series.push_back(1e9 + i);
  run(rule, series);
  expect_same(rule.precision(), search::precision_of_mean(series, 0));
  EXPECT_NEAR(rule.lag1(), 0.4, 1e-12);
}

TEST(StoppingRule, WithoutPrecisionTakesExactlyTheSamplesAskedFor) {
  StoppingRule rule(plan(7, 200, 0), 0, 0);
  const End end = run(rule, noisy(1, 300, 0.5));
  EXPECT_EQ(end.verdict, Verdict::kComplete);
  EXPECT_EQ(end.samples, 7u);
  EXPECT_FALSE(rule.unstable());
}

TEST(StoppingRule, SteadySeriesEndsAtTheFewest) {
  StoppingRule rule(plan(20, 200, 0.005), 0, 0);
  const End end = run(rule, std::vector<double>(300, 2.5));
  EXPECT_EQ(end.verdict, Verdict::kComplete);
  EXPECT_EQ(end.samples, 20u);
  EXPECT_EQ(rule.lag1(), 0);
}

TEST(StoppingRule, EndsAtTheFirstSampleThatIsPreciseEnough) {
  for (const double tick : {0.0, 0.1}) {
    for (const double lag1 : {0.0, 0.6}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto series = noisy(seed, 2000, 0.03, lag1);
        StoppingRule rule(plan(10, 2000, 0.005), tick, 0);
        EXPECT_EQ(run(rule, series).samples, first_precise(series, 10, tick, 0.005))
            << "seed " << seed << ", lag-1 " << lag1 << ", tick " << tick;
      }
    }
  }
}

TEST(StoppingRule, CoarseTimerNeedsMoreSamplesOfTheSameValue) {
  StoppingRule rule(plan(20, 5000, 0.005), 0.2, 0);
  const std::vector<double> series(5000, 1);
  const End end = run(rule, series);
  EXPECT_EQ(end.verdict, Verdict::kComplete);
  EXPECT_EQ(end.samples, first_precise(series, 20, 0.2, 0.005));
  EXPECT_GT(end.samples, 500u);
}

TEST(StoppingRule, CapIsUnstableOnlyAboveOnePercent) {
  StoppingRule wide(plan(20, 40, 0.005), 0, 0);
  EXPECT_EQ(run(wide, noisy(1, 100, 0.2)).verdict, Verdict::kCapped);
  EXPECT_TRUE(wide.unstable());
  StoppingRule close(plan(20, 40, 0.005), 0, 0);
  const End end = run(close, noisy(1, 100, 0.025));
  EXPECT_EQ(end.verdict, Verdict::kCapped);
  EXPECT_EQ(end.samples, 40u);
  EXPECT_FALSE(close.precision().within(0.005));
  EXPECT_TRUE(close.precision().within(0.01));
  EXPECT_FALSE(close.unstable());
}

TEST(StoppingRule, MostIsNeverBelowTheFewest) {
  StoppingRule rule(plan(30, 10, 0.005), 0, 0);
  EXPECT_EQ(run(rule, noisy(1, 100, 0.2)).samples, 30u);
}

TEST(StoppingRule, TimeEndsItWithThreeSamples) {
  auto limited = plan(20, 200, 0);
  limited.max_seconds = 5;
  StoppingRule early(limited, 0, 0);
  EXPECT_EQ(run(early, noisy(1, 100, 0.1), 100).samples, 3u);
  StoppingRule later(limited, 0, 0);
  const End end = run(later, noisy(1, 100, 0.1), 1);
  EXPECT_EQ(end.samples, 5u);
  EXPECT_EQ(end.verdict, Verdict::kCapped);
}

TEST(StoppingRule, GivesUpWhenTheFirstThreeAreAbove) {
  StoppingRule rule(plan(20, 200, 0.005), 0, 4);
  const End end = run(rule, {5, 4.1, 6, 1, 1});
  EXPECT_EQ(end.verdict, Verdict::kGivenUp);
  EXPECT_EQ(end.samples, 3u);
}

TEST(StoppingRule, OneGoodSampleAmongTheFirstKeepsItGoing) {
  for (const std::vector<double>& first : {std::vector<double>{3, 5, 5}, {5, 3, 5}, {5, 5, 4}}) {
    StoppingRule rule(plan(20, 200, 0), 0, 4);
    std::vector<double> series = first;
    series.resize(50, 100);
    const End end = run(rule, series);
    EXPECT_EQ(end.verdict, Verdict::kComplete);
    EXPECT_EQ(end.samples, 20u);
  }
}

TEST(StoppingRule, WhatIsCompleteWithThreeSamplesIsNotGivenUp) {
  for (const int samples : {1, 2, 3}) {
    StoppingRule rule(plan(samples, 200, 0), 0, 4);
    const End end = run(rule, {5, 5, 5, 5});
    EXPECT_EQ(end.verdict, Verdict::kComplete);
    EXPECT_EQ(end.samples, static_cast<std::size_t>(samples));
  }
}

TEST(StoppingRule, NoLimitMeansNeverGivingUp) {
  StoppingRule rule(plan(20, 200, 0), 0, 0);
  EXPECT_EQ(run(rule, std::vector<double>(50, 1e9)).samples, 20u);
}

// The interval that the rule stops at holds the true mean nearly as often as one of fixed size
// does. The seeds are fixed, so the shares are exact.
TEST(StoppingRule, StoppingEarlyCostsLittleCoverage) {
  constexpr int kRuns = 2000;
  for (const double lag1 : {0.0, 0.4}) {
    int covered = 0;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      StoppingRule rule(plan(20, 1000, 0.005), 0, 0);
      run(rule, noisy(seed + 1000, 1000, 0.03, lag1));
      const auto known = rule.precision();
      covered += std::abs(known.mean - std::exp(0.03 * 0.03 / 2)) <= known.half_width ? 1 : 0;
    }
    EXPECT_GE(covered, kRuns * 90 / 100) << "lag-1 " << lag1;
    RecordProperty(lag1 == 0 ? "covered" : "covered_correlated", covered);
  }
}

}  // namespace
}  // namespace nightshift::evaluator
