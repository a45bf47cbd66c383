#include "search/acceptance/duel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/rng.h"
#include "tests/search/acceptance/duel_settings.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Values = std::vector<double>;

// What tests of other rules begin with; clipped duels have clipped_duel_test.cc.
AcceptanceSettings sequential() { return judged_by(DuelTest::kGroupSequential); }

std::string kind_of(const Verdict& verdict) { return std::string(name_of(verdict.acceptance)); }
const std::string& reason_of(const Verdict& verdict) { return reason_of(verdict.acceptance); }

// Differences around `effect`, symmetric, with a standard deviation of about `spread`.
Values around(double effect, double spread, int pairs = 8) {
  Values values;
  for (int i = 0; i < pairs; ++i) {
    values.push_back(effect + spread * (i % 2 == 0 ? 1 : -1) * (i / 2 % 2 == 0 ? 1.2 : 0.8));
  }
  return values;
}

std::vector<DevicePairs> on_devices(const std::vector<Values>& effects) {
  std::vector<DevicePairs> devices;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    devices.push_back({"gpu" + std::to_string(i), effects[i], {}, 0});
  }
  return devices;
}

// The judgement at the look that has so many pairs on each device.
Verdict judge(const std::vector<DevicePairs>& devices,
              const AcceptanceSettings& settings = sequential()) {
  const DuelPlan plan = plan_duel(static_cast<int>(devices.size()), settings);
  const auto at = std::ranges::find(plan.pairs, static_cast<int>(devices[0].effects.size()));
  EXPECT_NE(at, plan.pairs.end()) << "no look after so many pairs";
  return judge_duel(devices, static_cast<std::size_t>(at - plan.pairs.begin()), plan, settings);
}
Verdict judge(const std::vector<Values>& effects,
              const AcceptanceSettings& settings = sequential()) {
  return judge(on_devices(effects), settings);
}

TEST(Duel, ALandslideNeedsBothThePairsAndTheTest) {
  const DuelPlan plan = plan_duel(1, sequential());
  const auto is_seen = [&](const Values& effects, bool both = false) {
    return judge_landslide(on_devices({effects}), plan, sequential(), both).has_value();
  };
  EXPECT_TRUE(is_seen({3.8, 3.9, 3.85, 3.8}));
  EXPECT_FALSE(is_seen({3.8, 3.9, 3.85, 0.6})) << "a pair below a factor of two";
  EXPECT_FALSE(is_seen({0.8, 3.9, 1.85, 5.8})) << "they scatter too much";
  EXPECT_FALSE(is_seen({-3.8, -3.9, -3.85, -3.8}));
  EXPECT_TRUE(is_seen({-3.8, -3.9, -3.85, -3.8}, true));
  EXPECT_FALSE(is_seen({-3.8, 3.9, -3.85, 3.8}, true));
  EXPECT_FALSE(is_seen({}));
}

// --- Verdicts ---

TEST(Duel, AGainIsAcceptedWithItsReason) {
  const Verdict verdict = judge({around(0.1, 0.01, 4), around(0.12, 0.01, 4)});
  ASSERT_EQ(kind_of(verdict), "accept") << reason_of(verdict);
  EXPECT_TRUE(is_accepted(verdict));
  EXPECT_THAT(reason_of(verdict), AllOf(StartsWith("candidate 10.4 % better than the incumbent, "
                                                   "p = "),
                                        EndsWith(", on all 2 devices")));
  EXPECT_NEAR(verdict.ratio, std::exp(-0.11), 1e-12);
  EXPECT_LT(verdict.interval.low, verdict.ratio);
  EXPECT_GT(verdict.interval.high, verdict.ratio);
  EXPECT_LT(verdict.interval.high, 1);
  ASSERT_EQ(verdict.looks.size(), 1U);
  EXPECT_EQ(verdict.looks[0].pairs, 8);
  EXPECT_NEAR(verdict.looks[0].effect, 0.11, 1e-12);
  EXPECT_EQ(verdict.looks[0].p_value, verdict.p_value);
  EXPECT_NEAR(verdict.looks[0].level, 0.000625, 1e-9);
  ASSERT_EQ(verdict.devices.size(), 2U);
  EXPECT_EQ(verdict.devices[1].device, "gpu1");
  EXPECT_EQ(verdict.devices[1].pairs, 4);
  EXPECT_NEAR(verdict.devices[1].effect, 0.12, 1e-12);
}

