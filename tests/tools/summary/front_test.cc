#include "tools/summary/front_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/document/document_writers.h"
#include "tools/explain/explain_text.h"
#include "tools/export/exports.h"
#include "tools/report/report_charts.h"
#include "tools/report/study_report.h"
#include "tools/summary/summary_json.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

search::Problem tradeoff() {
  search::Problem problem;
  problem.name = "tradeoff";
  problem.backend = search::CommandBackend{};
  search::Parameter x;
  x.name = "x";
  for (const std::int64_t v : {1, 2, 3, 4}) x.values.emplace_back(v);
  problem.parameters = {x};
  problem.objectives = {
      {"time", "ms"}, {"rate", "GB/s", search::Direction::kMaximise}, {"error", ""}};
  problem.objectives[2].at_most = 0.001;
  return problem;
}

// Trial 1 is the baseline; 2 is fast, 3 has the higher rate, 4 is worse in both, 5 is inexact.
class TradeoffStudy {
 public:
  TradeoffStudy() {
    history_.header.problem_name = "tradeoff";
    history_.status = "completed";
    history_.runs = 1;
    add(search::JobKind::kBaseline, 0, {10, 100, 0});
    add(search::JobKind::kExplore, 1, {5, 80, 0});
    add(search::JobKind::kExplore, 2, {8, 160, 0.0005});
    add(search::JobKind::kExplore, 3, {9, 79, 0});
    add(search::JobKind::kExplore, 4, {1, 900, 0.02});
    history_.trials[4].finished->beyond_limits = "exceeds limit on error: 0.02 > 0.001";
    history_.trials[4].finished->normalised.reset();
  }
  const scheduler::History& history() const { return history_; }

 private:
  void add(search::JobKind job, std::int64_t x, const std::vector<double>& values) {
    scheduler::TrialRecord trial;
    trial.proposed.id = {history_.trials.size() + 1};
    trial.proposed.job = job;
    if (x > 0) trial.proposed.configuration = search::Configuration({{"x", search::Value(x)}});
    scheduler::FinishedTrial f;
    f.id = trial.proposed.id;
    f.device = "node/cpu:1";
    f.value = values[0];
    f.normalised = search::Score{values[0] / 10, 0};
    search::Measured measured;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = values[i];
      measured.measurement.figures.push_back({tradeoff().objectives[i].name, {v, v, v}});
    }
    f.report.outcome = std::move(measured);
    trial.finished = std::move(f);
    history_.events.push_back(scheduler::ProposedEvent{history_.trials.size()});
    history_.events.push_back(scheduler::FinishedEvent{history_.trials.size()});
    history_.trials.push_back(std::move(trial));
  }
  scheduler::History history_;
};

scheduler::StudySummary summary_of(const search::Problem& problem) {
  return scheduler::summarise(TradeoffStudy().history(), problem);
}

StudyFolder folder() { return StudyFolder("/somewhere/studies/one"); }

std::string story(std::uint64_t trial, const search::Problem& problem) {
  std::string text = retell(TradeoffStudy().history(), problem, search::TrialId{trial}).value();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string front_text(const scheduler::StudySummary& summary, const search::Problem& problem) {
  return folded(to_text(front_blocks(summary, problem), 2), {});
}

TEST(Front, IsATableWithWhatEveryMemberCosts) {
  const std::string text = front_text(summary_of(tradeoff()), tradeoff());
  EXPECT_EQ(text,
            "  trial  time      vs baseline  rate        vs baseline  error      measured\n"
            "  2      5.000 ms  -50.00 %     80.00 GB/s  -20.00 %     0          once\n    x=1\n"
            "  3      8.000 ms  -20.00 %     160.0 GB/s  +60.00 %     0.0005000  once\n    x=2\n");
}

TEST(Front, IsInSummaryAndReport) {
  const std::string text = summary_text(summary_of(tradeoff()), tradeoff(), folder());
  EXPECT_THAT(text, AllOf(HasSubstr("Pareto front"), HasSubstr("+60.00 %"),
                          HasSubstr("4 measured (1 beyond a limit)")));
  EXPECT_THAT(
      to_text(document_of(TradeoffStudy().history(), tradeoff(), folder())),
      AllOf(
          HasSubstr("\nPareto front"), HasSubstr("rate in GB/s, higher is better"),
          HasSubstr("error, lower is better, at most 0.001"),
          HasSubstr("beyond a limit  1       trial 5\n    exceeds limit on error: 0.02 > 0.001")));
}

TEST(Front, SaysThatNothingBeatsTheBaseline) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  summary.front.clear();
  summary.baseline_on_front = true;
  const char* const words = "nothing that was measured beats the baseline";
  EXPECT_THAT(front_text(summary, tradeoff()), HasSubstr(words));
  EXPECT_THAT(summary_text(summary, tradeoff(), folder()),
              AllOf(HasSubstr("\nPareto front"), HasSubstr(words)));
  Document page;
  page.blocks = front_blocks(summary, tradeoff());
  EXPECT_THAT(to_html(page), HasSubstr(words));
  EXPECT_FALSE(is_empty(front_charts(TradeoffStudy().history(), summary, tradeoff())));
  const auto json = summary_json(summary, tradeoff(), folder());
  EXPECT_TRUE(json.at("front").empty());
  EXPECT_EQ(json.at("baseline_on_front"), true);
}

