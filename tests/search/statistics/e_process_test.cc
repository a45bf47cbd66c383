#include "search/statistics/e_process.h"

#include <algorithm>

#include "base/rng.h"
#include "search/statistics/strata.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

const Values kPairs = fixture("tanh_e_process")["d"];

double log_e_value(const Values& differences, double margin = 0) {
  TanhEProcess process(margin);
  for (const double d : differences) process.add(d);
  return process.log_e();
}

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
  }
}

}  // namespace
}  // namespace nightshift::search
