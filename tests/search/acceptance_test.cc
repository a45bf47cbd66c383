#include "search/acceptance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "search/rng.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Values = std::vector<double>;

DeviceVisits visits(std::string device, Values candidate, Values incumbent) {
  return {std::move(device), std::move(candidate), incumbent, incumbent};
}

// Visits of `devices` devices whose speed differs by 10 %, the candidate `gain` better on all.
std::vector<DeviceVisits> simulated(Rng& rng, int devices, int rounds, double gain, double noise) {
  std::vector<DeviceVisits> all;
  for (int d = 0; d < devices; ++d) {
    const double speed = 1 + 0.1 * d;
    const auto arm = [&](double factor) {
      Values values;
      for (int r = 0; r < rounds; ++r) {
        values.push_back(speed * factor * (1 + noise * rng.normal()));
      }
      return values;
    };
    all.push_back({"gpu" + std::to_string(d), arm(1 - gain), arm(1), arm(1)});
  }
  return all;
}

bool accepts(const Verdict& verdict) { return std::holds_alternative<Accept>(verdict.acceptance); }
bool rejects(const Verdict& verdict) { return std::holds_alternative<Reject>(verdict.acceptance); }

TEST(Acceptance, RealGainIsAcceptedWithItsReason) {
  Rng rng(1);
  const Verdict verdict = judge(simulated(rng, 2, 5, 0.03, 0.005), {});
  ASSERT_TRUE(accepts(verdict)) << reason_of(verdict.acceptance);
  EXPECT_EQ(name_of(verdict.acceptance), "accept");
  EXPECT_THAT(reason_of(verdict.acceptance), AllOf(HasSubstr("% better than the incumbent, p = "),
                                                   HasSubstr(" < 0.01, on all 2 devices")));
  EXPECT_NEAR(verdict.ratio, 0.97, 0.01);
  EXPECT_LT(verdict.interval.low, verdict.ratio);
  EXPECT_GT(verdict.interval.high, verdict.ratio);
  EXPECT_LT(verdict.p_value, 0.01);
}

TEST(Acceptance, RealGainIsFoundNearlyAlways) {
  Rng rng(2);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) accepted += accepts(judge(simulated(rng, 1, 5, 0.03, 0.005), {}));
  EXPECT_GE(accepted, 297);
}

TEST(Acceptance, EqualCandidatesPassNoMoreOftenThanTheLevel) {
  constexpr int kRepeats = 2000;
  AcceptanceSettings settings;
  settings.min_improvement = 0;  // the test alone decides
  for (const int devices : {1, 4}) {
    Rng rng(3);
    int accepted = 0;
    int below_level = 0;
    for (int i = 0; i < kRepeats; ++i) {
      const Verdict verdict = judge(simulated(rng, devices, 5, 0, 0.03), settings);
      accepted += accepts(verdict) ? 1 : 0;
      below_level += verdict.p_value < settings.level ? 1 : 0;
    }
    // Four standard deviations of the binomial (20 expected): 18.
    EXPECT_LE(accepted, 38) << devices;
    EXPECT_LE(below_level, 38) << devices;
    EXPECT_GE(below_level, 2) << devices;  // and the test is not blind
  }
}

TEST(Acceptance, ChanceIsRejectedWithItsProbability) {
  const Verdict verdict = judge({visits("gpu0", {0.9, 1.1, 0.98}, {1.0, 1.2, 0.9})}, {});
  ASSERT_TRUE(rejects(verdict));
  EXPECT_THAT(reason_of(verdict.acceptance),
              AllOf(HasSubstr("may be chance"), HasSubstr(">= 0.01")));
}

TEST(Acceptance, TiesAreRejected) {
  const Verdict verdict = judge({visits("gpu0", {1, 2, 3}, {1, 2, 3})}, {});
  ASSERT_TRUE(rejects(verdict));
  EXPECT_EQ(reason_of(verdict.acceptance), "candidate equals the incumbent");
}

TEST(Acceptance, WorseIsRejected) {
  const Verdict verdict = judge({visits("gpu0", {1.1, 1.1}, {1, 1})}, {});
  ASSERT_TRUE(rejects(verdict));
  EXPECT_EQ(reason_of(verdict.acceptance), "candidate 10 % worse than the incumbent");
  EXPECT_EQ(verdict.p_value, 1);
}

TEST(Acceptance, GainTooSmallToMatterIsRejected) {
  const Verdict verdict = judge({visits("gpu0", {0.998, 0.998}, {1, 1})}, {});
  ASSERT_TRUE(rejects(verdict));
  EXPECT_EQ(
      reason_of(verdict.acceptance),
      "candidate 0.2 % better than the incumbent, less than the 0.5 % that is worth accepting");
}