TEST(Duel, TheStatisticsAreThoseOfAPairedTTest) {
  // t(7) = 4.09044; the tail by integrating the density.
  const Values effects = {0.012, 0.004, -0.003, 0.009, 0.007, 0.011, 0.006, 0.010};
  const double mean = 0.007;
  double squares = 0;
  for (const double d : effects) squares += (d - mean) * (d - mean);
  const Verdict verdict = judge({effects});
  EXPECT_NEAR(verdict.looks[0].effect, mean, 1e-15);
  EXPECT_NEAR(verdict.looks[0].standard_error, std::sqrt(squares / 7 / 8), 1e-15);
  EXPECT_NEAR(verdict.p_value, 0.00231419479752, 1e-12);
  // t(7) = 2.364624 on either side.
  EXPECT_NEAR(verdict.interval.low, std::exp(-mean - 2.364624 * verdict.looks[0].standard_error),
              1e-8);
  EXPECT_NEAR(verdict.interval.high, std::exp(-mean + 2.364624 * verdict.looks[0].standard_error),
              1e-8);
}

TEST(Duel, WithoutAnyNoiseTheOrderDecides) {
  const Verdict better = judge({Values(4, 0.1), Values(4, 0.1)});
  ASSERT_EQ(kind_of(better), "accept") << reason_of(better);
  EXPECT_NEAR(better.ratio, std::exp(-0.1), 1e-12);
  EXPECT_LT(better.interval.high - better.interval.low, 1e-4);
  for (const double effect : {0.0, -0.1}) {
    const Verdict verdict = judge({Values(4, effect), Values(4, effect)});
    EXPECT_EQ(kind_of(verdict), "reject") << effect;
    EXPECT_GE(verdict.p_value, 0.5);
    EXPECT_TRUE(std::isfinite(verdict.interval.high));
  }
}

TEST(Duel, ADoubtfulGainIsLookedAtAgain) {
  const Verdict verdict = judge({around(0.01, 0.02)});
  ASSERT_EQ(kind_of(verdict), "need more") << reason_of(verdict);
  EXPECT_EQ(std::get<NeedMore>(verdict.acceptance).pairs, 8);
  EXPECT_THAT(reason_of(verdict), StartsWith("candidate 0.995 % better than the incumbent, p = "));
  EXPECT_EQ(std::get<NeedMore>(judge({around(0.01, 0.04, 16)}).acceptance).pairs, 16);
}

TEST(Duel, EarlierLooksAreToldWithWhatWouldHaveBeenEnough) {
  Values effects = around(0.005, 0.02, 8);
  for (const double d : around(0.03, 0.005, 24)) effects.push_back(d);
  const Verdict verdict = judge({effects});
  ASSERT_EQ(verdict.looks.size(), 3U);
  EXPECT_EQ(verdict.looks[0].pairs, 8);
  EXPECT_EQ(verdict.looks[1].pairs, 16);
  EXPECT_EQ(verdict.looks[2].pairs, 32);
  EXPECT_EQ(verdict.looks[0], judge({Values(effects.begin(), effects.begin() + 8)}).looks.back());
  EXPECT_EQ(verdict.looks[1], judge({Values(effects.begin(), effects.begin() + 16)}).looks.back());
  EXPECT_GT(verdict.looks[0].p_value, verdict.looks[0].level);
  EXPECT_LT(verdict.looks[2].p_value, verdict.looks[2].level);
}