TEST(Front, SaysThatTheBaselineIsOnItAsWell) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  EXPECT_THAT(front_text(summary, tradeoff()), Not(HasSubstr("as well")));
  summary.baseline_on_front = true;
  EXPECT_THAT(front_text(summary, tradeoff()), HasSubstr("the baseline is on it as well"));
}

TEST(Front, OfASingleObjectiveIsNotShown) {
  search::Problem single = tradeoff();
  single.objectives.resize(1);
  const auto summary = summary_of(single);
  EXPECT_EQ(front_text(summary, single), "");
  EXPECT_FALSE(summary_json(summary, single, folder()).contains("front"));
  EXPECT_THAT(to_csv(TradeoffStudy().history(), summary, single), Not(HasSubstr("front")));
}

TEST(Front, IsCutWhereItIsLong) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  const auto member = summary.front.front();
  for (std::uint64_t i = 0; i < 30; ++i) {
    summary.front.push_back(member);
    const double t = 0.1 + 0.01 * static_cast<double>(i);
    summary.front.back().scores = {{t, 0}, {1 / t, 0}};
  }
  EXPECT_THAT(front_text(summary, tradeoff()), HasSubstr("... and 20 more"));
}

TEST(Front, SaysHowOftenItsMembersWereMeasured) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  summary.front[0].pairs = 4;
  summary.front[1].scores[0].standard_error = 0.1;
  const std::string text = front_text(summary, tradeoff());
  EXPECT_THAT(text, AllOf(HasSubstr("4 pairs\n    x=1\n"), HasSubstr("once\n    x=2\n"),
                          HasSubstr("\n  1 of them was measured once and not again, and may be "
                                    "there by luck")));
  const auto json = summary_json(summary, tradeoff(), folder());
  EXPECT_EQ(json["front"][0].at("pairs"), 4);
  EXPECT_EQ(json["front"][0].at("evaluations"), 4);
  EXPECT_EQ(json["front"][1].at("pairs"), 0);
  EXPECT_EQ(json["front"][1].at("evaluations"), 1);
}

TEST(Front, IntervalsAreInTheJsonWhereTheyAreKnown) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  summary.front[1].intervals[1] = {0.5, 0.75};
  const auto json = summary_json(summary, tradeoff(), folder());
  const auto& second = json.at("front").at(1);
  EXPECT_EQ(second.at("objectives").at("rate").at("ratio_interval"),
            nlohmann::ordered_json({0.5, 0.75}));
}

TEST(Front, IsInTheJson) {
  const auto json = summary_json(summary_of(tradeoff()), tradeoff(), folder());
  ASSERT_EQ(json.at("front").size(), 2U);
  const auto& second = json["front"][1];
  EXPECT_EQ(second.at("trial"), 3);
  EXPECT_EQ(second.at("configuration"), nlohmann::ordered_json({{"x", 2}}));
  EXPECT_EQ(second.at("objectives").at("rate").at("value"), 160);
  EXPECT_EQ(second["objectives"]["rate"].at("ratio"), 0.625);
  EXPECT_TRUE(second["objectives"]["rate"].at("ratio_interval").is_null());  // measured once
  EXPECT_FALSE(second["objectives"]["error"].contains("ratio"));
  EXPECT_EQ(json.at("trials").at("beyond_limits"), 1);
}

