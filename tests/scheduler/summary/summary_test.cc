#include "scheduler/summary/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "search/time_unit.h"
#include "tests/scheduler/summary/story.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Summary, CountsWhatBecameOfTheExplorations) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({9, 9, 9}, search::Score{0.9, 0.01});
  story.explore(search::BuildFailed{"no"});
  story.explore(search::Crashed{});
  story.explore(search::Crashed{});
  story.explore(search::Skipped{{2}});
  story.record(story.explore({8}, search::Score{0.8, 0})).finished.reset();  // in flight
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.problem, "story");
  EXPECT_EQ(summary.status, "completed");
  EXPECT_EQ(summary.status_reason, "the budget is used up");
  EXPECT_EQ(summary.measured, 1U);
  EXPECT_EQ(summary.skipped, 1U);
  EXPECT_EQ(summary.evaluations, 5U);
  const std::array<std::uint64_t, 8> failed = {0, 1, 0, 0, 0, 2, 0, 0};
  EXPECT_EQ(summary.failed, failed);
  EXPECT_EQ(summary.seconds, 12);
  EXPECT_EQ(summary.simulated_seconds, 12);  // six ended trials of 2 s, the baseline among them
}

TEST(Summary, CountsWhoFailedWhenItWasConfirmedOnce) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t a = story.explore({9}, search::Score{0.9, 0.01});
  const std::uint64_t b = story.explore({8}, search::Score{0.8, 0.01});
  const auto confirm = [&](std::uint64_t candidate, Arm arm, search::TrialOutcome outcome) {
    story.evaluation(1, candidate, arm, {9});
    story.record(story.history_.trials.size()).finished->report.outcome = std::move(outcome);
  };
  confirm(a, Arm::kCandidate, search::Crashed{});
  confirm(a, Arm::kCandidate, search::WrongResult{});
  confirm(b, Arm::kCandidate, search::DeviceLost{"gone"});
  confirm(b, Arm::kBaseline, search::Crashed{});
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.failed_confirmed, 1U);
  EXPECT_EQ(summary.measured, 2U);
  story.evaluation(2, b, Arm::kCandidate, {9});
  story.record(story.history_.trials.size()).finished->beyond_limits = "uses 9 GB";
  EXPECT_EQ(story.summary().failed_confirmed, 2U);
}

TEST(Summary, AConfigurationThatWasTriedTwiceIsOneEvaluation) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t first = story.explore(search::DeviceLost{"gone"});
  const std::uint64_t second = story.explore({9}, search::Score{0.9, 0});
  story.record(second).proposed.configuration = story.record(first).proposed.configuration;
  EXPECT_EQ(story.summary().evaluations, 1U);
}

TEST(Summary, ARunThatDidNotSayHowItEndedWasInterrupted) {
  Story story;
  story.history_.status = "running";
  EXPECT_EQ(story.summary().status, "interrupted");
  EXPECT_THAT(story.summary().status_reason, HasSubstr("killed"));
}

TEST(Summary, AStudyWhoseLockIsHeldRuns) {
  Story story;
  story.history_.status = "running";
  story.history_.writer = "4711 on node7";
  EXPECT_EQ(story.summary().status, "running");
  EXPECT_THAT(story.summary().status_reason, HasSubstr("4711 on node7"));
}

// A hold-out of a candidate that has won, judged by these devices.
void claim(Story& story, const std::vector<std::string>& judges) {
  const std::uint64_t best = story.explore({4}, search::Score{0.4, 0.01});
  story.verdict(1, best, search::Accept{"better"}, 0.41);
  story.verdict(2, best, search::Accept{"confirmed"}, 0.41, Purpose::kHoldOut);
  for (const std::string& judge : judges) {
    story.history_.verdicts.back().verdict.devices.push_back({judge, 12, 0, 0.9, 0.01});
  }
}

void baselines(Story& story, int devices) {
  for (int i = 1; i <= devices; ++i) {
    const std::string device = "n/cpu:" + std::to_string(i);
    story.record(story.baseline(device, {10})).proposed.device = device;
  }
}

