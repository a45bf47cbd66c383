#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/document/document_writers.h"
#include "tools/table/table_recheck.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

TableRecheck told_recheck() {
  TableRecheck r;
  r.name = "night";
  r.file = "/b/night/table/table.json";
  r.made = "2025-01-31 14:02:11";
  r.changed = {"compiler c++"};
  r.evaluations = 40;
  r.seconds = 61;
  for (const std::int64_t n : {64, 128}) {
    RecheckedRow row;
    row.sizes = {{"N", n}};
    row.configuration = search::Configuration({{"TILE", std::int64_t{8}}});
    row.state = RowState::kHolds;
    row.before = 0.8;
    row.ratio = 0.81;
    row.interval = {0.8, 0.82};
    row.pairs = 8;
    row.reason = "no more than 1 % worse";
    r.rows.push_back(row);
  }
  return r;
}

TEST(TableRecheck, SaysHowManyRowsHoldAndWhatHasChanged) {
  const std::string text = to_text(document_of(told_recheck()));
  EXPECT_THAT(text, HasSubstr("2 rows: 2 hold"));
  EXPECT_THAT(text, HasSubstr("Of 2025-01-31 14:02:11; another one today: compiler c++."));
  EXPECT_THAT(text, HasSubstr("0.8100 [0.8000, 0.8200]"));
  EXPECT_THAT(text, HasSubstr("TILE=8"));
  const auto json = json_of(told_recheck());
  EXPECT_EQ(json["rows"][1]["sizes"]["N"], 128);
  EXPECT_EQ(json["rows"][1]["verdict"], "holds");
  EXPECT_EQ(json["rows"][1]["before"], 0.8);
}

TEST(TableRecheck, TheWorstRowIsTheExitCode) {
  TableRecheck r = told_recheck();
  EXPECT_EQ(exit_code_of(r), ExitCode::kSuccess);
  r.rows[0].state = RowState::kNotReached;
  EXPECT_EQ(exit_code_of(r), ExitCode::kUnfinished);
  r.rows[0].state = RowState::kUndecided;
  EXPECT_EQ(exit_code_of(r), ExitCode::kUnfinished);
  r.rows[1].state = RowState::kWorse;
  EXPECT_EQ(exit_code_of(r), ExitCode::kSecondWorse);
  EXPECT_THAT(to_text(document_of(r)), HasSubstr("2 rows: 1 worse, 1 undecided"));
  r.rows[0].state = RowState::kBroken;
  EXPECT_EQ(exit_code_of(r), ExitCode::kStudyFailed);
  r.device_error = "no device is left";
  EXPECT_EQ(exit_code_of(r), ExitCode::kDevice);
  r.stopped = true;
  EXPECT_EQ(exit_code_of(r), ExitCode::kInterrupted);
  EXPECT_EQ(exit_code_of(TableRecheck{}), ExitCode::kNoImprovement);
}

TEST(TableRecheck, SaysWhatMakesANewTableWhereNotAllHold) {
  TableRecheck r = told_recheck();
  r.command = "nightshift table /b/night";
  EXPECT_THAT(to_text(document_of(r)), ::testing::Not(HasSubstr(r.command)));
  r.rows[0].state = RowState::kWorse;
  EXPECT_THAT(to_text(document_of(r)), HasSubstr(r.command));
}

TEST(TableRecheck, HasATestCaseForEachRow) {
  TableRecheck r = told_recheck();
  r.rows[0].state = RowState::kWorse;
  const std::string text = junit_of(r);
  EXPECT_THAT(text, HasSubstr("tests=\"2\""));
  EXPECT_THAT(text, HasSubstr("failures=\"1\""));
  r.rows.clear();
  EXPECT_THAT(junit_of(r), HasSubstr("skipped=\"1\""));
}

}  // namespace
}  // namespace nightshift::tools
