#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"
#include "tools/report/study_report.h"
#include "tools/summary/summary_json.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const StudyFolder& folder() {
  static const StudyFolder kFolder("/somewhere/studies/one");
  return kFolder;
}

TEST(SummaryJson, HasNoBestWhereItFailedWhenItWasConfirmed) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.failed_when_confirmed = true;
  EXPECT_TRUE(summary_json(summary, tests::told_problem(), folder()).at("best").is_null());
}

TEST(SummaryJson, HasTheMembersThatScriptsRestOn) {
  const auto json = summary_json(tests::told_summary(), tests::told_problem(), folder());
  EXPECT_EQ(json.at("study"), "/somewhere/studies/one");
  EXPECT_EQ(json.at("problem"), "sgemm");
  EXPECT_EQ(json.at("status"), "completed");
  EXPECT_EQ(json.at("trials").at("measured"), 1);
  EXPECT_EQ(json.at("trials").at("skipped"), 1);
  EXPECT_EQ(json.at("trials").at("failed"), nlohmann::ordered_json({{"crashed", 1}}));
  EXPECT_EQ(json.at("baseline").at("objectives").at("time").at("value"), 10);
  EXPECT_EQ(json.at("baseline").at("configuration").at("TILE"), 1);
  EXPECT_EQ(json.at("best").at("configuration").at("TILE"), 2);
  const auto& figure = json.at("best").at("objectives").at("time");
  EXPECT_EQ(figure.at("value"), 5);
  EXPECT_EQ(figure.at("unit"), "ms");
  EXPECT_EQ(figure.at("interval"), nlohmann::ordered_json({4.75, 5.25}));
  const auto& improvement = json.at("improvement");
  EXPECT_EQ(improvement.at("ratio"), 0.5);
  EXPECT_EQ(improvement.at("interval"), nlohmann::ordered_json({0.45, 0.55}));
  EXPECT_EQ(improvement.at("accepted"), true);
  EXPECT_EQ(improvement.at("reason"), "all devices agree");
  EXPECT_EQ(json.at("evaluations"), 3);
  EXPECT_EQ(json.at("seconds"), 61);
  EXPECT_EQ(json.at("simulated_seconds"), 0);
}

TEST(SummaryJson, HasTheMachine) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.environment = {{"cpu", "A CPU"}, {"memory", "23.5 GiB"}};
  const nlohmann::ordered_json machine = {{"cpu", "A CPU"}, {"memory", "23.5 GiB"}};
  EXPECT_EQ(summary_json(summary, tests::told_problem(), folder()).at("environment"), machine);
  EXPECT_EQ(best_json(summary, tests::told_problem()).at("environment"), machine);
}

scheduler::StudySummary unsteady_summary() {
  scheduler::StudySummary summary = tests::told_summary();
  summary.unsteadiness = scheduler::Unsteadiness{"n/cpu:1", 0.083, 40};
  return summary;
}

TEST(SummaryText, AnUnsteadyMachineIsToldBesideTheClaim) {
  const search::Problem problem = tests::told_problem();
  const std::string text = summary_text(unsteady_summary(), problem, folder());
  const std::size_t claim = text.find("Improvement accepted"), moved = text.find("Unsteady");
  EXPECT_LT(claim, moved);
  EXPECT_LT(moved, text.find("Why:"));
  EXPECT_THAT(text, AllOf(HasSubstr("moved by 8.30 % to either side on n/cpu:1"),
                          HasSubstr("40 evaluations")));
  EXPECT_THAT(summary_text(tests::told_summary(), problem, folder()), Not(HasSubstr("nsteady")));
}

TEST(SummaryJson, AnUnsteadyMachineStandsBesideTheClaim) {
  const auto json = summary_json(unsteady_summary(), tests::told_problem(), folder());
  EXPECT_EQ(json.at("improvement").at("unsteadiness"),
            nlohmann::ordered_json({{"share", 0.083}, {"device", "n/cpu:1"}, {"evaluations", 40}}));
  EXPECT_FALSE(summary_json(tests::told_summary(), tests::told_problem(), folder())
                   .at("improvement")
                   .contains("unsteadiness"));
}

