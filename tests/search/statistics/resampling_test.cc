#include "search/statistics/resampling.h"

#include "search/rng.h"
#include "search/statistics/summary.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(SignFlip, AgreesWithTheReference) {
  const auto& entry = fixture("sign_flip_permutation_exact");
  const auto& expect = entry["expect"];
  const PermutationTest test = sign_flip_test(Values(entry["d"]));
  EXPECT_TRUE(test.exact);
  expect_close(test.effect, expect["mean"], "mean");
  EXPECT_EQ(test.p_greater, expect["count_ge"].get<double>() / 1024);
  expect_close(test.p_greater, expect["p_greater"], "greater");
  expect_close(test.p_two_sided, expect["p_two_sided"], "two-sided");
}

TEST(SignFlip, CountsTiesWhateverTheirLastBits) {
  // 0.1 + 0.2 - 0.3 is not 0 in binary: all eight sums are 0, +-0.2, +-0.4, +-0.6.
  EXPECT_EQ(sign_flip_test(Values{0.1, 0.2, -0.3}).p_greater, 5.0 / 8);
  EXPECT_EQ(sign_flip_test(Values{-0.3, 0.1, 0.2}).p_greater, 5.0 / 8);
  EXPECT_EQ(sign_flip_test(Values{0.1, 0.2, -0.3}).p_two_sided, 1);
  EXPECT_EQ(sign_flip_test(Values{0, 0}).p_greater, 1);
}

TEST(SignFlip, OfNothingShowsNothing) {
  for (const Values& bad : {Values{}, Values{1, kNaN}, Values{kInfinity}}) {
    EXPECT_EQ(sign_flip_test(bad).p_greater, 1);
    EXPECT_EQ(sign_flip_test(bad).effect, 0);
  }
  EXPECT_EQ(sign_flip_test(Values{2}).p_greater, 0.5);
  EXPECT_EQ(sign_flip_test(Values{2}).p_two_sided, 1);
  EXPECT_EQ(sign_flip_test(Values{-2}).p_greater, 1);
}

