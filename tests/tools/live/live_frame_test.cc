#include "tools/live/live_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/told_study.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

class LiveFrame : public ::testing::Test {
 protected:
  LiveFrame() : problem_(tests::told_problem()) {
    status_.problem = &problem_;
    status_.space_size = 2880;
    status_.evaluations = 96;
    status_.outstanding = 2;
    status_.by_status[1] = 3;
    status_.by_status[5] = 2;
    status_.skipped = 4;
    status_.best_ratio = 0.4;
    status_.best_configuration = tests::told_configuration(4);
    status_.activity = "exploring";
    status_.elapsed = 30;
    status_.budget_used = 0.5;
    scheduler::DeviceStatus device;
    device.device.uuid = "cpu:1";
    device.device.name = "A CPU";
    device.state = scheduler::DeviceStatus::State::kMeasuring;
    device.trial = search::TrialId{98};
    device.baseline = 12.5;
    device.trials = 95;
    status_.devices = {device};
  }

  std::string picture(std::size_t width = 80, std::size_t height = 24, bool colour = false) const {
    return render({status_, folder_, events_, {width, height, colour}});
  }
  std::vector<std::string> lines(std::size_t width, std::size_t height) const {
    std::istringstream in(picture(width, height));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

  search::Problem problem_;
  scheduler::StudyStatus status_;
  std::string folder_ = "studies/sgemm-1";
  std::deque<std::string> events_;
};

TEST_F(LiveFrame, ShowsTheStudyAtAGlance) {
  EXPECT_THAT(picture(120),
              AllOf(HasSubstr("sgemm  2,880 configurations"), HasSubstr("studies/sgemm-1"),
                    HasSubstr("exploring"),
                    HasSubstr("96 done, 2 running, 5 failed (3 build_failed, 2 "
                              "crashed), 4 skipped"),
                    HasSubstr("time 60.00 % lower"), HasSubstr("TILE=4"), HasSubstr("nothing yet"),
                    HasSubstr("3.200 trials/s"), HasSubstr("50 %")));
  EXPECT_THAT(picture(120), AllOf(HasSubstr("cpu:1"), HasSubstr("measuring trial 98 (explore)"),
                                  HasSubstr("baseline 12.50 ms"), HasSubstr("95 trials")));
}

TEST_F(LiveFrame, ShowsTheAcceptedWithItsInterval) {
  status_.incumbent_ratio = 0.6;
  status_.incumbent_configuration = tests::told_configuration(2);
  EXPECT_THAT(picture(120), AllOf(HasSubstr("time 40.00 % lower"), HasSubstr("TILE=2"),
                                  Not(HasSubstr("[45.00 %"))));
  status_.claim = tests::ToldStudy().history().verdicts.front().verdict;
  EXPECT_THAT(picture(120), AllOf(HasSubstr("time 50.00 % lower (2.00 times as good) [45.00 %, "
                                            "55.00 %]"),
                                  HasSubstr("TILE=2")));
}

TEST_F(LiveFrame, ShowsQuarantine) {
  status_.devices.front().state = scheduler::DeviceStatus::State::kQuarantined;
  EXPECT_THAT(picture(), HasSubstr("QUARANTINED"));
}

TEST_F(LiveFrame, StaysWithinEveryTerminal) {
  for (int i = 0; i < 40; ++i) events_.push_back("event " + std::string(300, 'x'));
  for (int i = 0; i < 40; ++i) status_.devices.push_back(status_.devices.front());
  for (const std::size_t width : {1U, 2U, 10U, 40U, 79U, 80U, 200U}) {
    for (const std::size_t height : {1U, 2U, 5U, 12U, 24U, 100U}) {
      std::vector<std::size_t> widths;
      for (const std::string& line : lines(width, height)) widths.push_back(width_of(line));
      EXPECT_THAT(widths, SizeIs(Le(std::max<std::size_t>(height, 2) - 1)));
      EXPECT_THAT(widths, Each(Le(std::max<std::size_t>(width, 2) - 1)));
    }
  }
}

TEST_F(LiveFrame, KeepsTheNewestEvents) {
  for (int i = 0; i < 40; ++i) events_.push_back("event " + std::to_string(i));
  EXPECT_THAT(picture(), AllOf(HasSubstr("event 39"), Not(HasSubstr("event 0\n"))));
}

TEST_F(LiveFrame, HasNoEscapesWithoutColour) {
  EXPECT_THAT(picture(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(picture(80, 24, true), HasSubstr("\x1b[1m"));
}

TEST_F(LiveFrame, BearsAStudyOfWhichNothingIsKnown) {
  scheduler::StudyStatus empty;
  empty.problem = &problem_;
  EXPECT_THAT(render({empty, folder_, events_, 80, 24, false}),
              AllOf(HasSubstr("nothing measured yet"), HasSubstr("0 done")));
}

using ProgressLines = LiveFrame;

TEST_F(ProgressLines, TimeLeftIsThatOfTheNearestLimit) {
  problem_.budget.seconds = 40;
  EXPECT_DOUBLE_EQ(seconds_left(status_), 10);
  problem_.budget.trials = 112;  // 16 more at 3.2 a second
  EXPECT_DOUBLE_EQ(seconds_left(status_), 5);
  problem_.budget.trials = 50;
  EXPECT_DOUBLE_EQ(seconds_left(status_), 0);
}

TEST_F(ProgressLines, TheSpaceIsALimitToo) {
  status_.space_size = 128;
  EXPECT_DOUBLE_EQ(seconds_left(status_), 10);
}

TEST_F(ProgressLines, WithoutARateOrALimitNothingIsKnown) {
  status_.evaluations = 0;
  EXPECT_LT(seconds_left(status_), 0);
}

TEST_F(ProgressLines, BudgetsAreNamed) {
  search::Budget budget;
  EXPECT_EQ(budget_text(budget), "all configurations");
  budget.seconds = 60;
  budget.trials = 400;
  EXPECT_EQ(budget_text(budget), "1 min 00 s or 400 configurations");
}

TEST_F(ProgressLines, VerdictsCarryNumberAndReason) {
  const tests::ToldStudy study;
  scheduler::ConfirmationVerdict verdict = study.history().verdicts.front();
  scheduler::ConfirmationSetup setup = study.history().confirmations.front();
  const auto line = [&] { return verdict_line(setup, verdict, problem_.objectives.front()); };
  EXPECT_THAT(line(),
              AllOf(HasSubstr("trial 2 accepted: time 50.00 % lower"), HasSubstr("[45.00 %")));
  setup.purpose = scheduler::Purpose::kHoldOut;
  EXPECT_THAT(line(), AllOf(HasSubstr("trial 2 confirmed on new data: time 50.00 % lower"),
                            HasSubstr("[45.00 %")));
  verdict.verdict.acceptance = search::Reject{"no better"};
  EXPECT_EQ(line(), "trial 2 not confirmed on new data: no better");
  setup.purpose = scheduler::Purpose::kDuel;
  EXPECT_EQ(line(), "trial 2 rejected: no better");
  setup.purpose = scheduler::Purpose::kSelfTest;
  EXPECT_EQ(line(), "self-test FAILED: no better");
  verdict.verdict.acceptance = search::Accept{"p = 0.4"};
  EXPECT_EQ(line(), "self-test passed: p = 0.4");
  setup.purpose = scheduler::Purpose::kCanary;
  EXPECT_EQ(line(), "canary passed: p = 0.4");
  verdict.verdict.acceptance = search::Undecided{"a was lost"};
  EXPECT_EQ(line(), "canary undecided: a was lost");
}

TEST_F(ProgressLines, AnOpenedConfirmationSaysWhoMeetsWhom) {
  scheduler::ConfirmationSetup setup;
  setup.candidate = search::TrialId{7};
  setup.devices = {"a", "b"};
  setup.pairs = 12;
  EXPECT_EQ(opening_line(setup), "duel of trial 7 with the baseline");
  setup.opponent = search::TrialId{3};
  EXPECT_EQ(opening_line(setup), "duel of trial 7 with the incumbent, trial 3");
  setup.purpose = scheduler::Purpose::kHoldOut;
  EXPECT_EQ(opening_line(setup),
            "hold-out: trial 7 against the baseline, 12 new pairs on 2 devices");
  setup.purpose = scheduler::Purpose::kSelfTest;
  EXPECT_EQ(opening_line(setup),
            "self-test: the same configuration against itself, 12 pairs on 2 devices");
  setup.purpose = scheduler::Purpose::kCanary;
  EXPECT_EQ(opening_line(setup), "canary: a configuration known to be slower against the baseline");
}

TEST_F(ProgressLines, FailuresSayWhy) {
  const tests::ToldStudy study;
  const scheduler::TrialRecord& crashed = study.history().trials[2];
  EXPECT_THAT(failure_line(crashed.proposed, *crashed.finished),
              AllOf(HasSubstr("trial 3 crashed: "), HasSubstr("SIGSEGV"), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace nightshift::tools
