#include "tools/summary/device_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"
#include "tools/report/study_report.h"
#include "tools/summary/summary_json.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::GainThere;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Holds = GainThere::Holds;

const StudyFolder kFolder("/somewhere/studies/one");

scheduler::GainThere gain(double ratio, Holds holds) {
  return {holds, ratio, {ratio - 0.01, ratio + 0.01}, 16};
}

// Two nodes with a kind of device each, one with two devices.
scheduler::StudySummary summary_of_kinds() {
  scheduler::StudySummary s = tests::told_summary();
  s.baselines = {{"a/0", {{"time", "ms", 10, {10, 10}}}, 1},
                 {"b/0", {{"time", "ms", 20, {20, 20}}}, 1},
                 {"b/1", {{"time", "ms", 20, {20, 20}}}, 1}};
  s.won_duels = true;
  scheduler::DeviceMatrix& m = s.matrix;
  m.devices = {{"a/0", {"a/0"}, 1.0, gain(0.8, Holds::kYes)},
               {"b/0", {"b/0"}, 2.0, gain(1.1, Holds::kNo)},
               {"b/1", {"b/1"}, 2.0, {}}};
  m.nodes = {{"a", {"a/0"}, 1.0, gain(0.8, Holds::kYes)},
             {"b", {"b/0", "b/1"}, 2.0, gain(1.1, Holds::kNo)}};
  scheduler::KindStanding large{{"Large", {"a/0"}, 1.0, gain(0.8, Holds::kYes)}, {}, {}};
  large.confirmed = {s.best->trial, s.best->configuration, 0.8, {0.79, 0.81}, 16};
  scheduler::KindStanding small{{"Small", {"b/0", "b/1"}, 2.0, gain(1.1, Holds::kNo)}, {}, {}};
  small.seen = {search::TrialId{7}, tests::told_configuration(4), 0.75, {0.75, 0.75}, 0};
  m.kinds = {large, small};
  m.good_on_all = Holds::kNo;
  return s;
}

TEST(DeviceRows, OfOneDeviceThereAreNone) {
  const scheduler::StudySummary summary = tests::told_summary();
  EXPECT_THAT(device_rows(summary, tests::told_problem()), IsEmpty());
  EXPECT_THAT(to_text(gain_blocks(summary, tests::told_problem()), 2), IsEmpty());
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  add_devices_json(object, summary, tests::told_problem());
  EXPECT_TRUE(object.empty());
}

TEST(DeviceRows, FiguresThatAreComparedByTheirDifferenceHaveNoRatio) {
  search::Problem problem = tests::told_problem();
  for (search::Objective& objective : problem.objectives) objective.difference_scale = 10;
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  add_devices_json(object, summary_of_kinds(), problem);
  const auto& gain = object["devices"]["a/0"]["gain"];
  EXPECT_TRUE(gain["ratio"].is_null());
  EXPECT_NEAR(gain["difference"].get<double>(), 10 * std::log(0.8), 1e-12);
  const auto& seen = object["kinds"]["Small"]["seen"];
  EXPECT_TRUE(seen["ratio"].is_null());
  EXPECT_TRUE(seen["interval"].is_null());
  EXPECT_NEAR(seen["difference"].get<double>(), 10 * std::log(0.75), 1e-12);
  add_devices_json(object, summary_of_kinds(), tests::told_problem());
  EXPECT_EQ(object["devices"]["a/0"]["gain"]["ratio"], 0.8);
  EXPECT_FALSE(object["devices"]["a/0"]["gain"].contains("difference"));
}

TEST(DeviceRows, SayHowDevicesDifferAndWhereTheGainHolds) {
  const auto rows = device_rows(summary_of_kinds(), tests::told_problem());
  ASSERT_EQ(rows.size(), 6U);  // headings, devices, nodes
  EXPECT_THAT(rows[1], ElementsAre("a/0", "time 10.00 ms", "the best",
                                   "time 20.00 % lower (1.25 times as good) [19.00 %, 21.00 %], "
                                   "16 pairs",
                                   "holds"));
  EXPECT_EQ(rows[2][2], "100.0 % worse");
  EXPECT_EQ(rows[2][4], "does not hold");
  EXPECT_THAT(rows[3], ElementsAre("b/1", "time 20.00 ms", "100.0 % worse",
                                   "no pairs with the baseline", "undecided"));
  EXPECT_EQ(rows[5][1], "2 devices");
}