TEST(SignFlip, DrawsBeyondTwentyAreThoseOfTheSeed) {
  const Values twenty(20, 1.0), more(21, 1.0);
  EXPECT_TRUE(sign_flip_test(twenty).exact);
  EXPECT_EQ(sign_flip_test(twenty).p_greater, std::ldexp(1, -20));
  const PermutationTest drawn = sign_flip_test(more);
  EXPECT_FALSE(drawn.exact);
  EXPECT_EQ(drawn.p_greater, 1.0 / 10'001);  // never 0
  Values mixed;
  for (int i = 0; i < 30; ++i) mixed.push_back(i % 3 - 0.7);
  EXPECT_EQ(sign_flip_test(mixed, {7, 500}).p_greater, sign_flip_test(mixed, {7, 500}).p_greater);
  EXPECT_NE(sign_flip_test(mixed, {7, 500}).p_greater, sign_flip_test(mixed, {8, 500}).p_greater);
}

TEST(SignFlip, DrawsEstimateWhatCountingGives) {
  Rng rng(5);
  Values d;
  for (int i = 0; i < 20; ++i) d.push_back(0.25 + rng.normal());
  const double exact = sign_flip_test(d).p_greater;
  d.push_back(0);  // a sign that does not matter, and one value more than is counted
  const PermutationTest drawn = sign_flip_test(d, {1, 40'000});
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.p_greater, exact, 4 * std::sqrt(exact * (1 - exact) / 40'000));
}

TEST(Permutation, AgreesWithTheReference) {
  const auto& entry = fixture("two_sample_permutation_exact");
  const auto& expect = entry["expect"];
  const Values x = entry["x"], y = entry["y"];
  const PermutationTest test = permutation_test(x, y);
  EXPECT_TRUE(test.exact);
  expect_close(test.effect, expect["diff"], "effect");
  expect_close(test.p_greater, expect["p_greater"], "greater");
  expect_close(test.p_two_sided, expect["p_two_sided"], "two-sided");
}

TEST(Permutation, OfUnequalSidesTurnsRound) {
  const Values x = {3, 1, 2, 5}, y = {4, 9};
  // Sums of y of the 15 pairs: 13 and 14 for {4, 9} and {5, 9}.
  const PermutationTest test = permutation_test(y, x);
  EXPECT_DOUBLE_EQ(test.p_greater, 2.0 / 15);
  const PermutationTest turned = permutation_test(x, y);
  EXPECT_EQ(turned.effect, -test.effect);
  EXPECT_DOUBLE_EQ(turned.p_greater, 14.0 / 15);  // all but {5, 9}
  EXPECT_EQ(turned.p_two_sided, test.p_two_sided);
  EXPECT_EQ(permutation_test(shifted(y, 1e9), shifted(x, 1e9)).p_two_sided, test.p_two_sided);
}

TEST(Permutation, OfNothingShowsNothing) {
  for (const Values& bad : {Values{}, Values{1, kNaN}, Values{kInfinity}}) {
    EXPECT_EQ(permutation_test(bad, Values{1, 2}).p_two_sided, 1);
    EXPECT_EQ(permutation_test(Values{1, 2}, bad).p_greater, 1);
  }
  EXPECT_EQ(permutation_test(Values{2, 2}, Values{2, 2, 2}).p_greater, 1);
  EXPECT_EQ(permutation_test(Values{3}, Values{2}).p_greater, 0.5);
}

TEST(Permutation, OfManyIsDrawn) {
  Values x, y;
  for (int i = 0; i < 40; ++i) x.push_back(i), y.push_back(i + 0.5);
  const PermutationTest test = permutation_test(x, y, {3, 2000});
  EXPECT_FALSE(test.exact);
  EXPECT_GT(test.p_greater, 0.4);
  EXPECT_EQ(permutation_test(x, y, {3, 2000}).p_greater, test.p_greater);
  for (double& v : x) v += 1000;
  EXPECT_EQ(permutation_test(x, y, {3, 2000}).p_greater, 1.0 / 2001);  // never 0
  // C(22, 11) = 705,432 are counted, C(23, 11) = 1,352,078 drawn.
  EXPECT_TRUE(permutation_test(Values(11, 1.0), Values(11, 2.0)).exact);
  EXPECT_FALSE(permutation_test(Values(11, 1.0), Values(12, 2.0)).exact);
  // One against 100,000: as many divisions, all counted.
  Values many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  EXPECT_NEAR(permutation_test(Values{99'998.5}, many).p_greater, 2.0 / 100'001, 1e-12);
  EXPECT_NEAR(permutation_test(many, Values{0.5}).p_greater, 2.0 / 100'001, 1e-12);
}

TEST(Bootstrap, AgreesWithTheReference) {
  const auto& entry = fixture("bootstrap_exact");
  const auto& expect = entry["expect"];
  const Values x = entry["x"];
  const Bootstrap mean = bootstrap(x, mean_of);
  EXPECT_TRUE(mean.exact);
  expect_close(mean.value, expect["mean"], "mean");
  expect_close(mean.standard_error, expect["se_boot"], "se");
  expect_close({mean.percentile.low, mean.percentile.high}, expect["percentile95_mean"], "mean");
  const Bootstrap median = bootstrap(x, median_of);
  expect_close({median.percentile.low, median.percentile.high}, expect["percentile95_median"],
               "median");
  const auto& bca = expect["bca"];
  EXPECT_EQ(mean.share_below, bca["share_strictly_below"]);
  expect_close(mean.bias_z0, bca["z0"], "z0");
  expect_close(mean.acceleration, bca["acceleration"], "a");
  expect_close({mean.bca_levels.low, mean.bca_levels.high}, bca["levels"], "levels");
  expect_close({mean.bca.low, mean.bca.high}, bca["ci95_mean"], "bca");
}

TEST(Bootstrap, OfTooFewOrEqualValuesIsAPointOrUnknown) {
  EXPECT_EQ(bootstrap({}, mean_of).percentile.low, -kInfinity);
  EXPECT_EQ(bootstrap({}, mean_of).bca.high, kInfinity);
  EXPECT_EQ(bootstrap(Values{1, kNaN}, mean_of).bca.high, kInfinity);
  for (const Values& equal : {Values{4}, Values{4, 4, 4}, Values(12, 4.0)}) {
    const Bootstrap point = bootstrap(equal, mean_of);
    EXPECT_EQ(point.value, 4);
    EXPECT_EQ(point.standard_error, 0);
    EXPECT_EQ(point.acceleration, 0);
    EXPECT_EQ(point.percentile.low, 4);
    EXPECT_EQ(point.bca.low, 4);
    EXPECT_EQ(point.bca.high, 4);
  }
}

TEST(Bootstrap, OfTwoIsKnownByHand) {
  // Means 1, 2, 2, 3: half are at or above... one of four is strictly below 2.
  const Bootstrap two = bootstrap(Values{1, 3}, mean_of, 0.5);
  EXPECT_EQ(two.share_below, 0.25);
  EXPECT_EQ(two.acceleration, 0);
  EXPECT_DOUBLE_EQ(two.standard_error, std::sqrt(0.5));
  EXPECT_EQ(two.percentile.low, 1.75);
  EXPECT_EQ(two.percentile.high, 2.25);
}

TEST(Bootstrap, DrawsAreThoseOfTheSeedAndClose) {
  const auto& entry = fixture("bootstrap_exact");
  Values x = entry["x"];
  for (const double more : {47.7, 47.9, 47.66, 47.81}) x.push_back(more);  // 9: drawn
  const Bootstrap one = bootstrap(x, mean_of, 0.95, {1, 20'000});
  const Bootstrap other = bootstrap(x, mean_of, 0.95, {2, 20'000});
  EXPECT_FALSE(one.exact);
  EXPECT_EQ(bootstrap(x, mean_of, 0.95, {1, 20'000}).bca.low, one.bca.low);
  const double width = one.percentile.high - one.percentile.low;
  EXPECT_NEAR(one.percentile.low, other.percentile.low, 0.03 * width);
  EXPECT_NEAR(one.percentile.high, other.percentile.high, 0.03 * width);
  EXPECT_NE(one.percentile.high, other.percentile.high);
  const double exact = sd_of(x) * std::sqrt(8.0 / 9) / 3;  // of a mean, without any resampling
  EXPECT_NEAR(one.standard_error, exact, 0.02 * exact);
}

// Far out the correction for skewness has a pole; beyond it the level is the end of its side.
TEST(Bootstrap, BcaLevelsEndAtThePole) {
  const Values x = {0, 0, 0, 0, 0, 0, 100};
  const Bootstrap far = bootstrap(x, mean_of, 1 - 1e-12);
  EXPECT_EQ(far.bca_levels.high, 1);
  EXPECT_EQ(far.bca.high, 100);
  EXPECT_EQ(far.bca.low, 0);
  // The largest mirrored: the same at the other end.
  const Bootstrap mirrored = bootstrap(Values{0, 0, 0, 0, 0, 0, -100}, mean_of, 1 - 1e-12);
  EXPECT_EQ(mirrored.bca_levels.low, 0);
  EXPECT_EQ(mirrored.bca.low, -100);
}

TEST(Bootstrap, OffsetDoesNotMatter) {
  const Values x = {1, 2, 4, 8, 9};
  const Bootstrap near = bootstrap(x, mean_of), far = bootstrap(shifted(x, 1e9), mean_of);
  EXPECT_EQ(far.share_below, near.share_below);
  EXPECT_NEAR(far.bca.low - 1e9, near.bca.low, 1e-5);
  EXPECT_NEAR(far.bca.high - 1e9, near.bca.high, 1e-5);
}

// Skewed data: the corrected interval misses on both sides, the plain one mostly on one.
TEST(Bootstrap, BcaCoversBetterThanThePercentilesWhereDataAreSkewed) {
  Rng rng(6);
  int percentile = 0, bca = 0;
  constexpr int kRuns = 600;
  for (int run = 0; run < kRuns; ++run) {
    Values x;
    for (int i = 0; i < 25; ++i) x.push_back(-std::log(1 - rng.uniform()));
    const Bootstrap b =
        bootstrap(x, mean_of, 0.95, {mix_seed(6, static_cast<std::uint64_t>(run)), 1000});
    percentile += b.percentile.low <= 1 && 1 <= b.percentile.high ? 1 : 0;
    bca += b.bca.low <= 1 && 1 <= b.bca.high ? 1 : 0;
  }
  EXPECT_GT(bca, percentile);
  EXPECT_GT(bca, kRuns * 0.90);
}

}  // namespace
}  // namespace nightshift::search
