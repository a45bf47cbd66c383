#include "search/statistics/shape.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/outliers.h"
#include "search/statistics/series.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

Values drawn(std::uint64_t seed, std::size_t n, const std::function<double(base::Rng&)>& draw) {
  base::Rng rng(seed);
  Values values;
  while (values.size() < n) values.push_back(draw(rng));
  return values;
}

double exponential(base::Rng& rng) { return -std::log(1 - rng.uniform()); }

TEST(Shape, BimodalityAgreesWithTheReference) {
  for (const auto& c : fixture("bimodality_coefficient")["cases"]) {
    const double bc = bimodality_coefficient(Values(c["x"]));
    expect_close(bc, c["bc"], "bc");
    EXPECT_EQ(bc > kBimodalCoefficient, c["flag"].get<bool>());
  }
}

TEST(Shape, MomentsOfKnownSamples) {
  // scipy.stats.skew and kurtosis, bias=False.
  const Values x = {1, 2, 3, 4, 10};
  EXPECT_NEAR(skewness(x), 1.6970562748477143, 1e-12);
  EXPECT_NEAR(excess_kurtosis(x), 3.152, 1e-12);
  EXPECT_NEAR(skewness(Values{-1, 0, 1}), 0, 1e-15);
  EXPECT_NEAR(skewness(shifted(x, 1e9)), skewness(x), 1e-12);
  EXPECT_NEAR(excess_kurtosis(shifted(x, 1e9)), excess_kurtosis(x), 1e-12);
}

TEST(Shape, OfTooFewOrEqualValuesThereIsNone) {
  for (const Values& x : {Values{}, Values{1}, Values{1, 2}, Values{3, 3, 3, 3, 3},
                          Values{1, 2, kNaN, 4, 5}, Values{1, 2, kInfinity, 4, 5}}) {
    EXPECT_EQ(skewness(x), 0);
    EXPECT_EQ(excess_kurtosis(x), 0);
    EXPECT_EQ(bimodality_coefficient(x), 0);
    EXPECT_EQ(two_means(x).gap, 0);
    EXPECT_EQ(classify(x), ShapeLabel::kUnknown);
  }
}

TEST(TwoMeans, FindsTheBestDivision) {
  const TwoMeans groups = two_means(Values{10, 1, 12, 3, 2, 11, 2});
  EXPECT_EQ(groups.low_mean, 2);
  EXPECT_EQ(groups.high_mean, 11);
  EXPECT_DOUBLE_EQ(groups.gap, 9 / std::sqrt(4.0 / 5));
  EXPECT_DOUBLE_EQ(groups.smaller_share, 3.0 / 7);
  EXPECT_EQ(groups.threshold, 3);
  const TwoMeans far = two_means(shifted({10, 1, 12, 3, 2, 11, 2}, 1e9));
  EXPECT_DOUBLE_EQ(far.gap, groups.gap);
}

TEST(TwoMeans, OfTwoTicksRestsOnTheTick) {
  const Values x = {6.560, 6.592, 6.560, 6.592, 6.592, 6.560};
  EXPECT_GT(two_means(x).gap, 1e6);
  EXPECT_NEAR(two_means(x, 0.032).gap, std::sqrt(12), 1e-9);
  EXPECT_EQ(two_means(Values{0, 0, 1, 1}).gap, kInfinity);
}

