#include "search/acceptance/bisection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace nightshift::search {
namespace {

using Finding = Bisection::Finding;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The first bad one, and how many were looked at.
std::pair<std::size_t, int> searched(std::size_t points, std::size_t first_bad,
                                     const std::set<std::size_t>& broken = {}) {
  Bisection bisection(points);
  int looked = 0;
  while (const auto point = bisection.next()) {
    ++looked;
    bisection.found(*point, broken.contains(*point) ? Finding::kSkipped
                            : *point >= first_bad   ? Finding::kBad
                                                    : Finding::kGood);
  }
  return {bisection.first_bad(), looked};
}

TEST(Bisection, FindsEveryPlaceInAsFewStepsAsItSays) {
  for (std::size_t points = 2; points < 70; ++points) {
    for (std::size_t bad = 1; bad < points; ++bad) {
      const auto [found, looked] = searched(points, bad);
      EXPECT_EQ(found, bad) << points;
      EXPECT_LE(looked, Bisection::steps(points)) << points;
    }
  }
  EXPECT_EQ(Bisection::steps(2), 0);
  EXPECT_EQ(Bisection::steps(3), 1);
  EXPECT_EQ(Bisection::steps(1002), 10);
}

TEST(Bisection, WhatIsSkippedIsPassedBy) {
  const auto [found, looked] = searched(30, 11, {14, 15, 16});
  EXPECT_EQ(found, 11U);
  EXPECT_LE(looked, 8);
}

TEST(Bisection, SkippedOnesBesideTheFirstBadOneMayBeItToo) {
  Bisection bisection(6);
  bisection.found(2, Finding::kSkipped);
  bisection.found(3, Finding::kSkipped);
  bisection.found(1, Finding::kGood);
  bisection.found(4, Finding::kBad);
  EXPECT_FALSE(bisection.next());
  EXPECT_EQ(bisection.last_good(), 1U);
  EXPECT_EQ(bisection.first_bad(), 4U);
  EXPECT_THAT(bisection.skipped(), ElementsAre(2, 3));
}

TEST(Bisection, OfTwoNothingIsLeftToFind) {
  EXPECT_FALSE(Bisection(2).next());
  EXPECT_EQ(Bisection(2).first_bad(), 1U);
  EXPECT_THAT(Bisection(2).skipped(), IsEmpty());
}

}  // namespace
}  // namespace nightshift::search
