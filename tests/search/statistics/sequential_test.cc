#include "search/statistics/sequential.h"

#include <array>
#include <numeric>
#include <stdexcept>

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

const Values kDoubling = {0.0625, 0.125, 0.25, 0.5, 1};

TEST(SequentialLevels, AgreeWithTheReference) {
  const auto& entry = fixture("group_sequential_levels");
  const Values fractions = entry["information_fractions"];
  for (const auto& [alpha, levels] : entry["one_sided_nominal_levels"].items()) {
    expect_close(sequential_levels(std::stod(alpha), fractions), levels, alpha, 1e-9);
  }
}

TEST(SequentialLevels, OfOneLookAreAlpha) {
  for (const double alpha : {1e-200, 1e-9, 0.01, 0.5, 0.999}) {
    expect_close(sequential_levels(alpha, Values{1}), Values{alpha}, std::to_string(alpha), 1e-12);
  }
  EXPECT_TRUE(sequential_levels(0.01, {}).empty());
}

// Where all error is spent at two looks that are almost one, the second brings almost nothing new.
TEST(SequentialLevels, OfLooksAtTheSameDataAreTheErrorSpent) {
  const Values levels = sequential_levels(Values{0.999999, 1}, Values{0.01, 0.02});
  EXPECT_NEAR(levels[0], 0.01, 1e-13);
  EXPECT_NEAR(levels[1], 0.02, 1e-5);
}

// For two looks the joint distribution is bivariate normal: P(Z1 < a, Z2 < b), by an integral of
// its own, brute force over 2 * 10^5 trapezoids.
TEST(SequentialLevels, OfTwoLooksSpendWhatTheBivariateNormalSays) {
  const double fraction = 0.3;
  const Values levels = sequential_levels(Values{fraction, 1}, Values{0.004, 0.05});
  const double a = normal_upper_quantile(levels[0]);
  const double b = normal_upper_quantile(levels[1]);
  constexpr int kSteps = 200'000;
  const double step = (a + 10) / kSteps;
  double crossed_second = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = -10 + step * i;
    const double above = normal_upper_tail((b - std::sqrt(fraction) * z) / std::sqrt(1 - fraction));
    crossed_second += (i == 0 || i == kSteps ? 0.5 : 1) * step * above * std::exp(-0.5 * z * z) /
                      std::sqrt(2 * std::acos(-1.0));
  }
  EXPECT_NEAR(levels[0], 0.004, 1e-14);
  EXPECT_NEAR(crossed_second, 0.046, 1e-9);
}

TEST(SequentialLevels, SpendTheErrorOfSimulatedPaths) {
  const Values fractions = {0.1, 0.15, 0.6, 0.8, 1};
  const Values levels = sequential_levels(0.05, fractions);
  std::array<double, 5> boundaries{};
  for (std::size_t i = 0; i < 5; ++i) boundaries[i] = normal_upper_quantile(levels[i]);
  std::array<int, 5> crossed{};
  constexpr int kPaths = 400'000;
  base::Rng rng(31);
  for (int path = 0; path < kPaths; ++path) {
    double w = 0, last = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      w += std::sqrt(fractions[i] - last) * rng.normal();
      last = fractions[i];
      if (w > boundaries[i] * std::sqrt(last)) {
        ++crossed[i];
        break;
      }
    }
  }
  double last = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double p = 0.05 * (fractions[i] - last);
    last = fractions[i];
    EXPECT_NEAR(crossed[i], kPaths * p, 4 * std::sqrt(kPaths * p)) << i;
  }
}

TEST(SequentialLevels, SpendNothingWhereNothingIsGiven) {
  const Values levels = sequential_levels(Values{0.25, 0.5, 1}, Values{0.01, 0.01, 0.02});
  EXPECT_EQ(levels[1], 0);
  expect_close(levels[2], sequential_levels(Values{0.25, 1}, Values{0.01, 0.02})[1], "skipped",
               1e-9);
}