TEST(SummaryJson, ThatAClaimIsUnauditedStandsBesideIt) {
  scheduler::StudySummary summary = tests::told_summary();
  const auto improvement = [&] {
    return summary_json(summary, tests::told_problem(), folder()).at("improvement");
  };
  EXPECT_FALSE(improvement().contains("unaudited"));
  summary.unaudited = "the claim of trial 2 is unaudited: no time";
  EXPECT_EQ(improvement().at("unaudited"), summary.unaudited);
}

TEST(SummaryText, HintsFitTheBackend) {
  const auto steps = [](const search::Problem& problem) {
    return table(next_steps(tests::told_summary(), problem, folder()), 2);
  };
  EXPECT_THAT(steps(tests::told_problem()), HasSubstr("--format header --output best.h"));
  search::Problem program = tests::told_problem();
  program.backend = search::CommandBackend{};
  EXPECT_THAT(steps(program), AllOf(HasSubstr("--format json --output best.json"),
                                    HasSubstr("explain /somewhere/studies/one best")));
}

TEST(SummaryText, ALargerBudgetIsNoAdviceWhereAllFailAlike) {
  scheduler::StudySummary summary = tests::told_summary();
  EXPECT_THAT(table(next_steps(summary, tests::told_problem(), folder()), 2),
              HasSubstr("--budget"));
  summary.best.reset();
  summary.failed_alike = {2};
  EXPECT_THAT(table(next_steps(summary, tests::told_problem(), folder()), 2),
              AllOf(Not(HasSubstr("--budget")), HasSubstr("explain /somewhere/studies/one 2")));
  summary.status = "failed";
  EXPECT_THAT(table(next_steps(summary, tests::told_problem(), folder()), 2),
              AllOf(Not(HasSubstr("--budget")), HasSubstr("once that is mended")));
}

TEST(SummaryText, ALargerBudgetIsNoAdviceWhereAllWasTried) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.accepted = false;
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()), HasSubstr("larger budget"));
  summary.is_all_tried = true;
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()),
              AllOf(Not(HasSubstr("larger budget")), HasSubstr("keep the baseline.")));
}

TEST(SummaryJson, ThereMayBeNoBest) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.best.reset();
  summary.baselines.clear();
  summary.ratio_interval = {0, std::numeric_limits<double>::infinity()};
  const auto json = summary_json(summary, tests::told_problem(), folder());
  EXPECT_TRUE(json.at("best").is_null());
  EXPECT_TRUE(json.at("baseline").at("objectives").empty());
  EXPECT_TRUE(json.at("improvement").at("interval").at(1).is_null());
}

TEST(SummaryJson, BaselinesOfSeveralDevicesAreJoined) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.baselines.push_back({"node/cpu:2", {{"time", "ms", 20, {19, 21}}}, 1});
  const auto json = summary_json(summary, tests::told_problem(), folder());
  const auto& time = json.at("baseline").at("objectives").at("time");
  EXPECT_EQ(time.at("value"), 15);
  EXPECT_EQ(time.at("interval"), nlohmann::ordered_json({9.5, 21.0}));
  EXPECT_EQ(json.at("baseline").at("devices").size(), 2U);
}

TEST(SummaryJson, WhatWasMeasuredOnceHasNoInterval) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.baselines = {{"cpu:1", {{"time", "ms", 20, {20, 20}}}, 1}};
  summary.compared_baseline.clear();
  summary.best->figures[0].interval = search::kUnbounded;
  auto json = summary_json(summary, tests::told_problem(), folder());
  EXPECT_TRUE(json["baseline"]["objectives"]["time"].at("interval").is_null());
  EXPECT_TRUE(json["baseline"]["devices"]["cpu:1"]["objectives"]["time"].at("interval").is_null());
  EXPECT_TRUE(json["best"]["objectives"]["time"].at("interval").is_null());
  EXPECT_EQ(json["best"]["objectives"]["time"].at("value"), 5);
  // The ends of two of them are two figures, and no interval.
  summary.baselines.push_back({"cpu:2", {{"time", "ms", 30, {30, 30}}}, 1});
  json = summary_json(summary, tests::told_problem(), folder());
  EXPECT_TRUE(json["baseline"]["objectives"]["time"].at("interval").is_null());
}

