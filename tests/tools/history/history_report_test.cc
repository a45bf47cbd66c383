#include "tools/history/history_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "tests/tools/all_there.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using search::IdentityPart;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

PastRun study(int day, double best, const std::string& compiler = "g++ 12") {
  PastRun run;
  run.begun = 86'400.0 * day;
  run.at = run.begun + 60;
  run.problem = "sgemm";
  run.file = "/p/sgemm.toml";
  run.study = "/studies/sgemm-" + std::to_string(day);
  run.said = "completed";
  run.objective.unit = "us";
  run.baseline = 100;
  run.best = best;
  run.ratio = best / 100;
  run.interval = {0.99 * *run.ratio, 1.01 * *run.ratio};
  run.accepted = true;
  run.configuration = R"({"TILE":64})";
  run.made_of = {{IdentityPart::Kind::kCompiler, "c++", compiler},
                 {IdentityPart::Kind::kDevice, "a/cpu:0", "Model T"}};
  return run;
}

// Ten days at 50 us, then ten that are 4 % slower by another compiler.
std::vector<PastRun> slower_from_day_ten() {
  base::Rng rng(1);
  std::vector<PastRun> runs;
  for (int day = 0; day < 20; ++day) {
    const double level = day < 10 ? 50 : 52;
    runs.push_back(study(day, level * (1 + 0.003 * rng.normal()), day < 10 ? "g++ 12" : "g++ 13"));
  }
  return runs;
}

std::vector<HistorySeries> series_of(const std::vector<PastRun>& runs) {
  tests::AllThere there;
  return tools::series_of(runs, there);
}

TEST(HistoryCharts, FiguresThatAreComparedByTheirDifferenceAreDrawnSo) {
  std::vector<PastRun> runs{study(0, 50), study(1, 80)};
  const auto gain_of = [](const std::vector<PastRun>& of) {
    return std::get<LineChart>(charts_of(series_of(of).front()).charts.front());
  };
  EXPECT_THAT(gain_of(runs).axes.title, HasSubstr("Winner over baseline"));
  EXPECT_DOUBLE_EQ(gain_of(runs).series.front().points.back().y, 0.8);
  for (PastRun& run : runs) run.objective.difference_scale = 10;
  const LineChart chart = gain_of(runs);
  EXPECT_THAT(chart.axes.title, HasSubstr("Winner less baseline (lower is better)"));
  EXPECT_THAT(chart.axes.y, HasSubstr("us"));
  EXPECT_DOUBLE_EQ(chart.series.front().points.back().y, 10 * std::log(0.8));
}

TEST(PastRun, ALineIsReadAsItWasWritten) {
  PastRun run = study(3, 50);
  run.settings = {"cuda.sizes.M=4096"};
  run.ceiling = 91.5;
  const auto read = past_run_of(line_of(run));
  ASSERT_TRUE(read);
  EXPECT_EQ(line_of(*read), line_of(run));
  EXPECT_EQ(read->study, "/studies/sgemm-3");
  EXPECT_EQ(read->best, 50);
  EXPECT_EQ(read->ceiling, 91.5);
  EXPECT_EQ(read->made_of, run.made_of);
  EXPECT_THAT(read->settings, ElementsAre("cuda.sizes.M=4096"));
  EXPECT_EQ(line_of(run).find('\n'), std::string::npos);
}

TEST(PastRun, OtherLinesAreNone) {
  for (const char* line :
       {"", "{", "[]", "{}", R"({"nightshift_history": 2, "at": 1, "what": "study"})",
        R"({"nightshift_history": 1, "at": 1, "what": "party"})",
        R"({"nightshift_history": 1, "what": "study"})",
        R"({"nightshift_history": 1, "at": "1", "what": "study"})"}) {
    EXPECT_FALSE(past_run_of(line)) << line;
  }
}

TEST(PastRun, FiguresThatCanNotBeAreLeftOut) {
  const auto run = past_run_of(
      R"({"nightshift_history": 1, "at": 1, "what": "study", "best": -3, "ratio": 0, "accepted": true,
          "interval": [2, 1], "baseline": "x"})");
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->best || run->ratio || run->baseline || run->accepted);
  EXPECT_FALSE(std::isfinite(run->interval.high));
}

