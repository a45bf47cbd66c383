#include "tools/recheck/recheck_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

search::Verdict shown(double ratio, bool accepted) {
  search::Verdict v;
  v.ratio = ratio;
  v.interval = {ratio * 0.99, ratio * 1.01};
  v.looks = {{32, -std::log(ratio), 0.005, 0.001, 0.0025}};
  v.devices.resize(1);
  v.devices[0].pairs = 32;
  if (accepted) {
    v.acceptance = search::Accept{"shown"};
  } else {
    v.acceptance = search::Reject{"not shown"};
  }
  return v;
}

RecheckedWinner winner(const std::string& name) {
  RecheckedWinner w;
  w.name = name;
  w.problem = tests::told_problem();
  w.configuration = tests::told_configuration(2);
  w.facts.winner_before = w.facts.winner_now = "aa";
  w.facts.baseline_before = w.facts.baseline_now = "bb";
  w.facts.stored_ratio = 0.5;
  w.facts.stored_interval = {0.49, 0.51};
  return w;
}

RecheckedWinner regressed() {
  RecheckedWinner w = winner("studies/<slow>");
  w.facts.winner_now = "cc";
  w.facts.against_old = shown(1.25, true);
  w.facts.against_baseline = shown(0.5, true);
  w.changes = {"the compiler c++ was g++ 12 and is g++ 13"};
  return w;
}

RecheckedWinner broken() {
  RecheckedWinner w = winner("studies/gone");
  w.facts.broken = "the winner could not be built: \x1b[31merror: \"x\" & <y>\nmore";
  return w;
}

RecheckedWinner undecided() {
  RecheckedWinner w = winner("studies/noisy");
  w.facts.machine_changed = true;
  w.facts.against_baseline = shown(0.98, false);
  w.facts.stored_interval = search::kUnbounded;
  w.detectable = 0.05;
  return w;
}

