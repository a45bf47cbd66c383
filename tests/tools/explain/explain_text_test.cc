#include "tools/explain/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/told_study.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string story(std::uint64_t trial) {
  const tests::ToldStudy study;
  // Line breaks are where the width wants them; sentences are what counts.
  std::string text = folded(
      retell(study.history(), tests::told_problem(), search::TrialId{trial}).value_or("none"), {});
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

TEST(ExplainText, UnknownTrialsHaveNoStory) {
  const tests::ToldStudy study;
  EXPECT_FALSE(retell(study.history(), tests::told_problem(), search::TrialId{7}));
  EXPECT_FALSE(retell(study.history(), tests::told_problem(), search::TrialId{0}));
}

TEST(ExplainText, AMeasuredTrialIsToldToItsVerdict) {
  EXPECT_THAT(story(2),
              AllOf(HasSubstr("An explore job (configuration 3 of the space"),
                    HasSubstr("searcher 'auto' with seed 1"), HasSubstr("TILE=2"),
                    HasSubstr("Artifact: abcdef"), HasSubstr("time: 3 samples, median 5.000 ms"),
                    HasSubstr("from 4.500 ms to 5.500 ms"), HasSubstr("build 1.250 s"),
                    HasSubstr("Score 0.5000 +- 0.01000")));
  EXPECT_THAT(story(2), AllOf(HasSubstr("against the baseline's 10.00 ms on node/cpu:1"),
                              HasSubstr("time 50.00 % lower"),
                              HasSubstr("told to the searcher 'auto' with this score"),
                              HasSubstr("Baselines measured there until then: trial 1 (10.00 ms)"),
                              HasSubstr("Confirmation 1, a duel of trial 2 with the baseline"),
                              HasSubstr("not begun"),
                              HasSubstr("Verdict: accept, because all devices agree."),
                              HasSubstr("[45.00 %, 55.00 %]")));
}

TEST(ExplainText, RoundsThatDoNotCountAreTold) {
  tests::ToldStudy study;
  const auto told = [&](int pairs, int voided, scheduler::Purpose purpose, int planned) {
    study.history().confirmations[0].purpose = purpose;
    study.history().confirmations[0].pairs = planned;
    study.history().confirmations[0].devices = {"node/cpu:1"};
    study.history().verdicts[0].verdict.devices = {{"node/cpu:1", pairs, voided, 0.6, 0.03}};
    return retell(study.history(), tests::told_problem(), search::TrialId{2}).value_or("none");
  };
  EXPECT_THAT(
      told(0, 1, scheduler::Purpose::kDuel, 0),
      HasSubstr("0 of 1 round count as pairs; 1 do not, as one side was disturbed or failed"));
  EXPECT_THAT(told(1, 0, scheduler::Purpose::kHoldOut, 12),
              HasSubstr("1 of 1 round count as pairs; 12 were planned."));
  EXPECT_THAT(told(1, 0, scheduler::Purpose::kHoldOut, 1), Not(HasSubstr("count as pairs")));
}

TEST(ExplainText, ACrashIsToldWithPhaseRetryAndLastWords) {
  EXPECT_THAT(story(3),
              AllOf(HasSubstr("Status: crashed, on node/cpu:1"), HasSubstr("after 2 attempts"),
                    HasSubstr("SIGSEGV"), HasSubstr("Phase: measure"), HasSubstr("    first line"),
                    HasSubstr("[31mlast words"), HasSubstr("No score."),
                    HasSubstr("as one that does not work")));
  EXPECT_THAT(story(3), AllOf(HasSubstr("the evaluator was not fresh"), HasSubstr("+2.000 s"),
                              HasSubstr("(attempt 2) on node/cpu:1"), Not(HasSubstr("\x1b"))));
}

TEST(ExplainText, ASkippedTrialNamesItsSpeaker) {
  EXPECT_THAT(story(4), HasSubstr("same machine code as trial 2"));
}

TEST(ExplainText, WhatWasGivenUpOrDisturbedIsSaid) {
  tests::ToldStudy study;
  auto& measured =
      std::get<search::Measured>(study.history().trials.at(1).finished->report.outcome);
  const auto told = [&] {
    return retell(study.history(), tests::told_problem(), search::TrialId{2}).value_or("none");
  };
  EXPECT_THAT(told(), AllOf(Not(HasSubstr("Given up")), Not(HasSubstr("Disturbed"))));
  measured.measurement.censored = true;
  measured.measurement.disturbance = "thermal throttling, 12 events";
  EXPECT_THAT(told(), AllOf(HasSubstr("Given up after these"),
                            HasSubstr("Disturbed: thermal throttling, 12 events")));
}

TEST(ExplainText, AConfirmTrialNamesWhatItDecides) {
  EXPECT_THAT(story(5), HasSubstr("candidate in round 1 of confirmation 1, a duel of trial 2."));
}

TEST(ExplainText, TheBaselineSaysWhatItStandsFor) {
  EXPECT_THAT(story(1), AllOf(HasSubstr("A baseline job"), HasSubstr("which stands for: TILE=1")));
}

TEST(ExplainText, ATrialInFlightHasNoOutcome) {
  EXPECT_THAT(story(6), AllOf(HasSubstr("It has not finished"), Not(HasSubstr("Status:"))));
}

}  // namespace
}  // namespace nightshift::tools
