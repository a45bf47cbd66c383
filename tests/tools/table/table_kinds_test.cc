// What needs no device; the rest is held by tests/e2e/table_kinds_test.py.
#include "tools/table/table_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/problems/scratch_folder.h"
#include "tests/tools/table/formats/told_table.h"
#include "tools/document/document_writers.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

// The table here has the choices 1, 2 and the default; its candidates are in another order.
TableReport report_here() {
  TableReport report;
  report.document = tests::told_table();
  const search::TableRule& rule = report.document.rule;
  report.candidates = {{}, rule.configurations[2], rule.configurations[1]};
  report.columns.resize(3);
  for (std::size_t s = 0; s < 3; ++s) {
    report.columns[s].shape = {rule.rows[s].sizes, 1};
    report.decision.estimates.push_back(
        {{}, {std::log(0.7), 0.01, true}, {std::log(0.8), 0.01, true}});
  }
  report.decision.rows = {2, 1, 0};
  return report;
}

TEST(TableKindsReport, ATableWithTheSameChoicesCarriesOver) {
  TableReport report = report_here();
  note_carried("another", tests::told_table(), report);
  ASSERT_EQ(report.document.carried.size(), 1U);
  const search::CarriedOver& cost = report.document.carried[0].cost;
  EXPECT_EQ(cost.shapes, 3U);
  EXPECT_EQ(cost.as_good, 3U);
  EXPECT_NEAR(cost.of_default, std::cbrt(0.8 * 0.7), 1e-12);
  EXPECT_EQ(cost.of_default, cost.own_of_default);
}

TEST(TableKindsReport, ShapesAreKnownByTheirSizesAndConfigurationsByTheirValues) {
  TableReport report = report_here();
  TableDocument other = tests::told_table();
  other.rule.names = {"for", "M"};
  for (search::TableRow& row : other.rule.rows) std::swap(row.sizes[0], row.sizes[1]);
  other.rule.rows.pop_back();
  other.rule.configurations[2] = search::Configuration({{"TILE", std::int64_t{5}}});
  note_carried("another", other, report);
  const search::CarriedOver& cost = report.document.carried[0].cost;
  EXPECT_EQ(cost.shapes, 2U);
  EXPECT_EQ(cost.ran, 1U);  // the other one was no candidate here
  EXPECT_NEAR(cost.of_default, 0.8, 1e-12);
}

TEST(TableKindsReport, WhatCarriesOverIsWrittenAndReadBack) {
  TableReport report = report_here();
  note_carried("another", tests::told_table(), report);
  const auto json = table_json(report.document);
  EXPECT_EQ(json["carried_over"][0]["kind"], "another");
  EXPECT_EQ(json["carried_over"][0]["as_good"], 3);
  EXPECT_EQ(table_json(read_table_document(json.dump(), "a.json")), json);
}

TEST(TableKindsReport, TheFirstTableThatWasNotMadeIsTheExitCode) {
  KindsReport report;
  report.tables = {report_here(), report_here()};
  EXPECT_EQ(exit_code_of(report), ExitCode::kSuccess);
  report.tables[0].document.claim.accepted = false;
  EXPECT_EQ(exit_code_of(report), ExitCode::kSuccess);
  report.tables[1].document.claim.accepted = false;
  EXPECT_EQ(exit_code_of(report), ExitCode::kNoImprovement);
  report.tables[1].stopped = true;
  EXPECT_EQ(exit_code_of(report), ExitCode::kInterrupted);
  EXPECT_EQ(kinds_report_json(report)["file"], nullptr);
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("No table of all kinds"));
}

TEST(TableKindsReport, OfAllKindsThereIsOneFile) {
  EXPECT_EQ(kinds_file("/b/night", ""), "/b/night/table/kinds.json");
  EXPECT_EQ(kinds_file("/b/night", "gemm"), "/b/night/table-gemm/kinds.json");
  EXPECT_EQ(table_file("/b/night", "", "A GPU, compute capability 90"),
            "/b/night/table/A-GPU--compute-capability-90/table.json");
}

TEST(TableKindsReport, AJoinedTableIsAFileThatIsOne) {
  const problems::ScratchFolder folder;
  folder.write("a.json", table_json(tests::told_table()).dump());
  folder.write("b.json", "{}");
  EXPECT_EQ(read_joined({folder.path("a.json")}).size(), 1U);
  EXPECT_THROW(read_joined({folder.path("b.json")}), UsageError);
  EXPECT_THROW(read_joined({folder.path("c.json")}), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
