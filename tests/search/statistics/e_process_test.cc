#include "search/statistics/e_process.h"

#include <algorithm>

#include "search/rng.h"
#include "search/statistics/strata.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

const Values kPairs = fixture("tanh_e_process")["d"];

TEST(EProcess, AgreesWithTheReference) {
  const auto& expect = fixture("tanh_e_process")["expect"];
  TanhEProcess process;
  Values running;
  for (const double d : kPairs) {
    process.add(d);
    running.push_back(process.log_e());
  }
  expect_close(running, expect["log_e_running_eps0"], "running");
  for (const auto& [alpha, first] : expect["first_n_reaching_1_over_alpha"].items()) {
    const auto at = std::ranges::find_if(
        running, [&](double log_e) { return log_e >= -std::log(std::stod(alpha)); });
    if (first.is_null()) {
      EXPECT_EQ(at, running.end());
    } else {
      EXPECT_EQ(at - running.begin() + 1, first.get<int>());
    }
  }
  expect_close(log_e_value(kPairs, 0.002), expect["log_e_final_eps_0p002"], "margin");
  expect_close(e_process_lower_bound(kPairs, 0.05), expect["lower_bound_alpha_0p05_at_n16"], ".05");
  expect_close(e_process_lower_bound(kPairs, 0.01), expect["lower_bound_alpha_0p01_at_n16"], ".01");
}

// The whole guarantee: without an effect the mean of E over the coins is 1.
TEST(EProcess, HasMeanOneOverAllCoins) {
  const Values sizes = {0.012, 0.004, 3, 0.0001, 0.07, 0.001, 50, 0, 0.3, 0.02, 1e-9};
  double sum = 0;
  for (unsigned coins = 0; coins < 1U << sizes.size(); ++coins) {
    TanhEProcess process;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      process.add((coins >> i & 1U) != 0 ? sizes[i] : -sizes[i]);
    }
    sum += std::exp(process.log_e());
  }
  EXPECT_NEAR(sum / (1U << sizes.size()), 1, 1e-12);
}

// The exact chance to reach 1/alpha at any of the looks, over all coins: Ville's inequality.
TEST(EProcess, ReachesOneOverAlphaWithChanceAtMostAlpha) {
  const Values sizes = {0.5, 0.01, 2, 0.003, 1, 0.02, 0.02, 0.7, 0.1, 0.05, 0.3, 0.001, 0.2, 0.04};
  for (const double alpha : {0.2, 0.05, 0.01}) {
    unsigned reached = 0;
    for (unsigned coins = 0; coins < 1U << sizes.size(); ++coins) {
      TanhEProcess process;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        process.add((coins >> i & 1U) != 0 ? sizes[i] : -sizes[i]);
        if (process.log_e() < -std::log(alpha)) continue;
        ++reached;
        break;
      }
    }
    const double chance = reached / static_cast<double>(1U << sizes.size());
    EXPECT_LE(chance, alpha);
    EXPECT_GT(chance, alpha / 10);
  }
}

TEST(EProcess, DoesNotDependOnTheOrderOfPairsOrDevices) {
  const std::vector<Values> devices = {{0.01, -0.002, 0.004}, {0.03}, {}, {0.005, 0.001}};
  const Values all = pooled(strata_of(devices));
  EXPECT_EQ(all, (Values{0.01, -0.002, 0.004, 0.03, 0.005, 0.001}));
  Values reversed(all.rbegin(), all.rend());
  EXPECT_NEAR(log_e_value(all), log_e_value(reversed), 1e-14);
}

TEST(EProcess, OfNothingIsOne) {
  EXPECT_EQ(TanhEProcess().log_e(), 0);
  EXPECT_EQ(log_e_value({}), 0);
  EXPECT_NEAR(log_e_value(Values{0, 0, 0}), 0, 1e-15);
  EXPECT_EQ(e_process_lower_bound({}, 0.05), -kInfinity);
}

