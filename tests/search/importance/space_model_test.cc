#include "search/importance/space_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "tests/search/importance/model_points.h"

namespace nightshift::search {
namespace {

TEST(SpaceModel, FindsWhatMattersAndHowMuch) {
  const SpaceModel model(
      three(6), drawn(400, 6, [](const Digits& d, base::Rng&) { return 3.0 * d[1] + d[0]; }));
  EXPECT_GT(model.quality().explained, 0.95);
  EXPECT_GT(model.quality().rank_correlation, 0.95);
  const SpaceModel::Importance told = model.importance();
  ASSERT_EQ(told.mains.size(), 3U);
  EXPECT_EQ(told.mains[0].parameter, 1U);
  EXPECT_NEAR(told.mains[0].share, 0.9, 0.05);
  EXPECT_EQ(told.mains[1].parameter, 0U);
  EXPECT_NEAR(told.mains[1].share, 0.1, 0.05);
  EXPECT_LT(told.mains[2].share, 0.02);
  ASSERT_EQ(told.mains[0].levels.size(), 6U);
  for (std::size_t k = 1; k < 6; ++k) {
    EXPECT_GT(told.mains[0].levels[k].mean, told.mains[0].levels[k - 1].mean);
    EXPECT_LE(told.mains[0].levels[k].low, told.mains[0].levels[k].high);
  }
}

TEST(SpaceModel, FindsWhatTwoDoTogether) {
  const SpaceModel model(three(2), drawn(200, 2, [](const Digits& d, base::Rng&) {
                           return d[0] == d[2] ? 1.0 : 2.0;
                         }));
  const SpaceModel::Importance told = model.importance();
  ASSERT_FALSE(told.pairs.empty());
  EXPECT_EQ(told.pairs[0].first, 0U);
  EXPECT_EQ(told.pairs[0].second, 2U);
  EXPECT_GT(told.pairs[0].share, 0.9);
}

TEST(SpaceModel, OfNoiseForetellsNothing) {
  const SpaceModel model(three(6),
                         drawn(200, 6, [](const Digits&, base::Rng& rng) { return rng.normal(); }));
  EXPECT_LT(model.quality().explained, 0.1);
  EXPECT_LT(std::abs(model.quality().rank_correlation), 0.3);
}

TEST(SpaceModel, TakesASampleOfMany) {
  const SpaceModel model(three(6),
                         drawn(5000, 6, [](const Digits& d, base::Rng&) { return 1.0 * d[0]; }));
  EXPECT_EQ(model.points(), SpaceModel::kMostPoints);
  EXPECT_GT(model.quality().explained, 0.99);
}

TEST(SpaceModel, OfNothingSaysNothing) {
  const SpaceModel none(three(3), {});
  EXPECT_EQ(none.points(), 0U);
  EXPECT_EQ(none.predict(Digits{0, 0, 0}), 0);
  const SpaceModel constant(three(3), drawn(50, 3, [](const Digits&, base::Rng&) { return 2; }));
  EXPECT_EQ(constant.quality().explained, 0);
  EXPECT_EQ(constant.predict(Digits{0, 1, 2}), 2);
  for (const SpaceModel::Main& main : constant.importance().mains) EXPECT_EQ(main.share, 0);
}

}  // namespace
}  // namespace nightshift::search
