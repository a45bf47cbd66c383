#include "tools/table/table_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/table/formats/told_table.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TableReport told_report() {
  TableReport report;
  report.name = "night";
  report.folder = "/b/night";
  report.file = "/b/night/table/table.json";
  report.document = tests::told_table();
  report.shapes = 3;
  report.candidates.resize(3);
  report.columns.resize(3);
  for (std::size_t s = 0; s < 3; ++s) {
    report.columns[s].shape.sizes = report.document.rule.rows[s].sizes;
    report.decision.estimates.push_back({{}, {-0.2, 0.01, true}, {0.1, 0.01, s != 2}});
    report.decision.rows.push_back(report.document.rule.rows[s].choice);
  }
  report.notices = {"gemm-M8 has not begun"};
  report.evaluations = 120;
  report.seconds = 61;
  return report;
}

TEST(TableReport, SaysTheClaimFirstAndWhatEachShapeGets) {
  const std::string text = to_text(document_of(told_report()));
  EXPECT_THAT(text, HasSubstr("time 15.00 % lower [14.00 %, 16.00 %] over 3 shapes against the "
                              "default, by 2 configurations"));
  EXPECT_THAT(text, HasSubstr("signed ranks of the shapes: p = 0.01000"));
  EXPECT_THAT(text, HasSubstr("M=64 for=4096"));
  EXPECT_THAT(text, HasSubstr("0.7000 [0.6500, 0.7500]"));
  EXPECT_THAT(text, HasSubstr("M * for <= 100000:"));
  EXPECT_THAT(text, HasSubstr("not M % 4 == 0:"));
  EXPECT_THAT(text,
              HasSubstr("4 further tests asked whether a leaf's configuration is no worse on a "
                        "shape that has another one itself: 3 show it."));
  EXPECT_THAT(text, HasSubstr("gemm-M8 has not begun"));
  EXPECT_THAT(text, HasSubstr("120 evaluations in 1 min 01 s"));
  EXPECT_EQ(exit_code_of(told_report()), ExitCode::kSuccess);
}

TEST(TableReport, WhatNobodyAskedForHasItsReason) {
  TableReport report = told_report();
  const std::string text = to_text(document_of(report));
  EXPECT_THAT(text, HasSubstr("How it was chosen"));
  EXPECT_THAT(text, HasSubstr("as few as lose no more than a third of the slack to 8"));
  EXPECT_THAT(text, Not(HasSubstr("asks for it")));
  report.asked.k = 2;
  report.asked.margin = 0.02;
  report.asked.budget = 60;
  const std::string told = to_text(document_of(report));
  for (const char* option : {"--k asks for it", "--margin asks for it", "--budget asks for it"}) {
    EXPECT_THAT(told, HasSubstr(option));
  }
  EXPECT_THAT(told, Not(HasSubstr("--slack asks for it")));
}

TEST(TableReport, WithoutAClaimEveryShapeKeepsTheDefault) {
  TableReport report = told_report();
  report.document.claim = {};
  report.document.claim.reason = "every shape keeps the default";
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("Every one of 3 shapes keeps the default: no "
                                                      "other choice was shown to be no worse"));
  for (RowEvidence& row : report.document.evidence) row.proposed = 0;
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("Every one of 3 shapes keeps the default: no candidate gains anything"));
  report.document.claim.shapes = 2;
  report.document.claim.reason = "the table is 0.1 % better, p = 0.4";
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("Every one of 3 shapes keeps the default: the table is 0.1 % better"));
  EXPECT_EQ(exit_code_of(report), ExitCode::kNoImprovement);
  report.late = true;
  EXPECT_EQ(exit_code_of(report), ExitCode::kUnfinished);
}

TEST(TableReport, WhatWasStoppedHasNoTable) {
  TableReport report = told_report();
  report.stopped = true;
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("the same command goes on"), Not(HasSubstr("M=64"))));
  EXPECT_EQ(exit_code_of(report), ExitCode::kInterrupted);
  report.stopped = false;
  report.device_error = "no device is left";
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("No table: no device is left"));
  EXPECT_EQ(exit_code_of(report), ExitCode::kDevice);
  EXPECT_FALSE(table_report_json(report).contains("rows"));
}

TEST(TableReport, ThePageHasTheMatrixAsAPicture) {
  const std::string page = to_html(document_of(told_report()));
  EXPECT_THAT(page, AllOf(HasSubstr("<rect"), HasSubstr("does not run"), HasSubstr("M=64 for=64")));
  EXPECT_THAT(page, HasSubstr("Cost by the number of configurations"));
}

TEST(TableReport, ALookUpSaysWhichRowAndWhy) {
  const TableDocument d = tests::told_table();
  EXPECT_THAT(
      look_up_text(d, {{"M", 64}, {"for", 64}}),
      AllOf(HasSubstr("M=64 for=64 gets configuration 1: these sizes were measured (row 1)"),
            HasSubstr("TILE=16")));
  EXPECT_THAT(look_up_text(d, {{"M", 8192}, {"for", 64}}),
              HasSubstr("gets the default: M is outside of what was measured, 64 to 4096"));
  const auto json = look_up_json(d, {{"M", 68}, {"for", 96}});
  EXPECT_EQ(json["choice"], 1);
  EXPECT_EQ(json["measured"], false);
  EXPECT_EQ(json["configuration"]["TILE"], 16);
}

TEST(TableReport, SaysWhereAnAnswerDoesNotRun) {
  TableReport report = told_report();
  EXPECT_THAT(to_text(document_of(report)), Not(HasSubstr("does not run:")));
  report.document.depths.back().failed = 2;
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("On 2 shapes the answer does not run"));
}

TEST(TableReport, SaysWhichConfigurationIsForMeasuredSizesAlone) {
  TableReport report = told_report();
  report.document.rule.unseen.conditions = {{}, {{"M in TILES", ""}}, {}};
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("Configuration 1 is for measured sizes"));
}

TEST(TableReport, WhatWasNotMeasuredIsNoRowWithoutAGain) {
  TableReport report = told_report();
  report.document.rule.rows.back().measured = false;
  report.document.evidence.back().reason = "nothing is known: gemm-M4096: the baseline failed";
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("by 2 configurations; 1 of them was not measured"));
  const search::Sizes sizes{{"M", 4096}, {"for", 4096}};
  EXPECT_THAT(look_up_text(report.document, sizes),
              AllOf(HasSubstr("these sizes were not measured (row 3)"),
                    HasSubstr("gemm-M4096: the baseline failed")));
  EXPECT_EQ(look_up_json(report.document, sizes)["measured"], false);
  report.document.claim = {};
  for (search::TableRow& row : report.document.rule.rows) row.measured = false;
  for (RowEvidence& row : report.document.evidence) {
    row.proposed = 0;
    row.reason = "the budget was used up";
  }
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("Every one of 3 shapes keeps the default: the budget was used up"));
}

TEST(TableReport, WhereNothingIsKnownThereIsNoTable) {
  TableReport report = told_report();
  report.unknown = "nothing is known: gemm-M64: the baseline failed";
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("No table of 3 shapes: nothing is known: gemm-M64: the baseline"),
                    Not(HasSubstr("table.json"))));
  EXPECT_EQ(exit_code_of(report), ExitCode::kStudyFailed);
  const auto json = table_report_json(report);
  EXPECT_FALSE(json.contains("rows"));
  EXPECT_EQ(json["unknown"], report.unknown);
}

}  // namespace
}  // namespace nightshift::tools