TEST(Duel, WhatHasBecomeUnlikelyIsNotPursued) {
  const Verdict worse = judge({around(-0.1, 0.02)});
  ASSERT_EQ(kind_of(worse), "reject");
  EXPECT_EQ(reason_of(worse),
            "candidate 10.5 % worse than the incumbent after 8 pairs: a gain worth accepting has "
            "become unlikely");
  // Effect + z errors against ln(1 / (1 - 0.5 %)), z = 2.4 (1 - sqrt(share of the pairs)).
  const double asked = 0.00501254182354;
  for (const auto& [pairs, z] : {std::pair(8, 1.8), {16, 1.551472}, {32, 1.2}, {64, 0.702944}}) {
    const double error = judge({around(0, 0.02, pairs)}).looks.back().standard_error;
    const double edge = asked - z * error;
    EXPECT_EQ(kind_of(judge({around(edge + 1e-6, 0.02, pairs)})), "need more") << pairs;
    EXPECT_EQ(kind_of(judge({around(edge - 1e-6, 0.02, pairs)})), "reject") << pairs;
    AcceptanceSettings modest = sequential();
    modest.min_improvement = 0;
    EXPECT_EQ(kind_of(judge({around(edge - 1e-6, 0.02, pairs)}, modest)), "need more") << pairs;
  }
}

TEST(Duel, ChanceIsRejectedAtTheLastLookOnly) {
  const Verdict verdict = judge({around(0.008, 0.06, 128)});
  ASSERT_EQ(kind_of(verdict), "reject");
  EXPECT_THAT(reason_of(verdict), HasSubstr("after 128 pairs, which may be chance: p = "));
  EXPECT_EQ(verdict.looks.size(), 5U);
}

TEST(Duel, AGainThatIsRealButSmallIsNamedAndNotAccepted) {
  const Verdict verdict = judge({around(0.003, 0.0005)});
  ASSERT_EQ(kind_of(verdict), "reject");
  EXPECT_THAT(reason_of(verdict),
              AllOf(StartsWith("real but small: candidate 0.3 % better than the incumbent (p = "),
                    EndsWith("), less than the 0.5 % that is worth accepting")));
  AcceptanceSettings any = sequential();
  any.min_improvement = 0;
  EXPECT_EQ(kind_of(judge({around(0.003, 0.0005)}, any)), "accept");
}

TEST(Duel, VoidPairsAreHandedOn) {
  auto devices = on_devices({around(0.1, 0.01)});
  devices[0].voided = 3;
  EXPECT_EQ(judge(devices).devices[0].voided, 3);
}

// --- Several devices ---

AcceptanceSettings by(Consensus consensus, int majority = 0) {
  AcceptanceSettings settings = sequential();
  settings.consensus = consensus;
  settings.majority = majority;
  return settings;
}

TEST(DuelConsensus, ADeviceWhereItIsWorsePreventsAcceptance) {
  const std::vector<Values> effects = {around(0.1, 0.01, 32), around(0.1, 0.01, 32),
                                       around(0.1, 0.01, 32), around(-0.02, 0.01, 32)};
  const Verdict verdict = judge(effects);
  ASSERT_EQ(kind_of(verdict), "reject");
  EXPECT_EQ(reason_of(verdict),
            "devices disagree: candidate 6.76 % better than the incumbent over all, but on gpu3 "
            "the candidate is 2.02 % worse");
  EXPECT_TRUE(verdict.heterogeneity.depends);
  EXPECT_LT(verdict.heterogeneity.p_value, 1e-6);
  const std::vector<Values> none = {around(0.1, 0.01, 64), Values(64, 0)};
  EXPECT_THAT(reason_of(judge(none)), HasSubstr("on gpu1 the candidate is no better"));
}