TEST(Summary, ThatFewerDevicesJudgedThanThereWereIsANotice) {
  Story story;
  baselines(story, 3);
  claim(story, {"n/cpu:1"});
  EXPECT_THAT(story.summary().notices,
              ElementsAre("1 of the 3 devices of the study judged what came out, not n/cpu:2, "
                          "n/cpu:3"));
}

TEST(Summary, ThatAllOrAsManyAsUsualJudgedIsNone) {
  Story all;
  baselines(all, 2);
  claim(all, {"n/cpu:1", "n/cpu:2"});
  EXPECT_THAT(all.summary().notices, IsEmpty());
  Story usual;
  baselines(usual, 6);
  claim(usual, {"n/cpu:1", "n/cpu:2", "n/cpu:3", "n/cpu:4"});
  EXPECT_THAT(usual.summary().notices, IsEmpty());
}

TEST(Summary, WithoutAHoldOutTheLastDuelNeedsTheDevicesOfAClaim) {
  Story story;
  baselines(story, 2);
  const std::uint64_t best = story.explore({4}, search::Score{0.4, 0.01});
  story.verdict(1, best, search::Accept{"better"}, 0.41);
  story.history_.verdicts.back().verdict.devices.push_back({"n/cpu:1", 12, 0, 0.9, 0.01});
  story.problem_.acceptance.hold_out_most = 0;
  EXPECT_TRUE(story.summary().accepted);
  story.problem_.acceptance.devices_least = 2;
  EXPECT_FALSE(story.summary().accepted);
  EXPECT_EQ(story.summary().reason,
            "it won its duel, but only one device has judged it, and devices_least asks for 2");
}

TEST(Summary, HasTheMachineCodeOfBaselineAndBest) {
  Story story;
  story.record(story.baseline("n/cpu:1", {10})).finished->artifact = "aa";
  const std::uint64_t best = story.explore({4}, search::Score{0.4, 0.01});
  story.record(best).finished->artifact = "bb";
  EXPECT_EQ(story.summary().baseline_artifact, "aa");
  EXPECT_EQ(story.summary().best->artifact, "bb");
}

TEST(Summary, TheBestIsTheCandidateAcceptedLast) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t first = story.explore({9}, search::Score{0.9, 0.01});
  const std::uint64_t second = story.explore({8}, search::Score{0.8, 0.01});
  const std::uint64_t lucky = story.explore({1}, search::Score{0.1, 0.01});
  story.verdict(1, first, search::Accept{"better"}, 0.91);
  for (const double time : {8.0, 8.2, 8.1, 8.4, 8.3}) {
    story.evaluation(2, second, Arm::kCandidate, {time - 1, time, time + 1});
    story.evaluation(2, second, Arm::kIncumbent, {9});
    story.evaluation(2, second, Arm::kBaseline, {10});
  }
  story.verdict(2, second, search::Accept{"better still"}, 0.82);
  story.history_.confirmations[1].opponent = {first};
  story.verdict(3, lucky, search::Reject{"it was luck"}, 1.01);
  story.problem_.acceptance.hold_out_most = 0;
  const StudySummary summary = story.summary();
  ASSERT_TRUE(summary.best);
  EXPECT_TRUE(summary.accepted);
  EXPECT_EQ(summary.best->trial, search::TrialId{second});
  EXPECT_EQ(summary.best->configuration.to_json(), R"({"x": 3})");
  EXPECT_DOUBLE_EQ(summary.ratio, 0.91 * 0.82) << "the second duel was against the first winner";
  EXPECT_DOUBLE_EQ(summary.ratio_interval.low, 0.91 * 0.72);
  EXPECT_DOUBLE_EQ(summary.ratio_interval.high, 0.91 * 0.92);
  EXPECT_EQ(summary.reason, "better still");
  EXPECT_EQ(summary.confirmations, 3U);
  // Median of the evaluations' medians 8.0 .. 8.4. Its logarithm has t(4) = 2.776 times 1.2533 sd /
  // sqrt(5) on either side, sd = 0.019286 of the logarithms.
  ASSERT_EQ(summary.best->figures.size(), 1U);
  const StudySummary::Figure& figure = summary.best->figures[0];
  EXPECT_EQ(figure.name, "time");
  EXPECT_EQ(figure.unit, "ms");
  EXPECT_DOUBLE_EQ(figure.value, 8.2);
  const double half = 2.7764 * 1.2533 * 0.019286 / std::sqrt(5);
  EXPECT_NEAR(figure.interval.high, 8.2 * std::exp(half), 1e-4);
  EXPECT_NEAR(figure.interval.low * figure.interval.high, 8.2 * 8.2, 1e-9);
}

