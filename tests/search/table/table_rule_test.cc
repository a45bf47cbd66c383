#include "search/table/table_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/table/simulated_table.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Candidate 2 of three on the small shapes, the default on the large ones.
struct Ruled {
  Ruled() {
    std::vector<std::vector<double>> truth;
    for (int s = 0; s < 8; ++s) truth.push_back({1, 1.2, s < 4 ? 0.6 : 1.4, 1.1});
    SimulatedTable machine(truth, 0.01, 1);
    columns = machine.matrix();
    decision = decided_table(columns, {}, machine);
    std::vector<Configuration> candidates(4);
    for (std::int64_t c = 1; c < 4; ++c)
      candidates[static_cast<std::size_t>(c)] = Configuration({{"x", c}});
    rule = rule_of(decision, columns, candidates);
  }
  std::string why(std::int64_t m, std::int64_t n) const {
    const Sizes sizes{{"M", m}, {"N", n}};
    return describe(rule, look_up(rule, sizes), sizes);
  }
  std::vector<MatrixColumn> columns;
  TableDecision decision;
  TableRule rule;
};

TEST(TableRule, KeepsTheConfigurationsThatRowsHave) {
  const Ruled ruled;
  ASSERT_THAT(ruled.rule.configurations, SizeIs(2));
  EXPECT_TRUE(ruled.rule.configurations[0].is_baseline());
  EXPECT_EQ(ruled.rule.configurations[1].to_json(), "{\"x\": 2}");
  EXPECT_THAT(ruled.rule.names, ElementsAre("M", "N"));
  EXPECT_EQ(ruled.rule.rows[0].choice, 1U);
  EXPECT_EQ(ruled.rule.rows[7].choice, 0U);
  EXPECT_THAT(places_of(ruled.decision, 4), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(ruled.rule.unseen.divisors, SizeIs(2));
}

TEST(TableRule, SaysWhyACallGetsWhatItGets) {
  const Ruled ruled;
  EXPECT_THAT(ruled.why(64, 32), HasSubstr("configuration 1: these sizes were measured (row 1)"));
  EXPECT_THAT(ruled.why(128, 128), HasSubstr("configuration 1: not measured; the tree says so (M"));
  EXPECT_THAT(ruled.why(64, 512),
              HasSubstr("the default: N is outside of what was measured, 32 to 256"));
  EXPECT_THAT(ruled.why(100, 64), HasSubstr("only where 64 divides M"));
  EXPECT_THAT(ruled.why(448, 64), HasSubstr("the default: not measured"));
}

TEST(TableRule, SaysWhichConstraintLeavesTheDefault) {
  Ruled ruled;
  ruled.rule.unseen.conditions = {{}, {{"M % x == 0", "M % 3 == 0"}}};
  EXPECT_THAT(ruled.why(128, 128), HasSubstr("the default: the tree says configuration 1"));
  EXPECT_THAT(ruled.why(128, 128),
              HasSubstr("its constraint M % x == 0 does not hold: M % 3 == 0 is false"));
  EXPECT_THAT(ruled.why(64, 32), HasSubstr("configuration 1: these sizes were measured"));
  ruled.rule.unseen.conditions[1].front().holds.clear();
  EXPECT_THAT(ruled.why(128, 128), HasSubstr("no table can say whether its constraint"));
}

TEST(TableRule, KeepsTheConstraintsOfItsConfigurations) {
  Ruled ruled;
  ruled.decision.unseen.conditions = {{}, {}, {{"M % x == 0", "M % 2 == 0"}}, {}};
  std::vector<Configuration> candidates(4);
  const TableRule rule = rule_of(ruled.decision, ruled.columns, candidates);
  ASSERT_THAT(rule.unseen.conditions, SizeIs(2));
  EXPECT_THAT(rule.unseen.conditions[1], SizeIs(1));
}

TEST(TableRule, ARowOfWhichNothingIsKnownWasNotMeasured) {
  Ruled ruled;
  ruled.rule.rows.front().measured = false;
  EXPECT_THAT(ruled.why(64, 32), HasSubstr("these sizes were not measured (row 1)"));
}

}  // namespace
}  // namespace nightshift::search