TEST(DuelConsensus, ADeviceInDoubtPreventsAcceptanceUntilItIsNot) {
  // The fourth device is better, by one standard error of its own mean.
  std::vector<Values> effects(3, around(0.1, 0.01, 8));
  effects.push_back(around(0.004, 0.01, 8));
  const Verdict verdict = judge(effects);
  ASSERT_EQ(kind_of(verdict), "need more");
  for (Values& device : effects) {
    const double mean = device == effects.back() ? 0.004 : 0.1;
    device = around(mean, 0.01, 32);
  }
  const Verdict last = judge(effects);
  EXPECT_EQ(kind_of(last), "accept") << "four times the pairs: two standard errors";
  EXPECT_THAT(reason_of(last), HasSubstr("how much depends on the device"));
}

TEST(DuelConsensus, TheDoubtThatIsToleratedIsSevenPerCent) {
  // Far from the others, a device keeps its own mean: the doubt is the normal tail of mean / error.
  const double error = 0.01 * std::sqrt(1.04 / 31);
  const auto fourth_at = [&](double z) {
    std::vector<Values> effects(3, around(1, 0.01, 32));
    effects.push_back(around(z * error, 0.01, 32));
    return judge(effects);
  };
  EXPECT_EQ(kind_of(fourth_at(1.49)), "accept");  // 6.8 %
  const Verdict doubtful = fourth_at(1.46);       // 7.2 %
  ASSERT_EQ(kind_of(doubtful), "reject");
  EXPECT_THAT(reason_of(doubtful), AllOf(HasSubstr("but on gpu3 the candidate is 0.2"),
                                         HasSubstr("which may well be none (p = 0.07")));
}

TEST(DuelConsensus, WhereAllAgreeALuckyDeviceIsNotDoubted) {
  // gpu1's own mean is a ninth of its error; with no sign of differences (Q = 2.4 of 3) it is lent
  // the others'.
  const Verdict verdict = judge({around(0.007, 0.02, 32), around(0.0004, 0.02, 32),
                                 around(0.007, 0.02, 32), around(0.007, 0.02, 32)});
  EXPECT_EQ(kind_of(verdict), "accept") << reason_of(verdict);
}

TEST(DuelConsensus, StrictAsksEveryDeviceAlone) {
  const std::vector<Values> effects = {around(0.1, 0.01, 4), around(0.03, 0.01, 4)};
  const Verdict verdict = judge(effects, by(Consensus::kStrict));
  EXPECT_EQ(kind_of(verdict), "need more");
  EXPECT_EQ(kind_of(judge(effects)), "accept");
  const double worst = judge({around(0.03, 0.01, 4)},
                             [] {
                               AcceptanceSettings settings = sequential();
                               settings.max_pairs = 64;
                               return settings;
                             }())
                           .p_value;
  EXPECT_NEAR(verdict.p_value, worst, 1e-12);
  EXPECT_EQ(kind_of(judge({around(0.1, 0.01, 16), around(0.05, 0.01, 16)}, by(Consensus::kStrict))),
            "accept");
}

TEST(DuelConsensus, AMajorityIsMoreThanHalfOrAsManyAsAreAsked) {
  const std::vector<Values> effects = {around(0.1, 0.01, 32), around(0.1, 0.01, 32),
                                       around(0.1, 0.01, 32), around(-0.02, 0.01, 32)};
  EXPECT_EQ(kind_of(judge(effects, by(Consensus::kMajority))), "accept");
  EXPECT_EQ(kind_of(judge(effects, by(Consensus::kMajority, 3))), "accept");
  const Verdict all = judge(effects, by(Consensus::kMajority, 4));
  EXPECT_EQ(kind_of(all), "reject");
  EXPECT_THAT(reason_of(all), EndsWith("but only 3 of 4 devices agree, not 4"));
  const std::vector<Values> half = {around(0.2, 0.01, 64), around(-0.02, 0.01, 64)};
  EXPECT_THAT(reason_of(judge(half, by(Consensus::kMajority))),
              EndsWith("but only 1 of 2 devices agree, not 2"));
}

