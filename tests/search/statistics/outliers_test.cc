#include "search/statistics/outliers.h"

#include <algorithm>

#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(Outliers, AgreeWithTheReference) {
  const auto& entry = fixture("robust_location_outliers");
  const Values x = entry["x"];
  const TukeyFences fences = tukey_fences(x);
  expect_close({fences.mild.low, fences.mild.high}, entry["expect"]["tukey_mild"], "mild");
  expect_close({fences.severe.low, fences.severe.high}, entry["expect"]["tukey_severe"], "severe");
  const std::vector<OutlierLabel> labels = tukey_labels(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(labels[i], x[i] > 51 ? OutlierLabel::kHighSevere : OutlierLabel::kNone) << i;
  }
}

TEST(Outliers, OnBothSidesInBothDegrees) {
  // Quartiles 2 and 4 of 1..5 with two on each end: fences at -1, 7 and -4, 10.
  const Values x = {-5, -4, 2, 2, 3, 3, 3, 4, 4, 7, 11};
  const TukeyFences fences = tukey_fences(x);
  EXPECT_EQ(fences.mild.low, -1);
  EXPECT_EQ(fences.mild.high, 7);
  EXPECT_EQ(fences.severe.low, -4);
  EXPECT_EQ(fences.severe.high, 10);
  const std::vector<OutlierLabel> labels = tukey_labels(x);
  EXPECT_EQ(labels.front(), OutlierLabel::kLowSevere);
  EXPECT_EQ(labels[1], OutlierLabel::kLowMild);  // on the severe fence is inside it
  EXPECT_EQ(labels[9], OutlierLabel::kNone);     // on the mild fence
  EXPECT_EQ(labels.back(), OutlierLabel::kHighSevere);
}

TEST(Outliers, WithoutSpreadEverythingElseIsOne) {
  const Values x = {3, 3, 3, 3, 3, 3, 4};
  EXPECT_EQ(tukey_labels(x).back(), OutlierLabel::kHighSevere);
  EXPECT_EQ(tukey_labels(x).front(), OutlierLabel::kNone);
  EXPECT_TRUE(tukey_labels({}).empty());
  EXPECT_EQ(tukey_labels(Values{5}).front(), OutlierLabel::kNone);
}

TEST(Outliers, OffsetDoesNotMatter) {
  const Values x = {-5, -4, 2, 2, 3, 3, 3, 4, 4, 7, 11};
  EXPECT_EQ(tukey_labels(shifted(x, 1e9)), tukey_labels(x));
}

TEST(Outliers, OfNaNAreNone) {
  const Values x = {1, 2, kNaN, 4};
  EXPECT_TRUE(std::isnan(tukey_fences(x).mild.low));
  EXPECT_EQ(std::ranges::count(tukey_labels(x), OutlierLabel::kNone), 4);
}

}  // namespace
}  // namespace nightshift::search