TEST(Summary, TheBestHasTheBitsOfTheBaselineWhereAllItsEvaluationsSaySo) {
  using Said = std::vector<std::string>;
  for (const auto& [said, expected] : std::vector<std::pair<Said, std::optional<bool>>>{
           {{"yes", "yes"}, true}, {{"yes", "no"}, false}, {{"yes", ""}, std::nullopt}}) {
    Story story;
    story.baseline("n/cpu:1", {10, 10, 10});
    const std::uint64_t best = story.explore({5, 5, 5}, search::Score{0.5, 0.01});
    for (const std::string& words : said) {
      story.evaluation(2, best, Arm::kBaseline, {10, 10, 10});
      story.evaluation(2, best, Arm::kCandidate, {5, 5, 5});
      auto& outcome = story.history_.trials.back().finished->report.outcome;
      if (words.empty()) continue;
      std::get<search::Measured>(outcome).measurement.conditions = {{"same_bits", words}};
    }
    story.verdict(1, best, search::Accept{"better"}, 0.5);
    story.verdict(2, best, search::Accept{"confirmed"}, 0.5, Purpose::kHoldOut);
    EXPECT_EQ(story.summary().best->same_bits, expected) << said[1];
  }
}

TEST(Summary, WhatIsComparedComesFromTheSamePairs) {
  // The machine was at half of its speed while the hold-out ran.
  Story story;
  for (int i = 0; i < 5; ++i) story.baseline("n/cpu:1", {10});
  const std::uint64_t best = story.explore({4}, search::Score{0.4, 0.01});
  story.verdict(1, best, search::Accept{"better"}, 0.41);
  double log_ratio = 0;
  for (const double slow : {1.8, 2.0, 2.2, 2.1}) {
    story.evaluation(2, best, Arm::kCandidate, {4.5 * slow});
    story.evaluation(2, best, Arm::kBaseline, {10 * slow * slow / 2});
    log_ratio += std::log(4.5 * slow / (10 * slow * slow / 2)) / 4;
  }
  story.verdict(2, best, search::Accept{"confirmed"}, std::exp(log_ratio), Purpose::kHoldOut);
  const StudySummary summary = story.summary();
  ASSERT_EQ(summary.compared_baseline.size(), 1U);
  EXPECT_NEAR(summary.best->figures.at(0).value / summary.compared_baseline[0].value, summary.ratio,
              1e-12);
  EXPECT_EQ(summary.baselines.at(0).figures.at(0).value, summary.compared_baseline[0].value);
  EXPECT_GT(summary.compared_baseline[0].value, 15) << "as it was then";
  EXPECT_LT(summary.compared_baseline[0].interval.low, summary.compared_baseline[0].value);
  EXPECT_EQ(summary.baselines[0].measured, 5) << "how often it was measured by itself";
}

