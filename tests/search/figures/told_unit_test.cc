#include "search/figures/told_unit.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(ToldUnit, IsTakenByAnObjectiveThatHasNone) {
  Measurement measurement;
  measurement.conditions = {{told_unit_condition("latency"), "ms"},
                            {told_unit_condition("size"), "B"}};
  std::vector<Objective> objectives = {{.name = "latency", .unit = ""},
                                       {.name = "size", .unit = "KiB"},
                                       {.name = "score", .unit = ""}};
  take_told_units(objectives, measurement);
  EXPECT_EQ(objectives[0].unit, "ms");
  EXPECT_EQ(objectives[1].unit, "KiB");
  EXPECT_EQ(objectives[2].unit, "");
}

}  // namespace
}  // namespace nightshift::search