TEST(DuelConsensus, AFleetIsASampleOfDevices) {
  // Means .01, .02, .03, .04 (two of each): t = .025 / (.011952 / sqrt 8) = 5.9161 with 7 degrees.
  std::vector<Values> effects;
  for (const double mean : {0.01, 0.02, 0.03, 0.04, 0.01, 0.02, 0.03, 0.04}) {
    effects.push_back(around(mean, 0.0001, 2));
  }
  const Verdict verdict = judge(effects, by(Consensus::kFleet));
  EXPECT_NEAR(verdict.p_value, 0.0002949196, 1e-9);
  EXPECT_EQ(kind_of(verdict), "accept");
  EXPECT_LT(judge(effects).p_value, 1e-6) << "which of these devices alone would show";
  effects[0] = around(-0.01, 0.0001, 2);
  EXPECT_EQ(kind_of(judge(effects, by(Consensus::kFleet))), "need more");
}

// --- Tails ---

TEST(DuelTails, AWorseTailIsIgnoredReportedOrRejected) {
  auto devices = on_devices({around(0.1, 0.01)});
  devices[0].tails = around(-0.04, 0.005);
  AcceptanceSettings settings = sequential();
  settings.tail = TailRule::kIgnore;
  EXPECT_EQ(judge(devices, settings).shape, "");
  EXPECT_EQ(kind_of(judge(devices, settings)), "accept");
  const std::string wider = "better but wider: p95 is 4.08 % worse";
  settings.tail = TailRule::kReport;
  EXPECT_EQ(judge(devices, settings).shape, wider);
  EXPECT_EQ(kind_of(judge(devices, settings)), "accept");
  EXPECT_THAT(reason_of(judge(devices, settings)), EndsWith("; " + wider));
  settings.tail = TailRule::kReject;
  EXPECT_EQ(kind_of(judge(devices, settings)), "reject");
  EXPECT_EQ(reason_of(judge(devices, settings)), wider);
}

TEST(DuelTails, OnlyWhatIsShownCounts) {
  AcceptanceSettings settings = sequential();
  settings.tail = TailRule::kReject;
  auto devices = on_devices({around(0.1, 0.01)});
  EXPECT_EQ(kind_of(judge(devices, settings)), "accept") << "too few samples for a tail";
  devices[0].tails = around(-0.04, 0.2);
  EXPECT_EQ(kind_of(judge(devices, settings)), "accept") << "chance";
  devices[0].tails = around(0.04, 0.005);
  EXPECT_EQ(kind_of(judge(devices, settings)), "accept") << "better, too";
}

// --- Any time ---

AcceptanceSettings anytime() {
  AcceptanceSettings settings = sequential();
  settings.test = DuelTest::kAnytime;
  return settings;
}

// E of n equal differences: bets of 1/4 to 4 standard deviations, each of 1.2533 mean sizes.
double evidence_of_equals(int pairs) {
  double sum = 0;
  for (const double bet : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    sum += std::pow(1 + std::tanh(bet / 1.2533141), pairs) / 5;
  }
  return sum;
}

TEST(DuelAnytime, AcceptsAsSoonAsTheEvidenceSuffices) {
  const DuelPlan plan = plan_duel(1, anytime());
  const auto at = [&](int pairs, double effect) {
    return judge_duel(on_devices({Values(static_cast<std::size_t>(pairs), effect)}),
                      static_cast<std::size_t>(pairs - 2), plan, anytime());
  };
  for (const double effect : {5.0, 0.01}) {
    EXPECT_EQ(kind_of(at(7, effect)), "need more") << "whatever the unit of the differences";
    EXPECT_EQ(std::get<NeedMore>(at(7, effect).acceptance).pairs, 1);
    EXPECT_NEAR(at(7, effect).p_value, 1 / evidence_of_equals(7), 1e-9);
    EXPECT_EQ(kind_of(at(8, effect)), "accept");
    EXPECT_NEAR(at(8, effect).p_value, 1 / evidence_of_equals(8), 1e-9);
    EXPECT_EQ(at(8, effect).looks.size(), 1U) << "one look a pair would fill pages";
  }
}

