#include "search/statistics/cusum.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/statistics/distributions.h"
#include "search/statistics/summary.h"
#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

using Alarm = Cusum::Alarm;

TEST(Cusum, AgreesWithTheReference) {
  const auto& entry = fixture("cusum");
  const Values x = entry["x"];
  Cusum cusum(0, entry["k"], entry["h"]);
  int alarm = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool raised = cusum.add(x[i]) == Alarm::kUp;
    if (raised && alarm < 0) alarm = static_cast<int>(i);
    EXPECT_NEAR(cusum.up(), entry["expect"]["up"][i].get<double>(), 1e-15) << i;
    EXPECT_NEAR(cusum.down(), entry["expect"]["down"][i].get<double>(), 1e-15) << i;
  }
  EXPECT_EQ(alarm, entry["expect"]["alarm_index_0based"]);
  EXPECT_EQ(cusum.good(), 5U);  // the sixth value is the first of the shift
}

TEST(Cusum, LearnsFromAllValues) {
  const Values first = {10, 11, 9, 10, 12, 8, 10, 10};  // mean 10, sum of squares 10
  Cusum cusum;
  for (const double x : first) EXPECT_EQ(cusum.add(x), Alarm::kNone);
  EXPECT_EQ(cusum.target(), 10);
  EXPECT_EQ(cusum.good(), 8U);
  // t = 1.5 / (sqrt(10 / 7) sqrt(9 / 8)) with 7 degrees of freedom, and its normal deviate.
  cusum.add(11.5);
  const double t = 1.5 / (std::sqrt(10.0 / 7) * std::sqrt(9.0 / 8));
  EXPECT_NEAR(cusum.up(), normal_upper_quantile(student_upper_tail(t, 7)) - Cusum::kSlack, 1e-12);
  EXPECT_EQ(cusum.down(), 0);
  EXPECT_NEAR(cusum.target(), 10 + 1.5 / 9, 1e-12);
}

TEST(Cusum, NoSpikeAlarmsOrSpoilsWhatIsLearned) {
  base::Rng rng(5);
  Cusum cusum;
  for (int i = 0; i < 20; ++i) cusum.add(rng.normal());
  const double before = cusum.target();
  EXPECT_EQ(cusum.add(1e6), Alarm::kNone);
  EXPECT_LT(std::abs(cusum.target() - before), 0.5);
  EXPECT_LE(cusum.up(), Cusum::kLimit);
}

TEST(Cusum, AlarmsBeyondTheLimitOnEitherSide) {
  Cusum at_limit(0, 1, 4);
  EXPECT_EQ(at_limit.add(5), Alarm::kNone);  // up = 4, not beyond
  EXPECT_EQ(at_limit.add(1.5), Alarm::kUp);
  EXPECT_EQ(at_limit.add(1), Alarm::kUp);  // goes on until it is dealt with
  at_limit.restart();
  EXPECT_EQ(at_limit.up(), 0);
  EXPECT_EQ(at_limit.add(-6), Alarm::kDown);
  EXPECT_EQ(at_limit.good(), 0U);
}

TEST(Cusum, RestartLearnsAnew) {
  Cusum cusum;
  for (int i = 0; i < 12; ++i) cusum.add(i % 3);
  cusum.restart();
  EXPECT_EQ(cusum.count(), 0U);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(cusum.add(50 + i % 3), Alarm::kNone);
  EXPECT_EQ(cusum.target(), 51);
}

TEST(Cusum, ValuesThatTieNeedAFloor) {
  Cusum bare, floored(0.01);
  for (int i = 0; i < 8; ++i) {
    bare.add(6.56);
    floored.add(6.56);
  }
  EXPECT_EQ(bare.add(6.56), Alarm::kNone);
  EXPECT_EQ(floored.add(6.56), Alarm::kNone);
  const auto alarms_within = [](Cusum& cusum, double level, int values) {
    for (int i = 0; i < values; ++i) {
      if (cusum.add(level) != Alarm::kNone) return true;
    }
    return false;
  };
  EXPECT_TRUE(alarms_within(bare, 6.561, 4));
  EXPECT_FALSE(alarms_within(floored, 6.561, 50));
  EXPECT_TRUE(alarms_within(floored, 6.63, 4));
}

