#include "search/model/feasibility.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/rng.h"

namespace nightshift::search {
namespace {

ParameterSpace grid(std::size_t dimensions, std::int64_t side) {
  std::vector<Parameter> parameters;
  for (std::size_t k = 0; k < dimensions; ++k) {
    Parameter parameter;
    parameter.name = "p" + std::to_string(k);
    for (std::int64_t v = 0; v < side; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  return ParameterSpace(std::move(parameters), {});
}

// As where a product of sizes exceeds a limit: one configuration in eight.
bool works(const std::vector<std::uint32_t>& d) { return d[0] * d[1] < 25; }

double log_loss(double p, bool truth) { return -std::log(truth ? p : 1 - p); }

TEST(Feasibility, WithoutFailuresAllAreAlike) {
  const ParameterSpace space = grid(3, 8);
  Feasibility feasibility(space);
  EXPECT_DOUBLE_EQ(feasibility.probability(space.digits({7})), 0.9);  // the prior
  for (std::uint64_t i = 0; i < 40; ++i) feasibility.observe(space.digits({i}), true);
  EXPECT_DOUBLE_EQ(feasibility.probability(space.digits({7})), 0.98);
  EXPECT_DOUBLE_EQ(feasibility.probability(space.digits({500})), 0.98);
}

TEST(Feasibility, OneFailureDoesNotCondemnItsSurroundings) {
  const ParameterSpace space = grid(3, 8);
  Feasibility feasibility(space);
  base::Rng rng(1);
  for (int i = 0; i < 20; ++i) feasibility.observe(space.digits(space.sample(rng)), true);
  const std::vector<std::uint32_t> failed = {7, 7, 3};
  feasibility.observe(failed, false);
  EXPECT_LT(feasibility.probability(failed), feasibility.rate());
  EXPECT_GT(feasibility.probability(failed), 0.2);
  EXPECT_GT(feasibility.probability(std::vector<std::uint32_t>{0, 0, 3}), 0.85);
}

// Far better than the rate alone, and no surer than it may be: log loss punishes what is
// impossible and happens.
TEST(Feasibility, LearnsAHiddenLimit) {
  const ParameterSpace space = grid(4, 8);
  double by_model = 0, by_rate = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    base::Rng rng(seed);
    Feasibility feasibility(space);
    for (int i = 0; i < 120; ++i) {
      const auto d = space.digits(space.sample(rng));
      feasibility.observe(d, works(d));
    }
    for (int i = 0; i < 400; ++i) {
      const auto d = space.digits(space.sample(rng));
      const double p = feasibility.probability(d);
      ASSERT_GT(p, 0);
      ASSERT_LT(p, 1);
      by_model += log_loss(p, works(d)) / 2000;
      by_rate += log_loss(feasibility.rate(), works(d)) / 2000;
    }
  }
  EXPECT_LT(by_model, 0.5 * by_rate);
}

TEST(Feasibility, IsCalibrated) {
  // Of all that get 30 to 70 %, about half work: failures here are a matter of luck, more of it
  // the larger the first digit.
  const ParameterSpace space = grid(3, 8);
  base::Rng rng(3);
  Feasibility feasibility(space);
  const auto lucky = [&](const std::vector<std::uint32_t>& d) {
    return rng.uniform() > 0.1 * d[0];
  };
  for (int i = 0; i < 400; ++i) {
    const auto d = space.digits(space.sample(rng));
    feasibility.observe(d, lucky(d));
  }
  double expected = 0, happened = 0, count = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto d = space.digits(space.sample(rng));
    const double p = feasibility.probability(d);
    if (p < 0.3 || p > 0.7) continue;
    expected += p;
    happened += lucky(d) ? 1 : 0;
    ++count;
  }
  ASSERT_GT(count, 500);
  EXPECT_NEAR(expected / count, happened / count, 0.1);
}

TEST(Feasibility, SameObservationsSameAnswers) {
  const ParameterSpace space = grid(3, 8);
  Feasibility one(space), other(space);
  base::Rng rng(2);
  for (int i = 0; i < 60; ++i) {
    const auto d = space.digits(space.sample(rng));
    one.observe(d, works(d));
    other.observe(d, works(d));
  }
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    EXPECT_EQ(one.probability(space.digits({i})), other.probability(space.digits({i})));
  }
}

}  // namespace
}  // namespace nightshift::search
