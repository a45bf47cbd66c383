#include "search/importance/advice.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "tests/search/importance/model_points.h"

namespace nightshift::search {
namespace {

// Best where A, B and C are large, and nothing works where A is 5.
struct AdviceCase {
  AdviceCase() {
    points = drawn(150, 6, [](const Digits& d, base::Rng&) { return 20.0 - d[0] - d[1] - d[2]; });
    for (const ModelPoint& point : points) {
      tried.push_back({point.digits, point.digits[0] < 5, point.target});
    }
    std::erase_if(points, [](const ModelPoint& p) { return p.digits[0] == 5; });
  }
  std::optional<Advice> advice(const ParameterSpace& space) const {
    return advise(space, SpaceModel(space.parameters(), points), tried, allows);
  }
  std::vector<ModelPoint> points;
  std::vector<TriedPoint> tried;
  std::function<bool(const Digits&)> allows = [](const Digits&) { return true; };
};

TEST(Advice, IsNewAndOfTheSpaceAndWorks) {
  const ParameterSpace space(three(6), {Expression::parse("A + B + C <= 12")});
  const AdviceCase c;
  const auto advice = c.advice(space);
  ASSERT_TRUE(advice);
  const Digits digits = space.digits(advice->configuration);
  EXPECT_TRUE(space.contains(digits));
  EXPECT_LT(digits[0], 5U) << "it would fail";
  EXPECT_GE(advice->works, 0.8);
  for (const TriedPoint& point : c.tried) EXPECT_NE(point.digits, digits);
  EXPECT_GE(digits[0] + digits[1] + digits[2], 10U);
}

TEST(Advice, KeepsToWhatIsAllowed) {
  const ParameterSpace space(three(6), {});
  AdviceCase c;
  c.allows = [](const Digits& d) { return d[2] < 2; };
  const auto advice = c.advice(space);
  ASSERT_TRUE(advice);
  EXPECT_LT(space.digits(advice->configuration)[2], 2U);
  c.allows = [](const Digits&) { return false; };
  EXPECT_FALSE(c.advice(space));
}

TEST(Advice, IsNoneWhereAllWasTried) {
  const ParameterSpace space(three(2), {});
  AdviceCase c;
  c.points.clear();
  c.tried.clear();
  for (std::uint64_t i = 0; i < 8; ++i) {
    c.points.push_back({space.digits({i}), static_cast<double>(i)});
    c.tried.push_back({space.digits({i}), true, static_cast<double>(i)});
  }
  EXPECT_FALSE(c.advice(space));
  c.tried.pop_back();
  EXPECT_TRUE(c.advice(space));
}

}  // namespace
}  // namespace nightshift::search