TEST(EProcess, AnOutlierAtMostDoublesIt) {
  EXPECT_NEAR(log_e_value(Values{1e300}), std::log(2), 1e-15);
  EXPECT_NEAR(log_e_value(Values{1e300, 0.01, 0.02}) - log_e_value(Values{0.01, 0.02}), std::log(2),
              1e-14);
  EXPECT_LT(log_e_value(Values{-1e300}), -1e299);
  EXPECT_FALSE(std::isnan(log_e_value(Values{-1e308, -1e308, -1e308, 1e308})));
}

TEST(EProcess, FallsWithTheMargin) {
  double last = kInfinity;
  for (double margin = -0.05; margin < 0.05; margin += 0.001) {
    const double here = log_e_value(kPairs, margin);
    EXPECT_LT(here, last) << margin;
    last = here;
  }
}

TEST(EProcess, OfAMillionPairsNeitherOverflowsNorVanishes) {
  TanhEProcess up, down;
  for (int i = 0; i < 1'000'000; ++i) {
    up.add(0.002);
    down.add(-1);
  }
  // One scale outweighs the others beyond all digits: the largest, and the smallest.
  EXPECT_NEAR(up.log_e(), 1e6 * std::log1p(std::tanh(512 * 0.002)) - std::log(10), 1e-4);
  EXPECT_NEAR(down.log_e(), 1e6 * std::log1p(std::tanh(-1.0)) - std::log(10), 1e-4);
}

TEST(EProcess, NotANumberShowsNothing) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(log_e_value(Values{1, 1, bad, 1, 1}), -kInfinity);
    EXPECT_EQ(e_process_lower_bound(Values{1, 1, 1, 1, 1, 1, 1, bad}, 0.05), -kInfinity);
  }
}

TEST(EProcess, LowerBoundIsWhereTheMarginIsJustRejected) {
  for (const double alpha : {0.2, 0.05, 0.001}) {
    const double bound = e_process_lower_bound(kPairs, alpha);
    EXPECT_GE(log_e_value(kPairs, bound), -std::log(alpha));
    EXPECT_LT(log_e_value(kPairs, std::nextafter(bound, 1) + 1e-12), -std::log(alpha));
  }
}

TEST(EProcess, LowerBoundNeedsEnoughPairs) {
  // 2^n >= 1/alpha: seven pairs at .01, and more than five at .05.
  EXPECT_EQ(e_process_lower_bound(Values(6, 0.1), 0.01), -kInfinity);
  EXPECT_LT(e_process_lower_bound(Values(7, 0.1), 0.01), 0.1);
  EXPECT_GT(e_process_lower_bound(Values(7, 0.1), 0.01), -10);
  for (const double alpha : {0.0, 1.0, -1.0, kNaN}) {
    EXPECT_EQ(e_process_lower_bound(kPairs, alpha), -kInfinity);
  }
}

TEST(EProcess, LowerBoundMovesWithTheData) {
  const Values steps = {1, 2, 2, 3, 1, 2, 4, 2};
  const double bound = e_process_lower_bound(steps, 0.05);
  EXPECT_NEAR(e_process_lower_bound(shifted(steps, 1e9), 0.05) - 1e9, bound, 1e-6);
}

// Differences with a symmetric, heavy-tailed noise around an effect of 0.5 %.
TEST(EProcess, LowerBoundHoldsAsOftenAsItClaims) {
  Rng rng(8);
  constexpr int kRuns = 1500;
  int above = 0;
  for (int run = 0; run < kRuns; ++run) {
    Values d;
    for (int i = 0; i < 40; ++i) d.push_back(0.005 + 0.01 * rng.normal() / (0.05 + rng.uniform()));
    above += e_process_lower_bound(d, 0.05) > 0.005 ? 1 : 0;
  }
  EXPECT_LE(above, kRuns * 0.05);
}

}  // namespace
}  // namespace nightshift::search