TEST(History, OneProblemWithTheSameSettingsOnTheSameModelIsASeries) {
  PastRun other_size = study(1, 60), other_device = study(2, 70), again = study(3, 51);
  other_size.settings = {"cuda.sizes.M=8"};
  other_device.made_of[1].value = "Model A";
  again.made_of[1].name = "b/cpu:3";  // another one of the same model
  const auto all = series_of({study(0, 50), other_size, other_device, again});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(title_of(all[0]), "sgemm, cuda.sizes.M=8, on Model T");
  EXPECT_EQ(title_of(all[1]), "sgemm, on Model A");
  EXPECT_THAT(all[2].runs, SizeIs(2)) << "the newest at the end";
}

TEST(History, ARecheckThatMeasuredNothingBelongsToItsStudy) {
  PastRun recheck = study(1, 50);
  recheck.what = PastRun::What::kRecheck;
  recheck.study = "/studies/sgemm-0";
  recheck.said = "unchanged";
  recheck.made_of.pop_back();
  recheck.best = recheck.baseline = recheck.ratio = std::nullopt;
  recheck.accepted = false;
  const auto all = series_of({study(0, 50), recheck});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(rows_of(all[0])[2],
              ElementsAre(::testing::_, "recheck", "-", "-", "-", "unchanged", ""));
}

TEST(History, AStepIsSuspectedWithWhatChangedThenAndWhatDecides) {
  const auto all = series_of(slower_from_day_ten());
  ASSERT_THAT(all, SizeIs(1));
  ASSERT_THAT(all[0].suspected, SizeIs(2)) << "the best, and the gain over a baseline that stayed";
  const SuspectedStep& step = all[0].suspected[0];
  EXPECT_EQ(step.run, 10U);
  EXPECT_NEAR(step.after / step.before, 1.04, 0.005);
  EXPECT_EQ(step.command, "nightshift recheck /studies/sgemm-9");
  EXPECT_THAT(step.what, ElementsAre(HasSubstr("g++ 12")));
  const std::string text = to_text(document_of(HistoryReport{"h", 0, all}));
  EXPECT_THAT(text, HasSubstr("Suspected: time of the best was 50"));
  EXPECT_THAT(text, HasSubstr("p = 0.002"));
}

// The first step that is suspected where `make` says what the study of each day was made of.
SuspectedStep step_where(const std::function<void(int, PastRun&)>& make,
                         tests::AllThere there = {}) {
  auto runs = slower_from_day_ten();
  for (int day = 0; day < 20; ++day) make(day, runs[static_cast<std::size_t>(day)]);
  return tools::series_of(runs, there)[0].suspected[0];
}

void nothing_else(int, PastRun&) {}

void other_source(int day, PastRun& run) {
  run.made_of.push_back({IdentityPart::Kind::kFile, "/p/sgemm.cc", day < 10 ? "aa" : "bb"});
}

TEST(History, AStepOfTheCompilerIsBisectedWhereBothAreThere) {
  const SuspectedStep step = step_where(nothing_else);
  EXPECT_EQ(step.bisect,
            "nightshift bisect /p/sgemm.toml /studies/sgemm-9 --compilers 'c++-g++ 12,c++-g++ 13'");
  EXPECT_EQ(step.command, "nightshift recheck /studies/sgemm-9");
  EXPECT_EQ(step_where([](int, PastRun& run) { run.settings = {"host.sizes.n=8"}; }).bisect,
            step.bisect + " --set host.sizes.n=8");
}

TEST(History, WhereTheCompilerOfThenIsGoneTheOthersAreAsked) {
  tests::AllThere there;
  there.gone = {"g++ 12"};
  EXPECT_EQ(step_where(nothing_else, there).bisect, "");
  EXPECT_EQ(step_where(nothing_else, there).command, "nightshift recheck /studies/sgemm-9");
  there.beside = {"g++-11", "clang++"};
  EXPECT_EQ(step_where(nothing_else, there).command,
            "nightshift recheck /studies/sgemm-9 --compilers 'c++-g++ 13,g++-11,clang++'");
  there.gone.insert("g++ 13");
  EXPECT_EQ(step_where(nothing_else, there).command, "nightshift recheck /studies/sgemm-9");
}