TEST(DuelAnytime, PairsOfAllDevicesCountTogetherEachInItsOwnNoise) {
  const Verdict verdict = judge({Values(4, 5.0), Values(4, 0.01)}, anytime());
  EXPECT_NEAR(verdict.p_value, 1 / evidence_of_equals(8), 1e-9);
  EXPECT_EQ(kind_of(verdict), "accept");
  AcceptanceSettings strict = anytime();
  strict.consensus = Consensus::kStrict;
  EXPECT_NEAR(judge({Values(4, 5.0), Values(4, 5.0)}, strict).p_value, 1 / evidence_of_equals(4),
              1e-9);
}

// Over all coins: scales of sizes so far know nothing of the signs.
TEST(DuelAnytime, PassesNoMoreOftenThanTheLevelByTheCoinAlone) {
  const Values sizes = {0.5, 0.01, 2, 0.003, 1, 0.02, 0.02, 0.7, 0.1, 0.05, 0.3, 0, 0.2};
  AcceptanceSettings settings = anytime();
  settings.min_improvement = 0;
  for (const double level : {0.2, 0.05}) {
    settings.level = level;
    const DuelPlan plan = plan_duel(1, settings);
    unsigned passed = 0;
    for (unsigned coins = 0; coins < 1U << sizes.size(); ++coins) {
      Values effects;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        effects.push_back((coins >> i & 1U) != 0 ? sizes[i] : -sizes[i]);
        if (i == 0) continue;
        const Verdict verdict = judge_duel(on_devices({effects}), i - 1, plan, settings);
        if (verdict.looks.back().p_value > level) continue;
        ++passed;
        break;
      }
    }
    const double chance = passed / static_cast<double>(1U << sizes.size());
    EXPECT_LE(chance, level);
    EXPECT_GT(chance, level / 10);
  }
}

TEST(DuelAnytime, NothingIsGivenUpBeforeASixteenthOfThePairs) {
  const DuelPlan plan = plan_duel(1, anytime());
  const auto after = [&](int pairs) {
    return judge_duel(on_devices({around(-0.1, 0.01, pairs)}), static_cast<std::size_t>(pairs - 2),
                      plan, anytime());
  };
  EXPECT_EQ(kind_of(after(7)), "need more");
  EXPECT_EQ(kind_of(after(8)), "reject");
}

// --- Error rates, exact for the seed ---

struct Tally {
  int accepted = 0;
  int pairs = 0;  // of all duels, over all devices
  bool operator==(const Tally&) const = default;
};
void PrintTo(const Tally& t, std::ostream* out) { *out << t.accepted << ", " << t.pairs; }

// Duels on devices whose true effects are given, both evaluations of a pair with noise of `cv`.
Tally fight(int duels, std::uint64_t seed, const Values& effects, double cv,
            const AcceptanceSettings& settings) {
  const DuelPlan plan = plan_duel(static_cast<int>(effects.size()), settings);
  base::Rng rng(seed);
  Tally tally;
  for (int duel = 0; duel < duels; ++duel) {
    std::vector<DevicePairs> devices = on_devices(std::vector<Values>(effects.size()));
    for (std::size_t look = 0;; ++look) {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        while (static_cast<int>(devices[d].effects.size()) < plan.pairs[look]) {
          devices[d].effects.push_back(effects[d] + cv * (rng.normal() - rng.normal()));
        }
      }
      const Verdict verdict = judge_duel(devices, look, plan, settings);
      if (std::holds_alternative<NeedMore>(verdict.acceptance)) continue;
      tally.accepted += is_accepted(verdict) ? 1 : 0;
      tally.pairs += plan.pairs[look] * static_cast<int>(devices.size());
      break;
    }
  }
  return tally;
}

