#include "tools/live/batch_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/told_batch.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BatchFrameTest : public ::testing::Test {
 protected:
  std::string picture(std::size_t width, std::size_t height, bool colour = false,
                      std::size_t scrolled = 0) {
    return render(
        {batch_.record(), folder_, tests::kBatchNow, {width, height, colour}, scrolled, unread_});
  }
  std::vector<std::string> lines(std::size_t width, std::size_t height) {
    std::istringstream in(picture(width, height));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  void add_studies(int count) {
    for (int i = 0; i < count; ++i) {
      scheduler::BatchStudyRecord study;
      study.terms.name = "more-" + std::to_string(i);
      batch_.record().studies.push_back(study);
    }
  }

  tests::ToldBatch batch_;
  std::string folder_ = "batches/night";
  std::vector<std::string> unread_;
};

TEST_F(BatchFrameTest, ShowsWhichJournalsCannotBeRead) {
  EXPECT_THAT(picture(200, 50), Not(HasSubstr("unread")));
  unread_ = {"norm: the journal batches/night/norm/journal.sqlite is gone"};
  EXPECT_THAT(picture(200, 50), HasSubstr("unread    norm: the journal batches/night/norm/"));
  for (int i = 0; i < 9; ++i) unread_.push_back("more-" + std::to_string(i) + ": damaged");
  const std::string text = picture(200, 50);
  EXPECT_THAT(text, AllOf(HasSubstr("more-1: damaged"), HasSubstr("... 7 more")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("more-2: damaged")), HasSubstr("gpu:1  idle")));
}

TEST_F(BatchFrameTest, ShowsTheBatchAtAGlance) {
  EXPECT_THAT(
      picture(200, 50),
      AllOf(
          HasSubstr("batch night"), HasSubstr("batches/night"),
          HasSubstr("running as process 4711 on node7"), HasSubstr("(1 h 00 min left)"),
          HasSubstr("6 studies: 1 running, 1 waiting, 3 completed, 1 failed"),
          HasSubstr("1 improvement holds over the whole batch, 1 is shown by its own study alone"),
          HasSubstr("gpu:0  norm  measuring trial 1235 (confirm)"), HasSubstr("gpu:1  idle"),
          HasSubstr("duel of trial 17: 8 of 16 pairs"), HasSubstr("2.000x [1.923, 2.083]"),
          HasSubstr("1.020x [1.010, 1.031]*"), HasSubstr("40 min 00 s of 1 h 00 min"),
          HasSubstr("after norm"), HasSubstr("killed by SIGSEGV"),
          HasSubstr("gemm: the time budget is used up")));
}

TEST_F(BatchFrameTest, FitsEveryTerminal) {
  add_studies(60);
  for (const std::size_t width : {1u, 2u, 20u, 80u, 200u}) {
    for (const std::size_t height : {1u, 2u, 5u, 9u, 10u, 24u, 50u}) {
      const std::vector<std::string> all = lines(width, height);
      EXPECT_LE(all.size(), std::max<std::size_t>(height, 2) - 1) << width << " x " << height;
      for (const std::string& line : all) {
        EXPECT_LE(width_of(line), std::max<std::size_t>(width, 2) - 1) << line;
      }
    }
  }
}

TEST_F(BatchFrameTest, EveryPartHasItsPlaceInASmallTerminal) {
  add_studies(60);
  for (int i = 0; i < 20; ++i) {
    batch_.record().devices.push_back({"gpu:" + std::to_string(i + 2), "", "norm", "", 0});
    batch_.record().events.push_back({tests::kBatchNow, "norm", "notice", "n" + std::to_string(i)});
  }
  const std::string small = picture(80, 24);
  EXPECT_THAT(small,
              AllOf(HasSubstr("\ndevices\n"), HasSubstr("\nstudies "), HasSubstr("\nevents\n"),
                    HasSubstr("norm: n19"), HasSubstr("  norm "), HasSubstr("more\n")));
  EXPECT_EQ(lines(80, 24).size(), 23u);
}

TEST_F(BatchFrameTest, WhatRunsComesFirst) {
  const std::string all = picture(120, 50);
  const auto at = [&](const std::string& name) { return all.find("\n  " + name + " "); };
  EXPECT_LT(at("norm"), at("bad"));
  EXPECT_LT(at("bad"), at("late"));
  EXPECT_LT(at("late"), at("gemm"));
}

TEST_F(BatchFrameTest, IsScrolledByStudies) {
  EXPECT_THAT(picture(120, 50, false, 2),
              AllOf(Not(HasSubstr("\n  norm ")), HasSubstr("\n  late ")));
  EXPECT_THAT(picture(120, 50, false, 1000), HasSubstr("\nstudies "));
}

TEST_F(BatchFrameTest, ColourIsDeclined) {
  EXPECT_THAT(picture(80, 24, true), HasSubstr("\x1b["));
  EXPECT_THAT(picture(80, 24, false), Not(HasSubstr("\x1b")));
}

TEST_F(BatchFrameTest, WhatChildrenSaidDoesNotReachTheTerminalAsItIs) {
  batch_.study("bad").reason = "\x1b[31mred\nline";
  batch_.record().events.back().text = "\x1b[2Jgone";
  batch_.record().name = "n\x07ight";
  EXPECT_THAT(picture(200, 50),
              AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")), HasSubstr("[31mred line")));
}

TEST_F(BatchFrameTest, ABatchOfNothingIsShown) {
  batch_.record() = {};
  EXPECT_THAT(picture(80, 24), AllOf(HasSubstr("not begun"), HasSubstr("0 studies")));
}

TEST_F(BatchFrameTest, ACutOffBatchSaysSo) {
  batch_.kill();
  EXPECT_THAT(picture(200, 24), AllOf(HasSubstr("cut off at"),
                                      HasSubstr("`nightshift batch run` with its folder goes on"),
                                      HasSubstr("gpu:0  idle")));
}

}  // namespace
}  // namespace nightshift::tools