TEST(History, AStepOfTheSourceIsBisectedOverItsCommits) {
  EXPECT_EQ(step_where(other_source).bisect,
            "nightshift bisect /p/sgemm.toml /studies/sgemm-9 --good c9 --bad c10");
  tests::AllThere there;
  there.last_commit_before = {{"/p/sgemm.toml", 86'400.0 * 9}};  // the change was not committed
  EXPECT_EQ(step_where(other_source, there).bisect, "");
  there = {};
  there.gone = {"git"};
  EXPECT_EQ(step_where(other_source, there).bisect, "");
  there.gone = {"/p/sgemm.toml"};
  EXPECT_EQ(step_where(other_source, there).bisect, "");
  // Nothing is compiled of it: bisect cannot build its commits.
  const auto program = [](int day, PastRun& run) {
    run.made_of.erase(run.made_of.begin());
    other_source(day, run);
  };
  EXPECT_EQ(step_where(program).bisect, "");
}

TEST(History, AStudyThatIsGoneDecidesNothing) {
  tests::AllThere there;
  there.gone = {"/studies/sgemm-9"};
  EXPECT_EQ(step_where(nothing_else, there).command, "nightshift recheck /studies/sgemm-8");
  for (int day = 0; day < 20; ++day) there.gone.insert("/studies/sgemm-" + std::to_string(day));
  EXPECT_EQ(step_where(nothing_else, there).command, "");
  EXPECT_EQ(step_where(nothing_else, there).bisect,
            "nightshift bisect /p/sgemm.toml --compilers 'c++-g++ 12,c++-g++ 13'");
}

TEST(History, WhatWasNotAcceptedIsNoFigureOfTheBest) {
  auto runs = slower_from_day_ten();
  for (PastRun& run : runs) run.accepted = false;
  EXPECT_THAT(series_of(runs)[0].suspected, IsEmpty());
  EXPECT_THAT(to_text(document_of(HistoryReport{"h", 0, series_of(runs)})),
              HasSubstr("not confirmed"));
}

TEST(History, LinesThatCouldNotBeReadAreTold) {
  EXPECT_THAT(to_text(document_of(HistoryReport{"h", 2, series_of({study(0, 50)})})),
              HasSubstr("2 lines of h are no part of a history."));
  EXPECT_THAT(histories_text({"h", 0, {}}), HasSubstr("The history is empty."));
}

TEST(History, ThePageMarksStepsAndChanges) {
  const std::string page =
      to_html(document_of(HistoryReport{"h", 0, series_of(slower_from_day_ten())}));
  EXPECT_THAT(page, HasSubstr("suspected step"));
  EXPECT_THAT(page, HasSubstr("something changed"));
  EXPECT_THAT(page, Not(HasSubstr("Share of the ceiling")));
  PastRun with = study(0, 50);
  with.ceiling = 97;
  EXPECT_THAT(to_html(document_of(HistoryReport{"h", 0, series_of({with})})),
              HasSubstr("Share of the ceiling"));
}

TEST(History, ThePageMarksVerdictsOfRechecks) {
  const std::string without =
      to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), study(1, 50)})}));
  EXPECT_THAT(without, Not(HasSubstr("recheck: ")));
  PastRun again = study(1, 60);
  again.what = PastRun::What::kRecheck;
  again.said = "regressed";
  const std::string worse =
      to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), again})}));
  EXPECT_THAT(worse, HasSubstr("recheck: worse"));
  EXPECT_THAT(worse, Not(HasSubstr("recheck: not worse")));
  again.said = "held";
  EXPECT_THAT(to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), again})})),
              HasSubstr("recheck: not worse"));
}

TEST(History, ThePageCountsTimeInAUnitThatFits) {
  PastRun soon = study(0, 50);
  soon.at += 90;
  EXPECT_THAT(to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), soon})})),
              HasSubstr("seconds since"));
  soon.at += 7'200;
  EXPECT_THAT(to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), soon})})),
              HasSubstr("hours since"));
  EXPECT_THAT(to_html(document_of(HistoryReport{"h", 0, series_of({study(0, 50), study(2, 50)})})),
              HasSubstr("days since"));
}

TEST(History, TheObjectHasWhatTheTextHas) {
  const auto object = history_json({"h", 1, series_of(slower_from_day_ten())});
  EXPECT_EQ(object["unreadable"], 1);
  const auto& series = object["series"][0];
  EXPECT_EQ(series["runs"].size(), 20U);
  EXPECT_EQ(series["suspected"][0]["figure"], "best");
  EXPECT_EQ(series["suspected"][0]["run"], 10);
  EXPECT_EQ(series["runs"][10]["changed"].size(), 1U);
}

}  // namespace
}  // namespace nightshift::tools