TEST(DuelErrors, EqualCandidatesPassNoMoreOftenThanTheLevel) {
  AcceptanceSettings test_alone = sequential();
  test_alone.min_improvement = 0;
  EXPECT_EQ(fight(3000, 1, {0}, 0.03, test_alone), (Tally{20, 300848}));
  EXPECT_EQ(fight(3000, 2, {0, 0, 0, 0}, 0.03, test_alone), (Tally{11, 297392}));
  EXPECT_EQ(fight(3000, 3, {0}, 0.03, sequential()), (Tally{22, 209600}));
  EXPECT_EQ(fight(3000, 4, {0, 0, 0, 0}, 0.03, sequential()), (Tally{20, 209848}));
}

TEST(DuelErrors, TwoPerCentAreFoundAtThreePerCentNoise) {
  const double gain = -std::log(0.98);
  EXPECT_EQ(fight(2000, 5, {gain}, 0.03, sequential()), (Tally{1984, 126304}));
  EXPECT_EQ(fight(2000, 6, {gain, gain, gain, gain}, 0.03, sequential()), (Tally{1911, 143816}));
}

// The fourth device loses, gains nothing, gains a quarter of what the others do.
TEST(DuelErrors, ADeviceThatLosesIsSeldomOutvoted) {
  EXPECT_EQ(fight(2000, 7, {0.04, 0.04, 0.04, -0.02}, 0.01, sequential()), (Tally{1, 255880}));
  EXPECT_EQ(fight(2000, 8, {0.04, 0.04, 0.04, -0.01}, 0.01, sequential()), (Tally{45, 250944}));
  EXPECT_EQ(fight(1000, 9, {0.04, 0.04, 0.04, 0}, 0.01, sequential()), (Tally{350, 95360}));
  EXPECT_EQ(fight(1000, 10, {0.04, 0.04, 0.04, 0.01}, 0.01, sequential()), (Tally{1000, 25128}));
}

TEST(DuelErrors, AnytimeKeepsTheLevelAndFindsLargeGains) {
  AcceptanceSettings settings = anytime();
  settings.max_pairs = 64;
  settings.min_improvement = 0;
  EXPECT_EQ(fight(400, 10, {0}, 0.03, settings), (Tally{3, 15903}));
  EXPECT_EQ(fight(400, 11, {0.05, 0.05}, 0.03, settings), (Tally{399, 6014}));
}

TEST(DuelErrors, OtherWaysToAgreeHaveTheirOwnPower) {
  EXPECT_EQ(fight(1000, 12, {0.02, 0.02, 0.02, 0.02}, 0.03, by(Consensus::kStrict)),
            (Tally{68, 126224}));
  EXPECT_EQ(fight(1000, 13, {0.04, 0.04, 0.04, 0}, 0.01, by(Consensus::kMajority)),
            (Tally{1000, 15904}));
  EXPECT_EQ(fight(1000, 14, Values(8, 0.02), 0.03, by(Consensus::kFleet)), (Tally{941, 85280}));
  EXPECT_EQ(fight(1000, 15, Values(8, 0.0), 0.03, by(Consensus::kFleet)), (Tally{11, 70960}));
}

TEST(Duel, ALandslideByFarIsPromisedByTwentyTimesTheNoise) {
  EXPECT_TRUE(promises_landslide_by_far(1.8, 0.02));
  EXPECT_FALSE(promises_landslide_by_far(1.8, 0.1)) << "18 times";
  EXPECT_FALSE(promises_landslide_by_far(0.6, 0.001)) << "no landslide";
  EXPECT_FALSE(promises_landslide_by_far(0.75, 0.02)) << "nor with twice the noise";
  EXPECT_FALSE(promises_landslide_by_far(1.8, 0)) << "nothing is known of the noise";
}

}  // namespace
}  // namespace nightshift::search
