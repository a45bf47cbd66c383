#include "search/statistics/confidence_sequence.h"

#include "search/rng.h"
#include "search/statistics/summary.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(ConfidenceSequence, AgreesWithTheReference) {
  for (const auto& c : fixture("t_mixture_confidence_sequence")["cases"]) {
    const double factor = t_mixture_factor(c["n"], c["A"], c["c2"]);
    if (c["factor"].is_null()) {
      EXPECT_EQ(factor, kInfinity) << c;
    } else {
      expect_close(factor, c["factor"], c.dump());
    }
  }
}

TEST(ConfidenceSequence, IsAroundTheMean) {
  const Values x = {1, 2, 4, 3, 5, 4, 2, 3, 3, 3, 4, 2};
  const Interval interval = t_mixture_interval(x, 0.1);
  const double reach = t_mixture_factor(12, 0.1, 4) * sd_of(x);
  EXPECT_EQ(interval.low, mean_of(x) - reach);
  EXPECT_EQ(interval.high, mean_of(x) + reach);
  const Interval far = t_mixture_interval(shifted(x, 1e9), 0.1);
  EXPECT_NEAR(far.high - far.low, interval.high - interval.low, 1e-6);
}

TEST(ConfidenceSequence, OfTooFewEqualOrNotFiniteValuesIsUnbounded) {
  for (const Values& x : {Values{}, Values{1}, Values{1, 2}, Values(30, 2.0)}) {
    EXPECT_EQ(t_mixture_interval(x, 0.05).low, -kInfinity);
    EXPECT_EQ(t_mixture_interval(x, 0.05).high, kInfinity);
  }
  Values bad(30, 1.0);
  bad[3] = kNaN;
  EXPECT_EQ(t_mixture_interval(bad, 0.05).low, -kInfinity);
  for (const double alpha : {0.0, 1.0, -1.0, kNaN}) {
    EXPECT_EQ(t_mixture_factor(30, alpha), kInfinity);
  }
  for (const double c2 : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_EQ(t_mixture_factor(30, 0.05, c2), kInfinity);
  }
}

// The interval is looked at after every value up to 200; a plain 90 % t interval would lose the
// truth in most runs.
TEST(ConfidenceSequence, HoldsAtAllTimesTogether) {
  Rng rng(21);
  constexpr int kRuns = 1000;
  int lost = 0;
  for (int run = 0; run < kRuns; ++run) {
    Values x;
    bool inside = true;
    for (int i = 0; i < 200 && inside; ++i) {
      x.push_back(rng.normal());
      const Interval interval = t_mixture_interval(x, 0.1);
      inside = interval.low <= 0 && 0 <= interval.high;
    }
    lost += inside ? 0 : 1;
  }
  EXPECT_LE(lost, kRuns * 0.1);
  EXPECT_GT(lost, kRuns * 0.01);
}

}  // namespace
}  // namespace nightshift::search