TEST(Front, IsAColumnOfTheCsv) {
  scheduler::StudySummary summary = summary_of(tradeoff());
  ASSERT_EQ(summary.front[1].contender.figures.size(), 3U);
  summary.front[1].contender.figures[1].interval = {159.5, 160.5};
  std::istringstream csv(to_csv(TradeoffStudy().history(), summary, tradeoff()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  EXPECT_EQ(lines[0],
            "trial,job,device,status,reason,x,time,rate,error,normalised,front,front_evaluations,"
            "time_low,time_high,rate_low,rate_high,artifact,started,finished");
  EXPECT_THAT(lines[2], HasSubstr(",measured,,1,5.0,80.0,0.0,0.5,1,1,,,,,"));  // measured once
  EXPECT_THAT(lines[3], HasSubstr(",measured,,2,8.0,160.0,5e-04,0.8,1,1,,,159.5,160.5,"));
  EXPECT_THAT(lines[4], HasSubstr(",measured,,3,9.0,79.0,0.0,0.9,0,,,,,,"));
  EXPECT_THAT(lines[5], HasSubstr(",measured,exceeds limit on error: 0.02 > 0.001,4,1.0,900.0,"
                                  "0.02,,0,,,,,,"));
}

TEST(Front, T4CallsWhatIsBeyondALimitInvalid) {
  const auto t4 = nlohmann::json::parse(to_t4(TradeoffStudy().history(), tradeoff()));
  EXPECT_EQ(t4["results"][4]["invalidity"], "constraints");
  EXPECT_EQ(t4["results"][4]["measurements"][1]["value"], 900);
  EXPECT_EQ(t4["results"][1]["invalidity"], "correct");
  EXPECT_EQ(t4["results"][1]["objectives"], nlohmann::json({"time", "rate", "error"}));
}

TEST(Front, IsExplained) {
  EXPECT_THAT(story(3, tradeoff()), AllOf(HasSubstr("It is on the Pareto front of 2"),
                                          HasSubstr("rate  +60.00 %  score 0.6250")));
  EXPECT_THAT(story(4, tradeoff()),
              HasSubstr("It is not on the Pareto front: trial 2 is nowhere worse"));
  EXPECT_THAT(
      story(5, tradeoff()),
      AllOf(HasSubstr("It exceeds limit on error: 0.02 > 0.001. So it is no candidate"),
            HasSubstr("No score, as it is beyond a limit."), Not(HasSubstr("Pareto front"))));
}

TEST(Front, AWeightedCostIsCalledSo) {
  search::Problem problem = tradeoff();
  problem.objectives[0].weight = 1;
  problem.objectives[1].weight = 1;
  EXPECT_THAT(summary_text(summary_of(problem), problem, folder()),
              HasSubstr("best seen: weighted cost 50.00 % lower"));
  EXPECT_THAT(story(2, problem), HasSubstr("the candidate's weighted cost over the baseline's"));
}

TEST(ObjectiveText, HasAllThatWasSaid) {
  search::Objective o{"energy", "J"};
  o.weight = 2;
  o.at_most = 300;
  EXPECT_EQ(objective_text(o), "energy in J, lower is better, weight 2.000, at most 300.0 J");
}

TEST(Front, WhatEqualsAMemberIsExplained) {
  scheduler::History history = TradeoffStudy().history();
  const auto copy = [&history](std::size_t from, std::size_t to) {
    history.trials[to].finished->report.outcome = history.trials[from].finished->report.outcome;
  };
  copy(0, 2);
  copy(1, 3);
  const auto told = [&history](std::uint64_t trial) {
    std::string text = retell(history, tradeoff(), search::TrialId{trial}).value();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  EXPECT_THAT(told(2), HasSubstr("It is on the Pareto front of 1 configuration and the baseline."));
  EXPECT_THAT(told(3), HasSubstr("not on the Pareto front: the baseline equals it in everything."));
  EXPECT_THAT(told(4), HasSubstr("not on the Pareto front: trial 2 equals it in everything."));
}

}  // namespace
}  // namespace nightshift::tools
