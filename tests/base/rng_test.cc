#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace nightshift::base {
namespace {

// From an independent implementation of both published algorithms.
TEST(Rng, IsXoshiroSeededBySplitMix) {
  Rng zero(0);
  for (const std::uint64_t expected :
       {0x99EC5F36CB75F2B4U, 0xBF6E1F784956452AU, 0x1A5F849D4933E6E0U, 0x6AA594F1262D2D2CU}) {
    EXPECT_EQ(zero.next(), expected);
  }
  Rng other(42);
  EXPECT_EQ(other.next(), 0x15780B2E0C2EC716U);
  EXPECT_EQ(other.next(), 0x6104D9866D113A7EU);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(7);
  std::array<int, 6> counts{};
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(rng.below(6));
  double chi_squared = 0;
  for (const int count : counts) chi_squared += std::pow(count - kDraws / 6.0, 2) / (kDraws / 6.0);
  EXPECT_LT(chi_squared, 20.5);  // 0.1 % point with 5 degrees of freedom
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, BelowHasNoModuloBias) {
  // 3 * 2^62: a plain modulo would hit the lowest quarter of the range twice as often as it should.
  constexpr std::uint64_t kRange = std::uint64_t{3} << 62;
  Rng rng(3);
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += rng.below(kRange) < kRange / 3 ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 300);
}

TEST(Rng, UniformLiesInItsInterval) {
  Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.012);
}

TEST(Rng, NormalHasTheMomentsOfOne) {
  Rng rng(5);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, fourth = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.012);
  EXPECT_NEAR(squares / kDraws, 1, 0.018);
  EXPECT_NEAR(fourth / kDraws, 3, 0.13);
  EXPECT_NEAR(beyond_two, 0.0455 * kDraws, 260);
}

TEST(Rng, NormalIsTheLogarithmOfThePolarMethod) {
  Rng rng(11);
  Rng same(11);
  for (int i = 0; i < 1000; ++i) {
    double u = 0, s = 0;
    do {
      u = 2 * same.uniform() - 1;
      const double v = 2 * same.uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    const double expected = u * std::sqrt(-2 * std::log(s) / s);
    EXPECT_NEAR(rng.normal(), expected, 1e-14 * (1 + std::abs(expected)));
  }
}

TEST(Rng, ShuffleIsAPermutation) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  Rng rng(2);
  rng.shuffle(items);
  EXPECT_FALSE(std::is_sorted(items.begin(), items.end()));
  EXPECT_EQ(std::set<int>(items.begin(), items.end()).size(), 100U);
}

TEST(Rng, PartsOfASeedAreUnrelated) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (std::uint64_t part = 0; part < 50; ++part) seeds.insert(mix_seed(seed, part));
  }
  EXPECT_EQ(seeds.size(), 2500U);
  EXPECT_EQ(mix_seed(1, 2), mix_seed(1, 2));
}

}  // namespace
}  // namespace nightshift::base