TEST(SequentialLevels, TakeManyLooksAndTinyErrors) {
  Values fractions(40);
  for (std::size_t i = 0; i < 40; ++i) fractions[i] = static_cast<double>(i + 1) / 40;
  const Values many = sequential_levels(0.01, fractions);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_GE(many[i], 0.01 / 40 * (1 - 1e-9));
    EXPECT_LT(many[i], 0.01 * fractions[i] + 1e-12);
  }
  const Values tiny = sequential_levels(1e-30, kDoubling);
  // Far out a path that has crossed before hardly crosses again by chance: almost the error itself.
  for (std::size_t i = 0; i < 5; ++i) {
    const double spent = 1e-30 * (kDoubling[i] - (i == 0 ? 0 : kDoubling[i - 1]));
    EXPECT_GT(tiny[i], spent * (1 - 1e-9));
    EXPECT_LT(tiny[i], 1.01 * spent);
  }
}

TEST(SequentialLevels, RefuseWhatMakesNoSense) {
  for (const Values& fractions :
       {Values{0.5, 0.5}, Values{0.5, 0.4}, Values{0, 1}, Values{0.5, 1.1}, Values{-1, 1},
        Values{kNaN, 1}, Values{0.5, kNaN}, Values{0.5, 0.5000001}}) {
    EXPECT_THROW(sequential_levels(0.01, fractions), std::invalid_argument) << fractions[1];
  }
  for (const double alpha : {0.0, 1.0, -0.1, 2.0, kNaN}) {
    EXPECT_THROW(sequential_levels(alpha, kDoubling), std::invalid_argument) << alpha;
  }
  EXPECT_THROW(sequential_levels(Values{0.5, 1}, Values{0.01}), std::invalid_argument);
  EXPECT_THROW(sequential_levels(Values{0.5, 1}, Values{0.02, 0.01}), std::invalid_argument);
}

StratifiedT stratified(const std::vector<Values>& devices, double margin = 0, double floor = 0) {
  return stratified_t(strata_of(devices), margin, floor);
}

const std::vector<Values> kThreeDevices = fixture("stratified_t_by_gpu")["diffs_by_gpu"];

TEST(StratifiedT, AgreesWithTheReference) {
  const auto& expect = fixture("stratified_t_by_gpu")["expect"];
  const StratifiedT result = stratified(kThreeDevices);
  expect_close(result.device_means, expect["gpu_means"], "means");
  expect_close(result.estimate, expect["estimate"], "estimate");
  expect_close(result.error, expect["se"], "se");
  expect_close(result.df, expect["df"], "df");
  expect_close(result.t, expect["t"], "t");
  expect_close(result.p, expect["p_greater"], "p");
  EXPECT_TRUE(result.all_positive());
}

TEST(StratifiedT, MarginIsTakenOffTheEffect) {
  const StratifiedT plain = stratified(kThreeDevices);
  const StratifiedT result = stratified(kThreeDevices, 0.01);
  EXPECT_EQ(result.estimate, plain.estimate);
  EXPECT_DOUBLE_EQ(result.t, (plain.estimate - 0.01) / plain.error);
  EXPECT_GT(result.p, plain.p);
  EXPECT_DOUBLE_EQ(stratified(kThreeDevices, plain.estimate).p, 0.5);
}

TEST(StratifiedT, OfOneDeviceIsThePlainTTest) {
  const std::vector<Values> one = {fixture("paired_t")["expect"]["diffs"]};
  const auto& expect = fixture("paired_t")["expect"];
  const StratifiedT result = stratified(one);
  expect_close(result.t, expect["t"], "t");
  expect_close(result.p, expect["p_greater"], "p");
  EXPECT_DOUBLE_EQ(result.df, 7);
  const Interval interval = interval_of(result, 0.95);
  expect_close({interval.low, interval.high}, expect["ci95"], "interval");
}

TEST(StratifiedT, WithoutEnoughDataShowsNothing) {
  for (const std::vector<Values>& devices :
       {std::vector<Values>{}, {{}}, {{0.1}}, {{0.1, 0.2}, {}}, {{0.1, 0.2}, {0.1}}}) {
    const StratifiedT result = stratified(devices);
    EXPECT_EQ(result.p, 1);
    EXPECT_EQ(result.t, 0);
    EXPECT_EQ(result.error, kInfinity);
    EXPECT_EQ(interval_of(result, 0.95).low, -kInfinity);
  }
  EXPECT_FALSE(stratified({}).all_positive());
  EXPECT_FALSE(stratified({{0.1, 0.2}, {}}).all_positive());
  EXPECT_FALSE(stratified({{0.1, 0.2}, {0, 0}}).all_positive());  // no effect on one device
  EXPECT_DOUBLE_EQ(stratified({{0.1}, {0.3}}).estimate, 0.2);
}