TEST(SummaryText, TheBestSaysWhetherItHasTheBitsOfTheBaseline) {
  scheduler::StudySummary summary = tests::told_summary();
  const auto told = [&] { return summary_text(summary, tests::told_problem(), folder()); };
  EXPECT_THAT(told(), Not(HasSubstr("same bits")));
  EXPECT_FALSE(best_json(summary, tests::told_problem()).contains("same_bits"));
  for (const bool same : {true, false}) {
    summary.best->same_bits = same;
    EXPECT_THAT(told(), HasSubstr(same ? "same bits as the baseline: yes"
                                       : "same bits as the baseline: no"));
    EXPECT_EQ(best_json(summary, tests::told_problem()).at("same_bits"), same);
    const auto json = summary_json(summary, tests::told_problem(), folder());
    EXPECT_EQ(json.at("best").at("same_bits"), same);
  }
}

TEST(SummaryText, AnAcceptedImprovementSaysWhatItIsWorth) {
  EXPECT_THAT(summary_text(tests::told_summary(), tests::told_problem(), folder()),
              AllOf(HasSubstr("Improvement accepted: time 50.00 % lower (2.00 times as good), "
                              "[45.00 %, 55.00 %]"),
                    HasSubstr("Why: all devices agree"), HasSubstr("95 % confidence"),
                    HasSubstr("time 10.00 ms [9.500, 10.50] ms"), HasSubstr("on node/cpu:1"),
                    HasSubstr("TILE=2"), HasSubstr("1 failed (1 crashed)"),
                    HasSubstr("nightshift export /somewhere/studies/one --format header")));
}

TEST(SummaryText, AnUnconfirmedBestIsNoImprovement) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.accepted = false;
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()),
              AllOf(HasSubstr("No improvement accepted; best seen: time 50.00 % lower"),
                    HasSubstr("keep the baseline"), Not(HasSubstr("Improvement accepted"))));
}

TEST(SummaryText, WhatHappenedBesideTheDevicesIsTold) {
  scheduler::StudySummary summary = tests::told_summary();
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()), Not(HasSubstr("Notice")));
  summary.notices = {"the lights went out"};
  EXPECT_THAT(folded(summary_text(summary, tests::told_problem(), folder()), {}),
              HasSubstr("  Notice: the lights went out\n"));
  EXPECT_EQ(summary_json(summary, tests::told_problem(), folder()).at("notices"),
            nlohmann::ordered_json({"the lights went out"}));
}

TEST(SummaryText, AnInterruptedStudySaysHowToGoOn) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.status = "interrupted";
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()),
              HasSubstr("nightshift resume /somewhere/studies/one"));
}

TEST(SummaryText, NothingMeasuredIsNoResult) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.best.reset();
  summary.accepted = false;
  EXPECT_THAT(summary_text(summary, tests::told_problem(), folder()), HasSubstr("No result"));
}

TEST(ExitCodes, FollowTheResult) {
  scheduler::StudySummary summary = tests::told_summary();
  EXPECT_EQ(exit_code_of(summary), ExitCode::kSuccess);
  summary.accepted = false;
  EXPECT_EQ(exit_code_of(summary), ExitCode::kNoImprovement);
  summary.status = "failed";
  EXPECT_EQ(exit_code_of(summary), ExitCode::kStudyFailed);
  summary.status = "interrupted";
  summary.accepted = true;
  EXPECT_EQ(exit_code_of(summary), ExitCode::kInterrupted);
}

