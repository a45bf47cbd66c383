#include "search/statistics/multiplicity.h"

#include "tests/search/statistics/fixtures.h"

namespace nightshift::search {
namespace {

TEST(Holm, AgreesWithTheReference) {
  const auto& entry = fixture("combine_p_values");
  expect_close(holm(Values(entry["p"])), entry["expect"]["holm_adjusted"], "holm");
}

TEST(Holm, OfNothingIsNothingAndOfOneThatOne) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(holm(Values{0.03}), Values{0.03});
}

TEST(Holm, WhatIsNoPIsNoEvidence) {
  for (const double bad : {kNaN, -0.1, 1.5, kInfinity}) {
    EXPECT_EQ(holm(Values{0.01, bad}), holm(Values{0.01, 1}));
  }
}

TEST(Holm, NeverExceedsOneNorFallsWithP) {
  EXPECT_EQ(holm(Values{0.6, 0.7}), (Values{1, 1}));
  // Thrice 0.02 is more than twice 0.025, which therefore is raised to it.
  EXPECT_EQ(holm(Values{0.025, 0.02, 0.5}), (Values{3 * 0.02, 3 * 0.02, 0.5}));
}

}  // namespace
}  // namespace nightshift::search