TEST(Summary, APairThatDidNotCountIsNotShown) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t best = story.explore({4}, search::Score{0.4, 0.01});
  story.verdict(1, best, search::Accept{"better"}, 0.4);
  for (int i = 0; i < 3; ++i) {
    story.evaluation(2, best, Arm::kCandidate, {4});
    story.evaluation(2, best, Arm::kBaseline, {10});
  }
  story.evaluation(2, best, Arm::kCandidate, {40});
  std::get<search::Measured>(story.record(story.history_.trials.size()).finished->report.outcome)
      .measurement.disturbance = "the clock fell";
  story.evaluation(2, best, Arm::kBaseline, {10});
  story.evaluation(2, best, Arm::kCandidate, {1});  // its other half never came
  story.verdict(2, best, search::Accept{"confirmed"}, 0.4, Purpose::kHoldOut);
  EXPECT_NEAR(story.summary().best->figures.at(0).value, 4, 1e-12);
}

TEST(Summary, AnExplorationIsComparedWithWhatItsScoreIsRelativeTo) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({8}, search::Score{0.5, 0.01});  // the baseline had moved to 16
  const StudySummary summary = story.summary();
  ASSERT_EQ(summary.compared_baseline.size(), 1U);
  EXPECT_EQ(summary.compared_baseline[0].value, 16);
  EXPECT_EQ(summary.baselines.at(0).figures.at(0).value, 16);
}

// Its figures of two cases: `values` are what they are together.
void have_cases(Story& story, std::uint64_t trial, double a, double b, double at) {
  FinishedTrial& finished = *story.record(trial).finished;
  search::Samples& samples =
      std::get<search::Measured>(finished.report.outcome).measurement.figures.at(0);
  samples.values = {std::sqrt(a * b)};
  samples.cases = {{a}, {b}};
  finished.started = finished.finished = at;
}

TEST(Summary, OfTheWorstCaseTheBaselineIsWhatWasMeasured) {
  Story story;
  story.problem_.cases = {search::Aggregate::kWorst, {"a", "b"}, {}};
  have_cases(story, story.baseline("n/cpu:1", {}), 1, 16, 100);
  have_cases(story, story.baseline("n/cpu:1", {}), 2, 8, 200);
  have_cases(story, story.baseline("n/cpu:2", {}), 100, 100, 190);
  have_cases(story, story.explore({}, search::Score{3, 0.01}), 6, 4, 190);
  const StudySummary summary = story.summary();
  ASSERT_TRUE(summary.best);
  EXPECT_THAT(summary.compared_baseline, IsEmpty());
  EXPECT_EQ(summary.baselines.at(0).figures.at(0).value, 4) << "of both cases, as it was measured";
  EXPECT_EQ(summary.best->figures.at(0).value, std::sqrt(24));
  EXPECT_EQ(summary.ratio, 3);
  ASSERT_EQ(summary.cases.size(), 2U);
  EXPECT_NEAR(summary.cases[0].baseline, 2, 1e-12) << "of the same device, the nearest in time";
  EXPECT_NEAR(summary.cases[0].best, 6, 1e-12);
  EXPECT_NEAR(summary.cases[0].ratio, 3, 1e-12);
  EXPECT_NEAR(summary.cases[1].baseline, 8, 1e-12);
  EXPECT_NEAR(summary.cases[1].ratio, 0.5, 1e-12);
  EXPECT_FALSE(std::isfinite(summary.cases[0].interval.high)) << "one pair";
}

TEST(Summary, WhereAScoreIsNoRatioOfTheDevicesOwnTheBaselineIsWhatWasMeasured) {
  Story other;  // the score is relative to 20
  other.baseline("n/cpu:1", {10});
  other.explore({8}, search::Score{0.4, 0.01});
  other.problem_.scheduling.normalisation = search::Normalisation::kGiven;
  other.problem_.scheduling.given_baseline = 20;
  EXPECT_EQ(other.summary().baselines.at(0).figures.at(0).value, 10);
  other.problem_.scheduling.normalisation = search::Normalisation::kNone;
  EXPECT_EQ(other.summary().baselines.at(0).figures.at(0).value, 10);
  Story difference;
  difference.problem_.objectives[0].difference_scale = 1;
  difference.baseline("n/cpu:1", {-10});
  difference.explore({-12}, search::Score{std::exp(-2), 0.01});
  EXPECT_EQ(difference.summary().baselines.at(0).figures.at(0).value, -10);
}