TEST(Report, TellsEverySection) {
  const tests::ToldStudy study;
  const std::string page = to_text(document_of(study.history(), tests::told_problem(), folder()));
  EXPECT_THAT(page, StartsWith("Report of the study of sgemm: No improvement accepted; best seen"));
  for (const char* title : {"Study\n", "Configurations\n", "Convergence", "Failures\n", "Devices\n",
                            "Confirmations\n", "Machine\n", "How to go on\n"}) {
    EXPECT_THAT(page, HasSubstr(std::string("\n") + title));
  }
  EXPECT_THAT(
      page, AllOf(HasSubstr("crashed  1       trial 3"), HasSubstr("A CPU"),
                  HasSubstr("after 1 configuration"), HasSubstr("nothing works yet"),
                  HasSubstr("after 3 configurations"), HasSubstr("time 50.00 % lower"),
                  HasSubstr("'s own score (unconfirmed)"), Not(HasSubstr("confirmed on new data")),
                  HasSubstr("node/cpu:1  5       6.15 % of the time      10.00 ms")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

// With a hold-out that ended as said.
std::string report_with_hold_out(search::Acceptance acceptance) {
  tests::ToldStudy study;
  scheduler::ConfirmationSetup setup = study.history().confirmations.front();
  setup.id = search::ConfirmationId{2};
  setup.purpose = scheduler::Purpose::kHoldOut;
  scheduler::ConfirmationVerdict verdict = study.history().verdicts.front();
  verdict.id = setup.id;
  verdict.verdict.acceptance = std::move(acceptance);
  verdict.verdict.ratio = 0.625;
  verdict.verdict.interval = {0.6, 0.65};
  study.history().confirmations.push_back(std::move(setup));
  study.history().verdicts.push_back(std::move(verdict));
  return to_text(document_of(study.history(), tests::told_problem(), folder()));
}

TEST(Report, OnlyTheHoldOutIsAClaim) {
  const tests::ToldStudy study;
  EXPECT_THAT(to_text(document_of(study.history(), tests::told_problem(), folder())),
              AllOf(HasSubstr("No improvement accepted; best seen: time 50.00 % lower"),
                    HasSubstr("before the hold-out could"),
                    HasSubstr("1, duel       trial 2    the baseline  accept"),
                    Not(HasSubstr("Estimate: "))));
  EXPECT_THAT(
      report_with_hold_out(search::Accept{"candidate 37.5 % better"}),
      AllOf(HasSubstr("Improvement accepted: time 37.50 % lower"), HasSubstr("[35.00 %, 40.00 %]"),
            HasSubstr("Why: confirmed on new data: candidate 37.5 % better"),
            HasSubstr("2, hold-out   trial 2    the baseline  accept"),
            HasSubstr("Estimate: time 37.50 % lower"),
            ContainsRegex(
                "confirmed on new data +time 37.50 % lower.*\\[35.00 %, 40.00 %\\]: trial 2"),
            HasSubstr("How much depends on the device")));
  EXPECT_THAT(report_with_hold_out(search::Reject{"which may be chance"}),
              AllOf(HasSubstr("No improvement accepted; best seen: time 37.50 % lower"),
                    HasSubstr("Why: the hold-out did not confirm it: which may be chance"),
                    HasSubstr("2, hold-out   trial 2    the baseline  reject"),
                    Not(HasSubstr("confirmed on new data  "))));
}

TEST(SummaryJson, AHoldOutThatDidNotConfirmIsNoImprovement) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.accepted = false;
  summary.won_duels = true;
  summary.reason = "the hold-out did not confirm it: p = 0.2";
  const auto json = summary_json(summary, tests::told_problem(), folder());
  EXPECT_EQ(json.at("improvement").at("accepted"), false);
  EXPECT_EQ(json.at("improvement").at("reason"), summary.reason);
  EXPECT_EQ(exit_code_of(summary), ExitCode::kNoImprovement);
}

TEST(SummaryText, WhereNothingWasToBeConfirmedTheStepThatDoesIsNamed) {
  scheduler::StudySummary summary = tests::told_summary();
  summary.accepted = false;
  search::Problem problem = tests::told_problem();
  EXPECT_THAT(summary_text(summary, problem, folder()), Not(HasSubstr("nightshift compare")));
  problem.acceptance.duels = false;
  EXPECT_THAT(summary_text(summary, problem, folder()),
              AllOf(HasSubstr("Nothing was to be confirmed (acceptance.duels = false)"),
                    HasSubstr("nightshift compare /somewhere/studies/one"),
                    Not(HasSubstr("keep the baseline, or go on with a larger budget"))));
  search::CommandBackend served;
  served.mode = search::CommandBackend::Mode::kServer;
  served.argv = {"elsewhere"};
  problem.backend = served;
  EXPECT_THAT(summary_text(summary, problem, folder()),
              AllOf(HasSubstr("--serve --study /somewhere/studies/one --confirm"),
                    Not(HasSubstr("nightshift compare"))));
}

}  // namespace
}  // namespace nightshift::tools
