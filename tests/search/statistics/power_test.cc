#include "search/statistics/power.h"

#include "base/rng.h"
#include "search/statistics/location_tests.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(Power, SampleSizesAgreeWithTheReference) {
  for (const auto& c : fixture("sample_size_paired")["cases"]) {
    EXPECT_EQ(paired_sample_size_normal(c["alpha_one_sided"], c["power"], c["cv"], c["effect"]),
              c["pairs_normal"])
        << c;
    EXPECT_EQ(paired_sample_size(c["alpha_one_sided"], c["power"], c["cv"], c["effect"]),
              c["pairs_t"])
        << c;
  }
}

TEST(Power, SampleSizeIsTheSmallest) {
  const std::size_t n = paired_sample_size(0.01, 0.9, 0.03, 0.01);
  const double sd = std::sqrt(2 * std::log1p(0.03 * 0.03)), effect = std::log(1.01);
  EXPECT_GE(paired_power(0.01, n, sd, effect), 0.9);
  EXPECT_LT(paired_power(0.01, n - 1, sd, effect), 0.9);
}

TEST(Power, WhatIsOutOfReachIsTheMost) {
  for (const double effect : {0.0, -0.01, kNaN, 1e-30}) {
    EXPECT_EQ(paired_sample_size_normal(0.01, 0.9, 0.03, effect), kMostPairs);
    EXPECT_EQ(paired_sample_size(0.01, 0.9, 0.03, effect), kMostPairs);
  }
  EXPECT_EQ(paired_sample_size(0.01, 0.9, kNaN, 0.01), kMostPairs);
  EXPECT_EQ(paired_sample_size(0.01, 0.9, 0, 0.01), 2U);
  EXPECT_EQ(paired_sample_size_normal(0.01, 0.9, 0, 0.01), 1U);
}

TEST(Power, OfNoEffectIsAlpha) {
  EXPECT_NEAR(paired_power(0.01, 20, 0.03, 0), 0.01, 1e-12);
  EXPECT_LT(paired_power(0.01, 20, 0.03, -0.01), 0.01);
  EXPECT_EQ(paired_power(0.01, 1, 0.03, 0.1), 0);
  EXPECT_EQ(paired_power(0.01, 5, 0, 0.1), 0);
  EXPECT_EQ(paired_power(0.01, 5, kNaN, 0.1), 0);
}

TEST(Power, IsHowOftenTheTestFindsTheEffect) {
  base::Rng rng(14);
  constexpr int kRuns = 4000;
  int found = 0;
  for (int run = 0; run < kRuns; ++run) {
    Values d;
    for (int i = 0; i < 12; ++i) d.push_back(0.03 + 0.04 * rng.normal());
    found += paired_t(d).p_greater <= 0.05 ? 1 : 0;
  }
  const double power = paired_power(0.05, 12, 0.04, 0.03);
  EXPECT_NEAR(static_cast<double>(found) / kRuns, power,
              4 * std::sqrt(power * (1 - power) / kRuns));
}

TEST(Power, DetectableEffectInvertsPower) {
  for (const std::size_t n : {2U, 3U, 16U, 1000U}) {
    const double effect = detectable_effect(0.01, 0.9, n, 0.03);
    EXPECT_NEAR(paired_power(0.01, n, 0.03, effect), 0.9, 1e-9) << n;
  }
  EXPECT_NEAR(detectable_effect(0.01, 0.01, 16, 0.03), 0, 1e-9);
  EXPECT_EQ(detectable_effect(0.01, 0.9, 1, 0.03), kInfinity);
  EXPECT_EQ(detectable_effect(1e-12, 0.9, 2, 0.03), kInfinity);
  EXPECT_EQ(detectable_effect(0.01, 0.9, 16, 0), 0);
}

TEST(Power, HoldOutIsBoundedOnBothSides) {
  // (3.6079 * 0.02 / (0.7 * 0.01))^2 = 106.3, on two devices 53.1
  EXPECT_EQ(hold_out_pairs(0.02, 0.01, 1), 107U);
  EXPECT_EQ(hold_out_pairs(0.02, 0.01, 2), 54U);
  EXPECT_EQ(hold_out_pairs(0.02, 0.01, 16), 12U);
  EXPECT_EQ(hold_out_pairs(0.02, 0.001, 1), 128U);
  EXPECT_EQ(hold_out_pairs(0, 0.01, 1), 12U);
  // Half the alpha of a second hold-out costs more.
  EXPECT_GT(hold_out_pairs(0.02, 0.01, 1, 0.005), 107U);
  for (const double gain : {0.0, -1.0, kNaN}) EXPECT_EQ(hold_out_pairs(0.02, gain, 4), 128U);
  EXPECT_EQ(hold_out_pairs(kNaN, 0.01, 4), 128U);
  EXPECT_EQ(hold_out_pairs(0.02, 0.01, 0), 128U);
}

TEST(Repetitions, AgreeWithTheReference) {
  const auto& entry = fixture("kalibera_jones_repetitions");
  EXPECT_EQ(repetitions(entry["cost_outer_s"], entry["cost_inner_s"], entry["sd_inner"],
                        entry["sd_outer"]),
            entry["expect"]);
  EXPECT_EQ(repetitions(1, 1, 0, 1), 1U);
  EXPECT_EQ(repetitions(1, 1, 1, 0), kMostPairs);
}

}  // namespace
}  // namespace nightshift::search