TEST(Summary, WhereDuelsLedThereTheBaselineWasMeasuredApart) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t first = story.explore({9}, search::Score{0.9, 0.01});
  const std::uint64_t second = story.explore({8}, search::Score{0.8, 0.01});
  story.verdict(1, first, search::Accept{"better"}, 0.9);
  story.evaluation(2, second, Arm::kCandidate, {8});
  story.evaluation(2, second, Arm::kIncumbent, {9});
  story.verdict(2, second, search::Accept{"better still"}, 0.9);
  story.history_.confirmations[1].opponent = {first};
  EXPECT_THAT(story.summary().compared_baseline, IsEmpty());
}

TEST(Summary, SaysWhatAllFailuresHaveInCommon) {
  Story story;
  story.baseline("n/cpu:1", {10});
  for (int i = 0; i < 30; ++i) {
    story.explore(search::BuildFailed{"a.cc:" + std::to_string(i) + ": error: no such header"});
  }
  EXPECT_EQ(story.summary().reason,
            "all 30 configurations failed alike: did not build: a.cc:0: error: no such header");
  EXPECT_EQ(story.summary().failed_alike.value, 2U);
  story.explore(search::LaunchFailed{"another thing"});
  EXPECT_EQ(story.summary().failed_alike.value, 0U);
}

// --- What is claimed ---

TEST(SummaryClaim, OnlyTheHoldOutIsAClaim) {
  Story story = won_duel();
  const StudySummary before = story.summary();
  EXPECT_FALSE(before.accepted);
  EXPECT_TRUE(before.won_duels);
  EXPECT_EQ(before.ratio, 0.82);
  EXPECT_EQ(before.reason,
            "it won its duel, but the study ended before the hold-out could confirm it: better");
  story.evaluation(2, 2, Arm::kCandidate, {8.5});
  story.verdict(2, 2, search::Accept{"candidate 14 % better"}, 0.86, Purpose::kHoldOut);
  search::Verdict& claim = story.history_.verdicts.back().verdict;
  claim.devices = {{"n/cpu:1", 12, 0, 0.15, 0.01}};
  claim.heterogeneity.tau = 0.02;
  claim.shape = "better but wider: p95 is 4 % worse";
  const StudySummary after = story.summary();
  EXPECT_TRUE(after.accepted);
  EXPECT_EQ(after.ratio, 0.86) << "not that of the duel";
  EXPECT_DOUBLE_EQ(after.ratio_interval.low, 0.76);
  EXPECT_EQ(after.reason, "confirmed on new data: candidate 14 % better");
  EXPECT_EQ(after.devices, claim.devices);
  EXPECT_EQ(after.heterogeneity.tau, 0.02);
  EXPECT_EQ(after.shape, claim.shape);
  EXPECT_EQ(after.best->figures.at(0).value, 8.5) << "of the new visits alone";
  EXPECT_EQ(after.confirmations, 1U) << "duels are counted";
}

TEST(SummaryClaim, WhatWasConfirmedBeforeStandsWhereALaterWinnerIsNot) {
  Story story = won_duel();
  story.evaluation(2, 2, Arm::kCandidate, {8.6});
  story.verdict(2, 2, search::Accept{"candidate 14 % better"}, 0.86, Purpose::kHoldOut);
  const std::uint64_t later = story.explore({7}, search::Score{0.7, 0.01});
  story.verdict(3, later, search::Accept{"better still"}, 0.9);
  story.verdict(4, later, search::Reject{"may be chance"}, 0.99, Purpose::kHoldOut);
  const StudySummary summary = story.summary();
  EXPECT_TRUE(summary.accepted) << summary.reason;
  EXPECT_EQ(summary.best->trial, search::TrialId{2});
  EXPECT_EQ(summary.ratio, 0.86);
}