TEST(RecheckReport, TheTextHasATableAndWhy) {
  RecheckReport report;
  report.winners = {regressed(), broken(), undecided(), winner("studies/calm")};
  report.notices = {"studies/none accepted no improvement: nothing to recheck"};
  const std::string text = to_text(document_of(report));
  EXPECT_THAT(text, HasSubstr("4 winners: 1 broken, 1 regressed, 1 undecided, 1 unchanged"));
  EXPECT_THAT(text, HasSubstr("time 25.00 % higher"));
  EXPECT_THAT(text, HasSubstr("the compiler c++ was g++ 12 and is g++ 13"));
  EXPECT_THAT(text, HasSubstr("a difference of about 4.88 % would be found"));
  EXPECT_THAT(text, HasSubstr("accepted no improvement"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(RecheckReport, TheExitCodeIsThatOfTheWorst) {
  RecheckReport report;
  EXPECT_EQ(exit_code_of(report), ExitCode::kNoImprovement) << "nothing was looked at";
  report.unread = 1;
  EXPECT_EQ(exit_code_of(report), ExitCode::kJournal) << "nothing could be looked at";
  report.unread = 0;
  EXPECT_THAT(junit_of(report), AllOf(HasSubstr("<skipped"), HasSubstr("No winner")));
  report.winners = {winner("calm")};
  EXPECT_EQ(exit_code_of(report), ExitCode::kSuccess);
  report.winners.push_back(regressed());
  report.winners.back().facts.against_old = shown(0.8, true);
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondBetter);
  report.winners.push_back(undecided());
  EXPECT_EQ(exit_code_of(report), ExitCode::kUnfinished);
  report.unread = 1;
  EXPECT_EQ(exit_code_of(report), ExitCode::kJournal);
  report.winners.push_back(regressed());
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondWorse);
  report.winners.push_back(broken());
  EXPECT_EQ(exit_code_of(report), ExitCode::kStudyFailed);
  report.stopped = true;
  EXPECT_EQ(exit_code_of(report), ExitCode::kInterrupted);
}

TEST(RecheckReport, JsonHasBothQuestions) {
  RecheckReport report;
  report.winners = {regressed(), winner("calm")};
  const auto json = json_of(report);
  EXPECT_EQ(json["verdicts"]["regressed"], 1);
  const auto& first = json["winners"][0];
  EXPECT_EQ(first["verdict"], "regressed");
  EXPECT_EQ(first["artifact"]["before"], "aa");
  EXPECT_EQ(first["artifact"]["now"], "cc");
  EXPECT_EQ(first["speed"]["verdict"], "regressed");
  EXPECT_DOUBLE_EQ(first["speed"]["ratio"], 1.25);
  EXPECT_EQ(first["advantage"]["verdict"], "held");
  EXPECT_EQ(first["advantage"]["pairs"], 32);
  EXPECT_TRUE(json["winners"][1]["speed"].is_null());
  EXPECT_EQ(json["winners"][1]["verdict"], "unchanged");
}

TEST(RecheckReport, ARepairIsTold) {
  RecheckReport report;
  report.winners = {regressed(), regressed(), broken()};
  RecheckRepair kept;
  kept.old_code = {0.4, {0.39, 0.41}};
  kept.kept = "studies/slow/artifacts/aa";
  report.winners[0].repair = kept;
  RecheckRepair anew;
  anew.study = "studies/slow-2";
  anew.accepted = true;
  anew.ratio = 0.5;
  anew.interval = {0.49, 0.51};
  report.winners[1].repair = anew;
  anew.accepted = false;
  anew.reason = "no candidate was better";
  report.winners[2].repair = anew;
  const std::string text = to_text(document_of(report));
  EXPECT_THAT(text, HasSubstr("the machine code that was kept still wins (time 60.00 % lower"));
  EXPECT_THAT(text, HasSubstr("tuned anew in studies/slow-2, time 50.00 % lower"));
  EXPECT_THAT(text, HasSubstr("accepted no improvement: no candidate was better"));
  const auto json = json_of(report);
  EXPECT_EQ(json["winners"][0]["repair"]["kept"], "studies/slow/artifacts/aa");
  EXPECT_TRUE(json["winners"][0]["repair"]["study"].is_null());
  EXPECT_DOUBLE_EQ(json["winners"][1]["repair"]["ratio"], 0.5);
  EXPECT_TRUE(json["winners"][2]["repair"]["ratio"].is_null());
  EXPECT_FALSE(json_of(RecheckReport{}).contains("repair"));
  EXPECT_THAT(junit_of(report), HasSubstr("repair: tuned anew in studies/slow-2"));
  report.winners[2].repair = RecheckRepair{};  // it was stopped before
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("repair: none, it was not begun"));
}

TEST(RecheckReport, TheWantOfADeviceLeavesTheTable) {
  RecheckReport report;
  report.winners = {winner("studies/calm"), undecided()};
  report.winners[1].facts.reached = false;
  report.device_error = "core 1 is in use";
  EXPECT_EQ(exit_code_of(report), ExitCode::kDevice);
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("1 not reached, 1 unchanged"));
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("It ended early: core 1 is in use."));
  EXPECT_EQ(json_of(report)["device_error"], "core 1 is in use");
}

TEST(RecheckReport, FilesForOthersEscapeWhatNamesAndCompilersSay) {
  RecheckReport report;
  report.winners = {regressed(), broken(), undecided(), winner("studies/calm")};
  const std::string junit = junit_of(report);
  EXPECT_THAT(junit, HasSubstr("tests=\"4\" errors=\"1\" failures=\"1\" skipped=\"1\""));
  EXPECT_THAT(junit, HasSubstr("name=\"studies/&lt;slow&gt;\"><failure message=\"regressed: "));
  EXPECT_THAT(junit, HasSubstr("&quot;x&quot; &amp; &lt;y&gt;"));
  EXPECT_THAT(junit, HasSubstr("name=\"studies/calm\"></testcase>"));
  const std::string page = to_html(document_of(report));
  EXPECT_THAT(page, HasSubstr("studies/&lt;slow&gt;"));
  EXPECT_THAT(page, HasSubstr("verdict bad"));
  const std::string markdown = to_markdown(document_of(report));
  EXPECT_THAT(markdown, HasSubstr("| regressed |"));
  EXPECT_THAT(markdown, Not(HasSubstr("<slow>")));
}

}  // namespace
}  // namespace nightshift::tools
