#include "tools/recheck/toolchain_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

search::RankedPair shown(std::size_t first, std::size_t second, double ratio) {
  search::RankedPair pair;
  pair.first = first;
  pair.second = second;
  pair.verdict.emplace();
  pair.verdict->ratio = ratio;
  pair.verdict->acceptance = search::Accept{"shown"};
  pair.verdict->interval = {ratio * 0.99, ratio * 1.01, 0.998};
  return pair;
}

// Under the second compiler slower by a quarter, under the third it does not build.
WinnerUnderToolchains winner(const std::string& name) {
  WinnerUnderToolchains w;
  w.name = name;
  w.problem = tests::told_problem();
  w.configuration = tests::told_configuration(2);
  w.facts.codes = {"w0", "b0", "w1", "b1"};
  w.facts.builds = {{true, "", 0, 1}, {true, "", 2, 3}, {true, "error: <x>\n\x1b[31m"}};
  w.facts.pairs = {shown(0, 1, 2), shown(0, 2, 1.25), shown(2, 3, 1.6)};
  return w;
}

ToolchainReport report_of(std::vector<WinnerUnderToolchains> winners) {
  ToolchainReport report;
  report.toolchains = {{"g++-12", "/usr/bin/g++-12", "g++ 12.2"},
                       {"clang++", "/usr/bin/clang++", ""},
                       {"<none>", "/opt/none", ""}};
  report.winners = std::move(winners);
  return report;
}

TEST(ToolchainReport, TheTextSaysWhoWinsAndWhetherToUpgrade) {
  const std::string text = to_text(document_of(report_of({winner("studies/<a>")})));
  EXPECT_THAT(text, HasSubstr("May we upgrade? clang++: no; <none>: no"));
  EXPECT_THAT(text, HasSubstr("slower: time 25.00 % higher"));
  EXPECT_THAT(text, HasSubstr("[23.75 %, 26.25 %] at 99.8 %"));
  EXPECT_THAT(text, HasSubstr("those of its own test"));
  EXPECT_THAT(text, HasSubstr("compared with"));
  EXPECT_THAT(text, HasSubstr("1 broken"));
  EXPECT_THAT(text, HasSubstr("4 builds are 4 pieces of machine code"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ToolchainReport, SaysWhatWasRepairedUnderWhichCompiler) {
  WinnerUnderToolchains w = winner("studies/a");
  w.repairs.resize(3);
  w.repairs[1].emplace().study = "studies/b";
  w.repairs[1]->reason = "no gain";
  w.repairs[2].emplace().kept = "studies/a/artifacts/ff";
  const ToolchainReport report = report_of({w});
  const std::string text = to_text(document_of(report));
  EXPECT_THAT(text, HasSubstr("clang++: no (repaired: 1 not); <none>: no (repaired: 1 kept)"));
  EXPECT_THAT(text, HasSubstr("1 kept"));
  EXPECT_THAT(text, HasSubstr("1 not"));
  EXPECT_THAT(text, HasSubstr("tuned anew in studies/b, which accepted no improvement: no gain"));
  EXPECT_THAT(to_markdown(document_of(report)), HasSubstr("1 kept"));
  EXPECT_THAT(junit_of(report), HasSubstr("that was kept is that of the compiler"));
  EXPECT_THAT(to_html(document_of(report)), HasSubstr("repaired"));
  const auto json = json_of(report)["winners"][0]["toolchains"];
  EXPECT_FALSE(json[0].contains("repair"));
  EXPECT_EQ(json[1]["repair"]["study"], "studies/b");
  EXPECT_EQ(json[2]["repair"]["kept"], "studies/a/artifacts/ff");
  EXPECT_THAT(to_text(document_of(report_of({winner("a")}))), Not(HasSubstr("repaired")));
}

TEST(ToolchainReport, TheExitCodeIsThatOfTheWorst) {
  ToolchainReport report = report_of({winner("a")});
  EXPECT_EQ(exit_code_of(report), ExitCode::kStudyFailed);
  search::ToolchainFacts& facts = report.winners[0].facts;
  facts.builds[2] = facts.builds[0];
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondWorse);
  facts.pairs[1] = shown(0, 2, 0.8);
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondBetter);
  facts.undecided = "disturbed";
  EXPECT_EQ(exit_code_of(report), ExitCode::kUnfinished);
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("  -  "));  // nobody is the best
  report.device_error = "the GPU fell off";
  EXPECT_EQ(exit_code_of(report), ExitCode::kDevice);
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("It ended early: the GPU fell off."));
  report.stopped = true;
  EXPECT_EQ(exit_code_of(report), ExitCode::kInterrupted);
  report = report_of({});
  EXPECT_EQ(exit_code_of(report), ExitCode::kNoImprovement) << "nothing was looked at";
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("No winner to recheck"));
}

TEST(ToolchainReport, JsonHasEachWinnerUnderEachCompiler) {
  const auto json = json_of(report_of({winner("a")}));
  EXPECT_EQ(json["toolchains"][1]["upgrade"], "no");
  EXPECT_EQ(json["toolchains"][0]["upgrade"], "yes");
  EXPECT_EQ(json["toolchains"][1]["verdicts"]["slower"], 1);
  const auto& winner = json["winners"][0];
  EXPECT_EQ(winner["best"], nlohmann::json({"g++-12"}));
  EXPECT_EQ(winner["toolchains"][1]["verdict"], "slower");
  EXPECT_DOUBLE_EQ(winner["toolchains"][1]["speed"]["ratio"], 1.25);
  EXPECT_DOUBLE_EQ(winner["toolchains"][1]["gain"]["ratio"], 1 / 1.6);
  EXPECT_TRUE(winner["toolchains"][2]["artifact"].is_null());
  EXPECT_TRUE(json["device_error"].is_null());
}

TEST(ToolchainReport, FilesForOthersEscapeWhatNamesAndCompilersSay) {
  const ToolchainReport report = report_of({winner("studies/<a>")});
  const std::string junit = junit_of(report);
  EXPECT_THAT(junit, HasSubstr("tests=\"3\" errors=\"1\" failures=\"1\" skipped=\"0\""));
  EXPECT_THAT(junit, HasSubstr("classname=\"&lt;none&gt;\" name=\"studies/&lt;a&gt;\"><error"));
  EXPECT_THAT(to_html(document_of(report)), Not(HasSubstr("<a>\"")));
  EXPECT_THAT(to_html(document_of(report)), HasSubstr("error: &lt;x&gt;"));
  EXPECT_THAT(to_markdown(document_of(report)), HasSubstr("| clang++ | no |"));
}

}  // namespace
}  // namespace nightshift::tools