TEST(SummaryClaim, WhatIsNotConfirmedIsSaidWithItsFigures) {
  Story story = won_duel();
  story.verdict(2, 2, search::Reject{"may be chance"}, 0.99, Purpose::kHoldOut);
  const StudySummary summary = story.summary();
  EXPECT_FALSE(summary.accepted);
  EXPECT_TRUE(summary.won_duels);
  EXPECT_EQ(summary.best->trial, search::TrialId{2});
  EXPECT_EQ(summary.ratio, 0.99);
  EXPECT_EQ(summary.reason, "the hold-out did not confirm it: may be chance");
}

TEST(SummaryClaim, ALaterIncumbentNeedsAHoldOutOfItsOwn) {
  Story story = won_duel();
  story.verdict(2, 2, search::Accept{"yes"}, 0.85, Purpose::kHoldOut);
  const std::uint64_t next = story.explore({7}, search::Score{0.7, 0.01});
  story.verdict(3, next, search::Accept{"better still"}, 0.9);
  const StudySummary summary = story.summary();
  EXPECT_FALSE(summary.accepted);
  EXPECT_EQ(summary.best->trial, search::TrialId{next});
  EXPECT_NEAR(summary.ratio, 0.82 * 0.9, 1e-12) << "duels are against the incumbent";
  EXPECT_NEAR(summary.ratio_interval.low, 0.82 * 0.8, 1e-12);
  EXPECT_THAT(summary.reason, HasSubstr("before the hold-out could confirm it: better still"));
}

TEST(SummaryClaim, WithoutHoldOutsDuelsAreTheClaim) {
  Story story = won_duel();
  story.problem_.acceptance.hold_out_most = 0;
  EXPECT_TRUE(story.summary().accepted);
  EXPECT_EQ(story.summary().reason, "better");
}

TEST(SummaryClaim, DevicesThatAreDistrustedClaimNothing) {
  const auto claimed = [](std::vector<std::pair<Purpose, search::Acceptance>> checks) {
    Story story = won_duel();
    std::uint64_t id = 2;
    story.verdict(id++, 2, search::Accept{"yes"}, 0.85, Purpose::kHoldOut);
    for (auto& [purpose, acceptance] : checks) {
      story.verdict(id++, 0, std::move(acceptance), 1, purpose);
    }
    const StudySummary summary = story.summary();
    EXPECT_EQ(summary.accepted, summary.distrust.empty());
    EXPECT_EQ(summary.confirmations, 1U) << "checks are no duels";
    return summary.distrust;
  };
  const search::Acceptance pass = search::Accept{"p = 0.5"}, fail = search::Reject{"it differs"},
                           lost = search::Undecided{"a was lost"};
  constexpr Purpose kSelf = Purpose::kSelfTest, kCanary = Purpose::kCanary;
  EXPECT_EQ(claimed({{kSelf, pass}, {kCanary, pass}}), "");
  EXPECT_EQ(claimed({{kSelf, fail}, {kSelf, pass}}), "");
  EXPECT_EQ(claimed({{kSelf, fail}, {kSelf, fail}}), "the self-test failed twice: it differs");
  EXPECT_EQ(claimed({{kSelf, fail}, {kSelf, fail}, {kSelf, pass}}), "");
  EXPECT_EQ(claimed({{kSelf, lost}, {kSelf, pass}}), "");
  EXPECT_EQ(claimed({{kSelf, lost}, {kSelf, fail}, {kSelf, pass}}), "");
  EXPECT_EQ(claimed({{kSelf, lost}, {kSelf, lost}}),
            "the self-test was undecided twice: a was lost");
  EXPECT_EQ(claimed({{kCanary, fail}}), "it differs");
  EXPECT_EQ(claimed({{kCanary, fail}, {kSelf, pass}}), "it differs");
  EXPECT_EQ(claimed({{kCanary, lost}}), "a was lost");
  EXPECT_EQ(claimed({{kCanary, lost}, {kCanary, pass}}), "");
}