TEST(Cusum, PassesOverWhatIsNotFinite) {
  Cusum cusum(0, 1, 4);
  cusum.add(3);
  for (const double bad : {kNaN, kInfinity, -kInfinity}) EXPECT_EQ(cusum.add(bad), Alarm::kNone);
  EXPECT_EQ(cusum.up(), 2);
  EXPECT_EQ(cusum.count(), 1U);
}

TEST(Cusum, OffsetDoesNotMatter) {
  Cusum near(0, 0.5, 3), far(1e9, 0.5, 3);
  for (const double x : {1.0, -2.0, 0.5, 2.0, 3.0, -4.0}) {
    EXPECT_EQ(near.add(x), far.add(1e9 + x));
    EXPECT_EQ(near.up(), far.up());
    EXPECT_EQ(near.down(), far.down());
  }
}

double mean_run_length(double shift, int runs) {
  base::Rng rng(17);
  double total = 0;
  for (int run = 0; run < runs; ++run) {
    Cusum cusum(0, Cusum::kSlack, Cusum::kLimit);
    do {
      ++total;
    } while (cusum.add(shift + rng.normal()) == Alarm::kNone);
  }
  return total / runs;
}

// Published run lengths of slack 0.5 and limit 5 (Montgomery's table): 465 and 10.4. Run lengths
// are almost exponential: four standard errors.
TEST(Cusum, HasThePublishedRunLengths) {
  EXPECT_NEAR(mean_run_length(0, 3000), 465, 4 * 465 / std::sqrt(3000.0));
  EXPECT_NEAR(mean_run_length(1, 3000), 10.4, 0.4);
}

// How many values until the first alarm, at most `most`, of a series that moves after `stable`
// ones.
template <class Noise>
std::vector<double> learned_run_lengths(Noise noise, int runs, int most, int stable = 1 << 30,
                                        double shift = 0) {
  base::Rng rng(23);
  std::vector<double> lengths;
  for (int run = 0; run < runs; ++run) {
    Cusum cusum(0.001);
    int length = 1;
    while (length < most && cusum.add(noise(rng) + (length > stable ? shift : 0)) == Alarm::kNone) {
      ++length;
    }
    lengths.push_back(length);
  }
  return lengths;
}
double normal(base::Rng& rng) { return rng.normal(); }
double heavy(base::Rng& rng) {  // Student's t with three degrees of freedom
  const double a = rng.normal(), b = rng.normal(), c = rng.normal();
  return rng.normal() / std::sqrt((a * a + b * b + c * c) / 3);
}
double spiky(base::Rng& rng) {
  return rng.normal() + (rng.uniform() < 0.05 ? 10 * rng.uniform() : 0);
}

// The known parameters' 465, with those that are learned: also where tails are heavy.
TEST(Cusum, HasThatRunLengthWithLearnedParameters) {
  for (const auto noise : {normal, heavy, spiky}) {
    const auto lengths = learned_run_lengths(noise, 600, 5000);
    double total = 0;
    for (const double length : lengths) total += length;
    EXPECT_GE(total / 600, 465 - 4 * 465 / std::sqrt(600.0));
    const auto early = std::ranges::count_if(lengths, [](double length) { return length <= 50; });
    EXPECT_LE(static_cast<double>(early) / 600, 1 - std::exp(-50.0 / 465));
  }
}

TEST(Cusum, FindsAMoveWithLearnedParameters) {
  for (const auto& [shift, delay] : {std::pair(3.0, 5.0), std::pair(10.0, 4.0)}) {
    auto lengths = learned_run_lengths(normal, 400, 400, 30, shift);
    std::erase_if(lengths, [](double length) { return length <= 30; });
    EXPECT_LE(median_of(lengths) - 30, delay) << shift;
    EXPECT_LE(*std::ranges::max_element(lengths) - 30, 60) << shift;
  }
}

}  // namespace
}  // namespace nightshift::search
