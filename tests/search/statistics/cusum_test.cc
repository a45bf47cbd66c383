#include "search/statistics/cusum.h"

#include "search/rng.h"
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

TEST(Cusum, LearnsFromTheFirstEight) {
  const Values first = {10, 11, 9, 10, 12, 8, 10, 100};  // median 10, MAD 1
  Cusum cusum;
  for (const double x : first) {
    EXPECT_TRUE(cusum.learning());
    EXPECT_EQ(cusum.add(x), Alarm::kNone);
  }
  EXPECT_FALSE(cusum.learning());
  EXPECT_EQ(cusum.target(), 10);
  EXPECT_EQ(cusum.good(), 8U);
  const double sd = mad_of(first);
  EXPECT_DOUBLE_EQ(sd, 1.4826);
  cusum.add(13);
  EXPECT_DOUBLE_EQ(cusum.up(), 3 - 0.5 * sd);
  EXPECT_EQ(cusum.down(), 0);
  cusum.add(10 - 0.5 * sd - 5.01 * sd);
  EXPECT_DOUBLE_EQ(cusum.down(), 5.01 * sd);
}

TEST(Cusum, AlarmsBeyondTheLimitOnEitherSide) {
  Cusum at_limit(0, 1, 4);
  EXPECT_EQ(at_limit.add(5), Alarm::kNone);  // up = 4, not beyond
  EXPECT_EQ(at_limit.add(1.5), Alarm::kUp);
  EXPECT_EQ(at_limit.add(1), Alarm::kUp);  // goes on until it is dealt with
  at_limit.restart();
  EXPECT_EQ(at_limit.up(), 0);
  EXPECT_FALSE(at_limit.learning());
  EXPECT_EQ(at_limit.add(-6), Alarm::kDown);
  EXPECT_EQ(at_limit.good(), 0U);
}

TEST(Cusum, RestartLearnsAnew) {
  Cusum cusum;
  for (int i = 0; i < 12; ++i) cusum.add(i % 3);
  cusum.restart();
  EXPECT_TRUE(cusum.learning());
  EXPECT_EQ(cusum.count(), 0U);
  for (int i = 0; i < 8; ++i) cusum.add(50 + i % 3);
  EXPECT_EQ(cusum.target(), 51);
}

TEST(Cusum, ValuesThatTieNeedAFloor) {
  Cusum bare, floored(0.01);
  for (int i = 0; i < 8; ++i) {
    bare.add(6.56);
    floored.add(6.56);
  }
  EXPECT_EQ(bare.add(6.56), Alarm::kNone);
  EXPECT_EQ(bare.add(6.561), Alarm::kUp);
  EXPECT_EQ(floored.add(6.561), Alarm::kNone);
  EXPECT_EQ(floored.add(6.63), Alarm::kUp);
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
  Rng rng(17);
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

}  // namespace
}  // namespace nightshift::search