TEST(SummaryClaim, DistrustIsTheReasonWhyNothingWasAccepted) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({8}, search::Score{0.8, 0.01});
  story.verdict(1, 0, search::Reject{"it differs"}, 1.1, Purpose::kSelfTest);
  story.verdict(2, 0, search::Reject{"it differs"}, 1.1, Purpose::kSelfTest);
  EXPECT_EQ(story.summary().reason, "nothing was accepted: the self-test failed twice: it differs");
  EXPECT_FALSE(story.summary().accepted);
}

TEST(Summary, WithoutAcceptanceTheBestIsTheLowestScore) {
  Story story;
  story.baseline("n/cpu:1", {10});
  story.explore({9}, search::Score{0.9, 0.01});
  const std::uint64_t best = story.explore({8, 8, 8}, search::Score{0.8, 0.01});
  story.explore({1}, std::nullopt);
  story.explore({2}, search::Score{std::nan(""), 0});
  const StudySummary summary = story.summary();
  ASSERT_TRUE(summary.best);
  EXPECT_EQ(summary.best->trial, search::TrialId{best});
  EXPECT_FALSE(summary.accepted);
  EXPECT_EQ(summary.ratio, 0.8);
  EXPECT_NEAR(summary.ratio_interval.low, 0.8 * std::exp(-0.0196 / 0.8), 1e-6);
  EXPECT_NEAR(summary.ratio_interval.high, 0.8 * std::exp(0.0196 / 0.8), 1e-6);
  EXPECT_EQ(summary.best->figures.at(0).value, 8);
  EXPECT_EQ(summary.best->figures[0].interval.low, 8);
  EXPECT_THAT(summary.reason, HasSubstr("trial 3 looks better"));
}

TEST(Summary, AMaximisedFigureIsShownAsItIs) {
  Story story;
  story.problem_.objectives = {{"rate", "GB/s", search::Direction::kMaximise}};
  story.baseline("n/cpu:1", {100});
  const std::uint64_t best = story.explore({200}, search::Score{0.5, 0});
  story.explore({125}, search::Score{0.8, 0});
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.best.value().trial, search::TrialId{best});
  EXPECT_EQ(summary.best->figures.at(0).value, 200);
  EXPECT_EQ(summary.best->figures[0].unit, "GB/s");
  EXPECT_EQ(summary.ratio, 0.5);
  EXPECT_EQ(summary.baselines.at(0).figures.at(0).value, 100);
}

TEST(Summary, SaysWhyTheBestCandidateWasRejected) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t near = story.explore({9}, search::Score{0.9, 0.01});
  const std::uint64_t far = story.explore({8}, search::Score{0.8, 0.01});
  story.verdict(1, near, search::Reject{"p = 0.2"}, 0.97);
  story.verdict(2, far, search::Reject{"p = 0.9"}, 1.05);
  EXPECT_EQ(story.summary().reason,
            "no candidate was confirmed: of those that were compared the best one, trial 2, was "
            "rejected: p = 0.2")
      << "trial 3 looked better";
  EXPECT_FALSE(story.summary().accepted);
}

// An exploration may have been lucky: the pairs tell more of it.
TEST(Summary, TheBestSeenIsByItsDuelWhereItHadOne) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t lucky = story.explore({7}, search::Score{0.7, 0.01});
  const std::uint64_t other = story.explore({9}, search::Score{0.9, 0.01});
  story.verdict(1, lucky, search::Reject{"4.97 % worse"}, 1.05);
  story.history_.verdicts.back().verdict.devices.resize(1);
  EXPECT_EQ(story.summary().best.value().trial, search::TrialId{other});
  EXPECT_EQ(story.summary().ratio, 0.9);
  story.verdict(2, other, search::Reject{"11 % worse"}, 1.11);
  story.history_.verdicts.back().verdict.devices.resize(1);
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.best.value().trial, search::TrialId{lucky});
  EXPECT_EQ(summary.ratio, 1.05);
  EXPECT_NEAR(summary.ratio_interval.high, 1.15, 1e-9);
}

