#include "evaluator/sampling/warm_up_rule.h"

#include <gtest/gtest.h>

#include <functional>

#include "evaluator/process/timer_tick.h"

namespace nightshift::evaluator {
namespace {

search::SamplingPlan plan(int runs, double seconds, double min_sample) {
  search::SamplingPlan p;
  p.warm_up_runs = runs;
  p.warm_up_seconds = seconds;
  p.min_sample_seconds = min_sample;
  return p;
}

// Warms up a kernel whose call takes as long as `seconds_a_call` says of the time that has passed;
// returns how long that took.
double warm_up(WarmUpRule& rule, const std::function<double(double)>& seconds_a_call) {
  double elapsed = 0;
  while (!rule.done()) {
    const double took = seconds_a_call(elapsed) * static_cast<double>(rule.calls_per_sample());
    elapsed += took;
    rule.add(took, elapsed);
  }
  return elapsed;
}
double steadily(WarmUpRule& rule, double seconds) {
  return warm_up(rule, [seconds](double) { return seconds; });
}

TEST(WarmUpRule, ShortKernelIsCalledSeveralTimesASample) {
  WarmUpRule rule(plan(3, 0.01, 5e-5), 2e-8);
  rule.add(1e-6, 1e-6);
  EXPECT_EQ(rule.calls_per_sample(), 10u);  // grows tenfold at most
  rule.add(1e-5, 1.1e-5);
  EXPECT_EQ(rule.calls_per_sample(), 60u);  // a fifth more than is needed
  rule.add(6e-5, 7.1e-5);
  EXPECT_EQ(rule.calls_per_sample(), 60u);
  EXPECT_EQ(rule.calls(), 71u);
}

TEST(WarmUpRule, SampleIsAThousandTicksLong) {
  WarmUpRule rule(plan(3, 0.01, 5e-5), 1e-6);
  steadily(rule, 1e-5);
  EXPECT_GE(static_cast<double>(rule.calls_per_sample()) * 1e-5, 1e-3);
  EXPECT_LE(static_cast<double>(rule.calls_per_sample()) * 1e-5, 1.3e-3);
}

TEST(WarmUpRule, SampleIsOneCallWhereThatIsAskedFor) {
  WarmUpRule single(plan(3, 0.01, 0), 1e-6);
  steadily(single, 1e-5);
  EXPECT_EQ(single.calls_per_sample(), 1u);
  auto cold = plan(3, 0.01, 5e-5);
  cold.cold_cache = true;
  WarmUpRule rule(cold, 1e-6);
  steadily(rule, 1e-5);
  EXPECT_EQ(rule.calls_per_sample(), 1u);
}

TEST(WarmUpRule, KernelThatGotFasterIsCalledMoreOften) {
  WarmUpRule rule(plan(0, 0, 5e-5), 0);
  rule.add(1e-3, 1e-3);  // its first call was long enough by itself
  EXPECT_EQ(rule.calls_per_sample(), 1u);
  rule.add(1e-5, 1.01e-3);
  EXPECT_EQ(rule.calls_per_sample(), 6u);
  EXPECT_FALSE(rule.done());
}

TEST(WarmUpRule, SteadyKernelTakesThreeBatchesOfAMillisecond) {
  WarmUpRule rule(plan(0, 0, 5e-5), 0);
  const double took = steadily(rule, 1e-4);
  EXPECT_TRUE(rule.settled());
  EXPECT_GE(took, 3e-3 - 1e-9);
  EXPECT_LE(took, 3.4e-3);
}

TEST(WarmUpRule, RunsAndSecondsAreTheLeast) {
  WarmUpRule seconds(plan(3, 0.02, 5e-5), 0);
  EXPECT_GE(steadily(seconds, 1e-4), 0.02 - 1e-9);
  WarmUpRule runs(plan(7, 0, 5e-5), 0);
  EXPECT_NEAR(steadily(runs, 2), 14, 1e-9);  // beyond the most seconds, but runs are runs
  EXPECT_EQ(runs.calls(), 7u);
}

TEST(WarmUpRule, GoesOnWhileItGetsFaster) {
  WarmUpRule rule(plan(3, 0.001, 5e-5), 0);
  const auto cooling = [](double elapsed) { return elapsed < 0.05 ? 2e-4 - 2e-3 * elapsed : 1e-4; };
  const double took = warm_up(rule, cooling);
  EXPECT_TRUE(rule.settled());
  // The last batches before 0.05 s differ by 1 % a millisecond, so they agree only at its end.
  EXPECT_GE(took, 0.03);
  EXPECT_LE(took, 0.055);
}

TEST(WarmUpRule, BatchesFurtherApartThanTwoPercentDoNotAgree) {
  WarmUpRule rule(plan(0, 0, 0), 0);
  rule.add(0.0100, 0.0100);
  rule.add(0.0101, 0.0201);
  rule.add(0.01021, 0.03031);
  EXPECT_FALSE(rule.settled());
  rule.add(0.0102, 0.04051);  // the first is forgotten
  EXPECT_TRUE(rule.settled());
  EXPECT_TRUE(rule.done());
}

TEST(WarmUpRule, EndsUnsettledAfterTheMostSeconds) {
  const auto growing = [](double elapsed) { return 1e-3 * (1 + 50 * elapsed); };
  WarmUpRule short_one(plan(3, 0.001, 5e-5), 0);
  const double took = warm_up(short_one, growing);
  EXPECT_FALSE(short_one.settled());
  EXPECT_GE(took, 0.1);
  EXPECT_LE(took, 0.11);
  WarmUpRule long_one(plan(3, 0.05, 5e-5), 0);
  const auto alternating = [i = 0](double) mutable { return ++i % 2 == 0 ? 1e-3 : 2e-3; };
  EXPECT_NEAR(warm_up(long_one, alternating), 0.5, 0.003);
}

TEST(WarmUpRule, KernelThatTakesNoTimeEnds) {
  WarmUpRule rule(plan(3, 0, 5e-5), 0);
  for (int i = 1; i <= 12 && !rule.done(); ++i) rule.add(0, 0.2 * i);
  EXPECT_TRUE(rule.done());
  EXPECT_EQ(rule.calls_per_sample(), 1'000'000'000u);
}

// Advances by 32 units every fifth reading, now and then by more.
struct CoarseClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<CoarseClock, duration>;
  static constexpr bool is_steady = true;
  static time_point now() {
    ++readings;
    if (readings % 5 == 0) time += duration{readings % 15 == 0 ? 64 : 32};
    return time_point(time);
  }
  static inline int readings = 0;
  static inline duration time{1000};
};

struct StandingClock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<StandingClock, duration>;
  static time_point now() { return {}; }
};

TEST(TimerTick, IsTheSmallestStepOfTheClock) {
  EXPECT_DOUBLE_EQ(smallest_step_seconds<CoarseClock>(20), 32e-9);
  EXPECT_EQ(smallest_step_seconds<StandingClock>(3), 0);
}

TEST(TimerTick, IsMeasuredOnce) {
  const double tick = timer_tick_seconds();
  EXPECT_GT(tick, 0);
  EXPECT_EQ(tick, timer_tick_seconds());
}

}  // namespace
}  // namespace nightshift::evaluator
