// What was measured before. That processes measure the rest, and that a kill loses no block, is held by
// tests/e2e/table_test.py.
#include "tools/table/table_measuring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/table/stored_table.h"
#include "tools/table/kept/size_free.h"

namespace nightshift::tools {
namespace {

using ::testing::SizeIs;

TEST(TableMeasuring, TakesTheBlocksThatAreThere) {
  tests::StoredTable stored;
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  ASSERT_THAT(measuring.columns(), SizeIs(3));
  const search::MatrixColumn& column = measuring.columns().front();
  EXPECT_THAT(column.cells[1].effects, SizeIs(3));
  EXPECT_TRUE(column.cells[2].same_as_default) << "the same machine code";
  EXPECT_TRUE(column.cells[3].failed) << "TILE=3 is no value of the space";
  EXPECT_EQ(measuring.reused(), 9U);
}

TEST(TableMeasuring, WhatIsWholeIsNotMeasuredAgainAndNothingIsBegunWhenItIsLate) {
  tests::StoredTable stored;
  stored.terms.blocks = 5;
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  EXPECT_TRUE(measuring.is_late());
  EXPECT_TRUE(measuring.measure_matrix());
  EXPECT_EQ(measuring.evaluations(), 0U);
  EXPECT_TRUE(measuring.devices().empty());
}

TEST(TableMeasuring, AShapeThatIsNotMeasuredSaysWhy) {
  tests::StoredTable stored;
  TableMeasuring whole = stored.measuring();
  EXPECT_TRUE(whole.measure_matrix());
  EXPECT_EQ(whole.why_unmeasured(0), "");
  EXPECT_EQ(whole.no_worse(0, 1, 0.01), std::nullopt);
  EXPECT_EQ(whole.why_unmeasured(0), TableMeasuring::kLate);
  EXPECT_EQ(whole.why_unmeasured(1), "");
  stored.terms.blocks = 5;
  TableMeasuring late = stored.measuring();
  EXPECT_TRUE(late.measure_matrix());
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(late.why_unmeasured(s), TableMeasuring::kLate);
}

// A table that grows may have candidates of its new shapes: what is known of the others stays.
TEST(TableMeasuring, ABlockCountsForTheCandidatesThatItHasAWordOn) {
  tests::StoredTable stored;
  stored.candidates.push_back(tests::told_configuration(8));
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  EXPECT_EQ(measuring.reused(), 9U);
  EXPECT_THAT(measuring.columns().front().cells[1].effects, SizeIs(3));
  EXPECT_TRUE(measuring.columns().front().cells[4].effects.empty());
  StoredMeasurement block;
  block.shape = "N=64";
  block.effects = {{stored.key(4), 0.5}};
  block.artifacts = {{stored.key(0), "aa"}, {stored.key(4), "cc"}};
  for (int i = 0; i < 3; ++i) stored.store.add(block);
  TableMeasuring later(stored.batch, stored.candidates, stored.store, stored.devices, stored.terms);
  EXPECT_THAT(later.columns().front().cells[1].effects, SizeIs(3));
  EXPECT_TRUE(later.columns().front().cells[2].same_as_default);
  EXPECT_THAT(later.columns().front().cells[4].effects, SizeIs(3));
}

TEST(TableMeasuring, SizesThatAreArgumentsHaveOneMachineCode) {
  search::Problem problem = tests::told_problem();
  auto& host = std::get<search::HostBackend>(problem.backend);
  host.cases.front() = {{"N", 64}};
  host.kernel.function = "sgemm<TILE, NEXT_N>";
  EXPECT_FALSE(is_built_without_sizes(problem)) << "sizes are macros";
  host.names = search::SourceNames::kNone;
  EXPECT_TRUE(is_built_without_sizes(problem));
  host.kernel.function = "sgemm<TILE, N>";
  EXPECT_FALSE(is_built_without_sizes(problem));
}

}  // namespace
}  // namespace nightshift::tools