TEST(StratifiedT, OfValuesThatAreNotFiniteShowsNothing) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    const StratifiedT result = stratified({{0.1, 0.2, bad}, {0.1, 0.2}});
    EXPECT_EQ(result.p, 1);
    EXPECT_EQ(result.estimate, 0);
    EXPECT_FALSE(result.all_positive());
  }
}

TEST(StratifiedT, WithoutVarianceRestsOnTheFloor) {
  const std::vector<Values> equal = {{0.25, 0.25, 0.25}, {0.5, 0.5}};
  const StratifiedT nothing = stratified(equal);
  EXPECT_EQ(nothing.p, 1);
  EXPECT_EQ(nothing.t, 0);
  EXPECT_EQ(nothing.error, 0);
  EXPECT_EQ(nothing.estimate, 0.375);
  EXPECT_EQ(nothing.df, 3);
  EXPECT_EQ(interval_of(nothing, 0.95).low, -kInfinity);
  EXPECT_EQ(interval_of(nothing, 0.95).high, kInfinity);
  const StratifiedT floored = stratified(equal, 0, 0.36);
  EXPECT_DOUBLE_EQ(floored.error, std::sqrt(0.12 + 0.18) / 2);
  EXPECT_DOUBLE_EQ(floored.df, 0.3 * 0.3 / (0.12 * 0.12 / 2 + 0.18 * 0.18));
  EXPECT_DOUBLE_EQ(floored.p, student_upper_tail(floored.t, floored.df));
  // Equal pairs of zero difference: nothing either way.
  EXPECT_EQ(stratified({{0, 0, 0}}, 0, 1).p, 0.5);
  // The floor is one: it does not add to a larger variance.
  EXPECT_EQ(stratified(kThreeDevices, 0, 1e-9).error, stratified(kThreeDevices).error);
}

TEST(StratifiedT, OffsetAndScaleDoNotMatter) {
  const std::vector<Values> devices = {{1, 2, 3}, {3, 5, 4, 8}};  // means without rounding
  const StratifiedT plain = stratified(devices);
  const StratifiedT far = stratified({shifted(devices[0], 1e9), shifted(devices[1], 1e9)}, 1e9);
  EXPECT_DOUBLE_EQ(far.error, plain.error);
  EXPECT_DOUBLE_EQ(far.t, plain.t);
  for (const double scale : {1e-150, 1e140}) {
    std::vector<Values> scaled = devices;
    for (Values& device : scaled) {
      for (double& x : device) x *= scale;
    }
    EXPECT_NEAR(stratified(scaled).p, plain.p, 1e-12 * plain.p) << scale;
  }
}

// A duel of identical programs: every device with noise of its own, looks at 8 to 128 pairs.
bool accepted(base::Rng& rng, int devices, double effect, const Values& levels) {
  std::vector<Values> pairs(static_cast<std::size_t>(devices));
  for (std::size_t look = 0; look < levels.size(); ++look) {
    const std::size_t each = (std::size_t{8} << look) / pairs.size();
    for (std::size_t g = 0; g < pairs.size(); ++g) {
      while (pairs[g].size() < each) {
        pairs[g].push_back(effect + 0.03 * static_cast<double>(g + 1) * rng.normal());
      }
    }
    const StratifiedT result = stratified(pairs);
    if (result.p <= levels[look] && result.all_positive()) return true;
  }
  return false;
}

TEST(StratifiedT, LookedAtRepeatedlyKeepsItsError) {
  const Values levels = sequential_levels(0.05, kDoubling);
  constexpr int kDuels = 8000;
  for (const int devices : {1, 4}) {
    base::Rng rng(77);
    int accepts = 0;
    for (int i = 0; i < kDuels; ++i) accepts += accepted(rng, devices, 0, levels) ? 1 : 0;
    // Three standard deviations above 5 %; below it the agreement of devices takes its part.
    EXPECT_LT(accepts, kDuels * 0.05 + 3 * std::sqrt(kDuels * 0.05)) << devices;
    EXPECT_GT(accepts, kDuels * 0.02) << devices;
  }
}

}  // namespace
}  // namespace nightshift::search