TEST(TwoMeans, OfKnownDistributions) {
  EXPECT_NEAR(two_means(drawn(1, 20'000, [](base::Rng& r) { return r.normal(); })).gap, 2.647,
              0.02);
  EXPECT_NEAR(two_means(drawn(1, 20'000, [](base::Rng& r) { return r.uniform(); })).gap, 3.464,
              0.02);
}

TEST(DistributionChange, AgreesWithTheReference) {
  const auto& entry = fixture("distribution_change");
  const Values x = entry["x"], y = entry["y"];
  const auto& expect = entry["expect"];
  expect_close(brown_forsythe(x, y).f, expect["brown_forsythe_W"], "W");
  expect_close(brown_forsythe(x, y).p, expect["brown_forsythe_p"], "W p");
}

TEST(BrownForsythe, OfTooFewOrEqualScatterShowsNothing) {
  const Values x = {1, 2, 3, 4};
  for (const auto& [a, b] :
       {std::pair(Values{}, x), std::pair(Values{1}, x), std::pair(Values{1, kNaN}, x),
        std::pair(Values{2, 2}, Values{3, 3}), std::pair(x, shifted(x, 1e9))}) {
    EXPECT_EQ(brown_forsythe(a, b).p, 1);
    EXPECT_EQ(brown_forsythe(b, a).f, 0);
  }
  EXPECT_EQ(brown_forsythe(Values{2, 2}, Values{1, 3}).p, 0);
}

TEST(Classify, NamesWhatItSees) {
  const auto normal = [](base::Rng& r) { return 100 + r.normal(); };
  EXPECT_EQ(classify(drawn(3, 100, normal)), ShapeLabel::kNormal);
  EXPECT_EQ(classify(Values(20, 5.0)), ShapeLabel::kConstant);
  EXPECT_EQ(classify(drawn(3, 11, normal)), ShapeLabel::kUnknown);
  EXPECT_EQ(classify(drawn(3, 100, [](base::Rng& r) { return 50 + exponential(r); })),
            ShapeLabel::kSkewed);

  Values spiky = drawn(4, 100, normal);
  for (const std::size_t at : {7U, 30U, 31U, 78U}) spiky[at] = 160;
  EXPECT_EQ(classify(spiky), ShapeLabel::kMostlyStable);

  // A third of the time 6 % slower, in evaluations of 20.
  Values modes = drawn(5, 240, normal);
  for (std::size_t i = 0; i < modes.size(); ++i) modes[i] += i / 20 % 3 == 1 ? 6 : 0;
  EXPECT_EQ(classify(modes), ShapeLabel::kBimodal);

  Values step = drawn(6, 60, normal);
  for (std::size_t i = 35; i < step.size(); ++i) step[i] += 8;
  EXPECT_EQ(classify(step), ShapeLabel::kDrifting);

  Values trend = drawn(7, 100, normal);
  for (std::size_t i = 0; i < trend.size(); ++i) trend[i] += 0.03 * static_cast<double>(i);
  EXPECT_EQ(classify(trend), ShapeLabel::kDrifting);
}

TEST(Classify, ManyOutliersAreAMode) {
  Values x = drawn(8, 100, [](base::Rng& r) { return 100 + r.normal(); });
  for (std::size_t i = 0; i < x.size(); i += 5) x[i] += 30;
  EXPECT_EQ(classify(x), ShapeLabel::kBimodal);
}

TEST(Classify, TwoTicksAreNormal) {
  const auto ticks = [](base::Rng& r) { return r.coin() ? 6.560 : 6.592; };
  EXPECT_EQ(classify(drawn(9, 60, ticks), 0.032), ShapeLabel::kNormal);
  EXPECT_EQ(classify(drawn(9, 60, ticks)), ShapeLabel::kBimodal);
}

TEST(Classify, AnAlternationIsNoDrift) {
  const auto series = drawn(10, 100, [](base::Rng& r) { return 100 + r.normal(); });
  Values alternating = series;
  for (std::size_t i = 0; i < alternating.size(); i += 2) alternating[i] += 1.5;
  EXPECT_NE(classify(alternating), ShapeLabel::kDrifting);
}

// How often a shape is called by another name; each figure is that of its seed.
TEST(Classify, SeldomErrs) {
  const auto share = [](ShapeLabel label, std::size_t n,
                        const std::function<double(base::Rng&)>& draw) {
    int count = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      count += classify(drawn(1000 + seed, n, draw)) == label ? 1 : 0;
    }
    return count / 400.0;
  };
  for (const std::size_t n : {16U, 32U, 100U, 400U}) {
    const auto normal = [](base::Rng& r) { return r.normal(); };
    EXPECT_GE(share(ShapeLabel::kNormal, n, normal) + share(ShapeLabel::kMostlyStable, n, normal),
              0.97)
        << n;
    EXPECT_LE(share(ShapeLabel::kBimodal, n, normal), 0.01) << n;
  }
  const auto uniform = [](base::Rng& r) { return r.uniform(); };
  EXPECT_LE(share(ShapeLabel::kBimodal, 100, uniform), 0.02);
  EXPECT_GE(share(ShapeLabel::kSkewed, 100, exponential), 0.98);
  const auto mixed = [](base::Rng& r) { return r.normal() + (r.uniform() < 0.3 ? 6 : 0); };
  EXPECT_GE(share(ShapeLabel::kBimodal, 100, mixed), 0.98);
  EXPECT_GE(share(ShapeLabel::kBimodal, 32, mixed), 0.90);
}

// The rules as they are documented, of a series without far outliers.
ShapeLabel documented(const Values& x) {
  const TwoMeans groups = two_means(x);
  const bool many = x.size() >= 32;
  const bool apart = groups.gap > (many ? 4 : 5) ||
                     (many && groups.gap > 3.5 && bimodality_coefficient(x) > 5.0 / 9);
  const double middle = (groups.low_mean + groups.high_mean) / 2;
  const double reach = (groups.high_mean - groups.low_mean) / 6;
  const auto around = [&](double centre) {
    return std::ranges::count_if(x, [&](double v) { return std::abs(v - centre) <= reach; });
  };
  const bool valley =
      2 * around(middle) < around(groups.low_mean) && 2 * around(middle) < around(groups.high_mean);
  if (groups.smaller_share >= 0.1 && apart && valley) {
    int changes = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      changes += (x[i] > middle) != (x[i - 1] > middle) ? 1 : 0;
    }
    return changes < 3 ? ShapeLabel::kDrifting : ShapeLabel::kBimodal;
  }
  if (ljung_box(x, 5).p < 0.001 && autocorrelation(x, 1)[0] > 0) return ShapeLabel::kDrifting;
  const auto n = static_cast<double>(x.size());
  const double error = std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  const double skew = std::abs(skewness(x));
  return skew > 0.5 && skew > 3.29 * error ? ShapeLabel::kSkewed : ShapeLabel::kNormal;
}

bool has_far_outliers(const Values& x) {
  return std::ranges::any_of(tukey_labels(x), [](OutlierLabel label) {
    return label == OutlierLabel::kLowSevere || label == OutlierLabel::kHighSevere;
  });
}

// Shapes around all limits: two modes near and far, rare and frequent, in long and short
// evaluations, waves, long tails.
TEST(Classify, FollowsItsRules) {
  base::Rng rng(40);
  std::map<ShapeLabel, int> seen;
  for (int run = 0; run < 12'000; ++run) {
    const std::size_t n = std::array{12U, 20U, 31U, 32U, 40U, 100U, 600U}[rng.below(7)];
    const double apart = 3 + 4 * rng.uniform(), share = 0.5 * rng.uniform();
    const double wave = rng.coin() ? 0.6 * rng.uniform() : 0, tail = rng.coin() ? rng.uniform() : 0;
    const bool modes = rng.coin();
    const std::size_t stay = 1 + rng.below(n);
    Values x;
    double last = rng.normal();
    bool second = rng.uniform() < share;
    while (x.size() < n) {
      last = wave * last + std::sqrt(1 - wave * wave) * rng.normal();
      if (x.size() % stay == 0) second = rng.uniform() < share;
      x.push_back((tail > 0 ? std::exp(0.5 * tail * last) / tail : last) +
                  (modes && second ? apart : 0));
    }
    if (has_far_outliers(x)) continue;
    const ShapeLabel label = classify(x);
    ++seen[label];
    ASSERT_EQ(label, documented(x)) << run << ": " << name_of(label) << " of " << n;
  }
  EXPECT_GT(seen[ShapeLabel::kNormal], 300);
  EXPECT_GT(seen[ShapeLabel::kSkewed], 300);
  EXPECT_GT(seen[ShapeLabel::kBimodal], 300);
  EXPECT_GT(seen[ShapeLabel::kDrifting], 300);
}

TEST(Classify, EveryLabelHasAName) {
  EXPECT_EQ(name_of(ShapeLabel::kMostlyStable), "mostly stable");
  EXPECT_EQ(name_of(ShapeLabel::kDrifting), "drifting");
  EXPECT_EQ(name_of(ShapeLabel::kUnknown), "unknown");
}

}  // namespace
}  // namespace nightshift::search