TEST(DeviceRows, WithoutAGainBaselinesAlone) {
  scheduler::StudySummary summary = summary_of_kinds();
  summary.won_duels = false;
  for (auto& device : summary.matrix.devices) device.gain.reset();
  const auto rows = device_rows(summary, tests::told_problem());
  EXPECT_THAT(rows[1], ElementsAre("a/0", "time 10.00 ms", "the best"));
}

TEST(DeviceRows, SayTheBestOfEachKindAndAnswer) {
  scheduler::StudySummary summary = summary_of_kinds();
  const auto rows = kind_rows(summary, tests::told_problem());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[1][3], HasSubstr("trial 2: time 20.00 % lower"));
  EXPECT_EQ(rows[1][4], "-");
  EXPECT_EQ(rows[2][3], "-");
  EXPECT_EQ(rows[2][4], "trial 7: time 25.00 % lower (1.33 times as good), explored once");
  EXPECT_THAT(kinds_answer(summary), HasSubstr("No: the gain of trial 2 does not hold on Small."));
  summary.matrix.good_on_all = Holds::kYes;
  EXPECT_THAT(kinds_answer(summary), HasSubstr("Yes: the gain of trial 2 holds on each of them."));
  summary.matrix.good_on_all = Holds::kUndecided;
  summary.matrix.kinds[1].place.gain.reset();
  EXPECT_THAT(kinds_answer(summary),
              HasSubstr("Undecided: the gain of trial 2 is not shown on Small."));
}

TEST(DeviceRows, AreInTheSummaryAndItsJson) {
  const scheduler::StudySummary summary = summary_of_kinds();
  const std::string text = summary_text(summary, tests::told_problem(), kFolder);
  EXPECT_THAT(text, AllOf(HasSubstr("Where the gain holds"), HasSubstr("does not hold"),
                          HasSubstr("good on all kinds of device? No")));
  const auto json = summary_json(summary, tests::told_problem(), kFolder);
  EXPECT_EQ(json["devices"]["b/0"]["baseline_over_fastest"], 2);
  EXPECT_EQ(json["devices"]["a/0"]["gain"]["holds"], "yes");
  EXPECT_TRUE(json["devices"]["b/1"]["gain"].is_null());
  EXPECT_EQ(json["nodes"]["b"]["devices"].size(), 2U);
  EXPECT_EQ(json["kinds"]["Large"]["confirmed"]["trial"], 2);
  EXPECT_TRUE(json["kinds"]["Small"]["confirmed"].is_null());
  EXPECT_EQ(json["kinds"]["Small"]["seen"]["pairs"], 0);
  EXPECT_EQ(json["good_on_all_kinds"], "no");
}

TEST(DeviceRows, AreInEveryReport) {
  tests::ToldStudy study;
  scheduler::History& history = study.history();
  scheduler::TrialRecord other = history.trials[0];
  other.proposed.id = search::TrialId{history.trials.size() + 1};
  other.proposed.device = other.finished->device = "other<b>/cpu:2";
  history.trials.push_back(other);
  const search::Problem problem = tests::told_problem();
  for (const std::string& report : {to_text(document_of(history, problem, kFolder)),
                                    to_markdown(document_of(history, problem, kFolder)),
                                    to_html(document_of(history, problem, kFolder))}) {
    EXPECT_THAT(report, AllOf(HasSubstr("Where the gain holds"), HasSubstr("the best")));
  }
  EXPECT_THAT(to_html(document_of(history, problem, kFolder)), Not(HasSubstr("other<b>")));
  EXPECT_THAT(to_markdown(document_of(history, problem, kFolder)),
              HasSubstr("| other&lt;b&gt;/cpu:2 | time 10.00 ms |"));
}

}  // namespace
}  // namespace nightshift::tools
