#include "search/figures/audit_condition.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(AuditCondition, TimesOnNewInputsAreANumberThatSomebodySaid) {
  Measurement measurement;
  EXPECT_EQ(times_on_new_inputs(measurement), 0);
  measurement.conditions = {{"times on new inputs", "5.93"}};
  EXPECT_EQ(times_on_new_inputs(measurement), 5.93);
  measurement.conditions = {{"times on new inputs", "damaged"}};
  EXPECT_EQ(times_on_new_inputs(measurement), 0);
}

}  // namespace
}  // namespace nightshift::search