TEST(Acceptance, WithoutAnyNoiseTheOrderDecides) {
  const Verdict verdict =
      judge({visits("a", {0.9, 0.9}, {1, 1}), visits("b", {1.8, 1.8}, {2, 2})}, {});
  ASSERT_TRUE(accepts(verdict)) << reason_of(verdict.acceptance);
  EXPECT_EQ(verdict.p_value, 0);
  EXPECT_DOUBLE_EQ(verdict.ratio, 0.9);
  EXPECT_DOUBLE_EQ(verdict.interval.low, 0.9);
  EXPECT_DOUBLE_EQ(verdict.interval.high, 0.9);
  EXPECT_EQ(reason_of(verdict.acceptance),
            "candidate 10 % better than the incumbent, p = 0 < 0.01, on all 2 devices");
}

TEST(Acceptance, DisagreeingDeviceIsNamed) {
  Rng rng(4);
  std::vector<DeviceVisits> all = simulated(rng, 3, 5, 0.1, 0.001);
  all.push_back(visits("odd-one", {1.02, 1.021, 1.02}, {1.0, 1.001, 1.0}));
  const Verdict verdict = judge(all, {});
  ASSERT_TRUE(rejects(verdict));
  EXPECT_THAT(reason_of(verdict.acceptance),
              AllOf(HasSubstr("devices disagree"), HasSubstr("but 2 % worse on odd-one")));
}

TEST(Acceptance, MissingVisitsAreNeverAgreement) {
  const DeviceVisits good = visits("gpu0", {0.9, 0.9}, {1, 1});
  EXPECT_TRUE(rejects(judge({}, {})));
  for (const auto& [lost, arm] :
       {std::pair(DeviceVisits{"gpu1", {}, {1, 1}, {1, 1}}, "candidate"),
        std::pair(DeviceVisits{"gpu1", {1, 1}, {}, {1, 1}}, "incumbent"),
        std::pair(DeviceVisits{"gpu1", {1, 1}, {1, 1}, {}}, "baseline")}) {
    const Verdict verdict = judge({good, lost}, {});
    ASSERT_TRUE(rejects(verdict));
    EXPECT_EQ(reason_of(verdict.acceptance), "device gpu1 has no visit of the " + std::string(arm));
  }
}

TEST(Acceptance, FiguresThatAreNoneNeverTurnTheOrder) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    const Verdict verdict = judge({DeviceVisits{"gpu0", {0.9, 0.9}, {1, bad}, {1, 1}}}, {});
    ASSERT_TRUE(rejects(verdict)) << bad;
    EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr("not a positive number"));
  }
}

TEST(Acceptance, OneVisitOfEachNeedsMore) {
  const Verdict verdict = judge({visits("gpu0", {0.5}, {1})}, {});
  const auto* more = std::get_if<NeedMore>(&verdict.acceptance);
  ASSERT_NE(more, nullptr);
  EXPECT_EQ(more->rounds, 1);
  EXPECT_EQ(name_of(verdict.acceptance), "need more");
  EXPECT_EQ(verdict.interval.low, 0);
}

TEST(Acceptance, RatioIsAgainstTheBaselineNotTheIncumbent) {
  const Verdict verdict = judge({{"gpu0", {0.5, 0.5}, {0.8, 0.8}, {1, 1}}}, {});
  ASSERT_TRUE(accepts(verdict));
  EXPECT_DOUBLE_EQ(verdict.ratio, 0.5);
  EXPECT_THAT(reason_of(verdict.acceptance), HasSubstr("37.5 % better than the incumbent"));
}

TEST(Acceptance, RatioIsTheGeometricMeanOverDevices) {
  const Verdict verdict =
      judge({visits("a", {0.5, 0.5}, {1, 1}), visits("b", {0.125, 0.125}, {1, 1})}, {});
  EXPECT_DOUBLE_EQ(verdict.ratio, 0.25);
}

TEST(Acceptance, IntervalCoversTheTruthAsOftenAsItClaims) {
  Rng rng(5);
  constexpr int kRepeats = 2000;
  int covered = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const Verdict verdict = judge(simulated(rng, 3, 4, 0.05, 0.02), {});
    covered += verdict.interval.low <= 0.95 && 0.95 <= verdict.interval.high ? 1 : 0;
  }
  // Four standard deviations of the binomial: 0.0195.
  EXPECT_NEAR(static_cast<double>(covered) / kRepeats, 0.95, 0.0195);
}

}  // namespace
}  // namespace nightshift::search