TEST(Summary, ADuelThatLackedTimeHadNoVerdict) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t candidate = story.explore({8}, search::Score{0.8, 0.01});
  const std::string why = "20 % better: too little time is left to show a gain";
  story.verdict(1, candidate, search::Undecided{why}, 0.8);
  EXPECT_EQ(story.summary().reason,
            "no candidate was confirmed: the best one, trial 2, had no verdict: " + why);
}

TEST(Summary, SaysThatAConfirmationHadNotEnded) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t candidate = story.explore({8}, search::Score{0.8, 0.01});
  story.evaluation(1, candidate, Arm::kCandidate, {8});
  EXPECT_EQ(story.summary().reason, "the confirmation of trial 2 had not ended");
}

TEST(Summary, SaysThatNothingBeatTheBaseline) {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t best = story.explore({11}, search::Score{1.1, 0.01});
  const StudySummary summary = story.summary();
  EXPECT_EQ(summary.reason, "no trial beat the baseline");
  EXPECT_EQ(summary.best.value().trial, search::TrialId{best});
  EXPECT_EQ(summary.ratio, 1.1);
}

TEST(Summary, SaysThatTheBaselineFailedAndWhere) {
  Story story;
  story.add(search::JobKind::kBaseline, "n/cpu:1", search::BuildFailed{"error: no such file"},
            std::nullopt, {});
  const StudySummary summary = story.summary();
  EXPECT_THAT(summary.reason, HasSubstr("the baseline failed on n/cpu:1: "));
  EXPECT_THAT(summary.reason, HasSubstr("no such file"));
  EXPECT_FALSE(summary.best);
  EXPECT_TRUE(summary.baselines.empty());
  EXPECT_EQ(summary.ratio, 1);
}

TEST(Summary, AnEmptyStudyHasNoResult) {
  const StudySummary summary = summarise({}, {});
  EXPECT_FALSE(summary.best);
  EXPECT_EQ(summary.reason, "the baseline was not measured");
  EXPECT_EQ(summary.evaluations, 0U);
}

TEST(Summary, EveryDeviceHasItsBaseline) {
  Story story;
  story.baseline("n/cpu:1", {10, 11, 12});
  story.baseline("n/cpu:0", {20});
  story.baseline("n/cpu:1", {12, 13, 14}, search::JobKind::kRebaseline);
  story.baseline("n/cpu:1", {11, 12, 13}, search::JobKind::kRebaseline);
  const StudySummary summary = story.summary();
  ASSERT_EQ(summary.baselines.size(), 2U);
  EXPECT_EQ(summary.baselines[0].device, "n/cpu:0");
  EXPECT_EQ(summary.baselines[0].measured, 1);
  EXPECT_EQ(summary.baselines[1].device, "n/cpu:1");
  EXPECT_EQ(summary.baselines[1].measured, 3);
  EXPECT_EQ(summary.baselines[1].figures.at(0).value, 12);
}

TEST(Summary, EveryObjectiveHasItsFigure) {
  Story story;
  story.problem_.objectives.push_back({"energy", "J", search::Direction::kMinimise});
  story.baseline("n/cpu:1", {10});
  story.add(search::JobKind::kExplore, "n/cpu:1",
            search::Measured{{{{"energy", {5, 7, 6}}, {"time", {9, std::nan(""), 9}}}, {}}},
            search::Score{0.9, 0}, {});
  const StudySummary summary = story.summary();
  ASSERT_EQ(summary.best.value().figures.size(), 2U);
  EXPECT_EQ(summary.best->figures[0].name, "time");
  EXPECT_EQ(summary.best->figures[0].value, 9);  // a repetition without a value is left out
  EXPECT_EQ(summary.best->figures[1].unit, "J");
  EXPECT_EQ(summary.best->figures[1].value, 6);
  EXPECT_LT(summary.best->figures[1].interval.low, 6);
  EXPECT_GT(summary.best->figures[1].interval.high, 6);
}

}  // namespace
}  // namespace nightshift::scheduler
