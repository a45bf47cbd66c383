#include "tools/text/batch_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "scheduler/journal/batch_terms_text.h"
#include "tests/tools/told_batch.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::kBatchNow;
using tests::ToldBatch;

std::string state_of(const ToldBatch& batch) {
  return batch_state_text(batch.record(), scheduler::summarise(batch.record(), kBatchNow),
                          kBatchNow);
}

TEST(BatchLines, ARatioIsToldAsManyTimesAsGood) {
  EXPECT_EQ(format_times(0.5), "2.000x");
  EXPECT_EQ(format_times(1.25), "0.800x");
  EXPECT_EQ(format_times(0.5, {0.4, 0.625}), "2.000x [1.600, 2.500]");
  EXPECT_EQ(format_times(0.01), "100.0x");
  EXPECT_EQ(format_times(0), "?x");
}

TEST(BatchLines, TheStateIsTold) {
  ToldBatch batch;
  EXPECT_THAT(state_of(batch), AllOf(StartsWith("running as process 4711 on node7 since "),
                                     HasSubstr("(1 h 00 min left)")));
  batch.kill();
  EXPECT_THAT(state_of(batch), AllOf(StartsWith("cut off at "), HasSubstr("goes on")));
  batch.end(3600, "interrupted", "it was stopped by SIGTERM");
  EXPECT_THAT(state_of(batch), AllOf(StartsWith("interrupted at "), HasSubstr("1 h 00 min"),
                                     HasSubstr("stopped by SIGTERM")));
  batch.end(3600, "completed", "");
  EXPECT_THAT(state_of(batch), AllOf(StartsWith("completed at "), HasSubstr("after 1 h 00 min")));
  batch.record().runs.clear();
  EXPECT_EQ(state_of(batch), "not begun");
}

TEST(BatchLines, ANightGoesOnByItsServer) {
  ToldBatch batch;
  batch.kill();
  EXPECT_THAT(state_of(batch), HasSubstr("`nightshift batch run` with its folder goes on"));
  batch.record().studies.front().terms.overrides = {{"judged.opponent", "0"}};
  EXPECT_THAT(state_of(batch), AllOf(HasSubstr("`nightshift serve` with the same --night goes on"),
                                     Not(HasSubstr("batch run"))));
}

TEST(BatchLines, ADeadlineThatIsOverLeavesNoTime) {
  ToldBatch batch;
  batch.record().runs.back().deadline = kBatchNow - 1;
  EXPECT_THAT(state_of(batch), Not(HasSubstr("left")));
}

TEST(BatchLines, AClockThatWasSetIsTold) {
  const auto told = [](double seconds) {
    return event_text({0, "", scheduler::kClockEvent, scheduler::shift_to_text(seconds)});
  };
  EXPECT_THAT(told(7200), HasSubstr("it is 2 h 00 min ahead of the times of this run"));
  EXPECT_THAT(told(-7200), HasSubstr("it is 2 h 00 min behind the times of this run"));
  EXPECT_THAT(told(0), HasSubstr("agrees with the times of this run again"));
}

TEST(BatchLines, ClaimsAreCounted) {
  ToldBatch batch;
  const auto text = [&] { return claims_text(scheduler::summarise(batch.record(), kBatchNow)); };
  EXPECT_EQ(text(), "1 improvement holds over the whole batch, 1 is shown by its own study alone");
  batch.study("copy").claim->p_value = 1e-5;
  EXPECT_EQ(text(), "2 improvements hold over the whole batch");
  for (auto& study : batch.record().studies) study.claim.reset();
  EXPECT_EQ(text(), "no improvement is confirmed yet");
  batch.end(3600, "completed", "");
  EXPECT_EQ(text(), "no improvement was confirmed");
}

TEST(BatchLines, CellsOfAStudy) {
  ToldBatch batch;
  EXPECT_EQ(state_cell(batch.study("norm")), "running 66 %");
  EXPECT_EQ(best_cell(batch.study("norm")), "1.250x");
  EXPECT_EQ(accepted_cell(batch.study("norm"), false, Room::kAmple), "1.111x so far");
  EXPECT_EQ(accepted_cell(batch.study("copy"), false, Room::kAmple), "1.020x [1.010, 1.031]*");
  EXPECT_EQ(accepted_cell(batch.study("copy"), false, Room::kScant), "1.020x*");
  EXPECT_EQ(accepted_cell(batch.study("rough"), false, Room::kAmple), "");
  EXPECT_EQ(time_cell(batch.study("norm"), Room::kAmple), "40 min 00 s of 1 h 00 min");
  EXPECT_EQ(time_cell(batch.study("norm"), Room::kScant), "40 min 00 s");
  EXPECT_EQ(time_cell(batch.study("gemm"), Room::kAmple), "20 min 00 s");
  EXPECT_EQ(time_cell(batch.study("late"), Room::kAmple), "");
  EXPECT_EQ(what_cell(batch.record(), batch.study("late")), "after norm");
  batch.study("norm").state = scheduler::BatchStudyState::kCompleted;
  EXPECT_EQ(what_cell(batch.record(), batch.study("late")), "");
  batch.study("norm").state = scheduler::BatchStudyState::kRunning;
  EXPECT_EQ(what_cell(batch.record(), batch.study("norm")), "duel of trial 17: 8 of 16 pairs");
  EXPECT_THAT(what_cell(batch.record(), batch.study("bad")), StartsWith("the baseline failed"));
}

TEST(BatchLines, WhatTheHoldOutDidNotConfirmIsNoMoreSoFar) {
  ToldBatch batch;
  auto& study = batch.study("rough");
  study.progress->accepted = 1;
  study.progress->incumbent = 0.9;
  EXPECT_EQ(accepted_cell(study, false, Room::kAmple), "");
}

TEST(BatchLines, ColumnsOfWhichNothingIsKnownAreLeftOut) {
  ToldBatch batch;
  auto& studies = batch.record().studies;
  std::erase_if(studies, [](const auto& study) { return study.terms.name != "late"; });
  studies[0].reason = "paused";
  const auto summary = scheduler::summarise(batch.record(), kBatchNow);
  EXPECT_EQ(study_table(batch.record(), summary, std::string::npos),
            "studies    state    what\n"
            "  late     waiting  paused\n");
}

TEST(BatchLines, NamesAreWholeInAPipeAndNeverAlike) {
  ToldBatch batch;
  batch.study("late").terms.name = "transpose-ROWS1024-COLUMNS512";
  batch.study("rough").terms.name = "transpose-ROWS1024-COLUMNS1024";
  batch.record().devices[0].uuid = "node7.cluster.example/GPU-0";
  batch.record().devices[1].uuid = "node7.cluster.example/GPU-1";
  const auto summary = scheduler::summarise(batch.record(), kBatchNow);
  const auto told = [&](std::size_t columns) {
    return study_table(batch.record(), summary, columns) + device_table(batch.record(), columns);
  };
  for (const std::size_t columns : {std::string::npos, std::size_t{240}}) {
    EXPECT_THAT(told(columns), AllOf(HasSubstr("\n  transpose-ROWS1024-COLUMNS512 "),
                                     HasSubstr("\n  transpose-ROWS1024-COLUMNS1024 "),
                                     HasSubstr("  node7.cluster.example/GPU-1  ")));
  }
  EXPECT_THAT(told(80), AllOf(HasSubstr("...COLUMNS512 "), HasSubstr("...COLUMNS1024 "),
                              HasSubstr("...GPU-0 "), HasSubstr("...GPU-1 ")));
  std::istringstream lines(told(80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 80U);
}

TEST(BatchLines, NamesOfAnyOriginAreOneLine) {
  ToldBatch batch;
  batch.study("late").terms.name = "a\nb\x1b[2J";
  const auto summary = scheduler::summarise(batch.record(), kBatchNow);
  EXPECT_THAT(study_table(batch.record(), summary, std::string::npos),
              AllOf(HasSubstr("a b[2J"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(event_text({0, "s\n", "notice", "x\ry"}), HasSubstr(" s: xy"));
  EXPECT_THAT(event_text({0, "", scheduler::kNodesEvent, "a/b"}),
              HasSubstr("measured on nodes: a/b"));
  EXPECT_THAT(event_text({0, "", scheduler::kNodesEvent, ""}),
              HasSubstr("measured on this machine"));
  const auto short_of = [](std::vector<std::string> left) {
    return event_text({0, "", scheduler::kShortageEvent,
                       scheduler::shortage_to_json({70, 310, std::move(left)})});
  };
  EXPECT_THAT(short_of({"a", "b"}),
              HasSubstr("the time does not serve 2 studies, which 5 min 10 s"));
  EXPECT_THAT(short_of({}), HasSubstr("the time serves all studies"));
}

TEST(BatchLines, OfManyThatAreLeftTheFirstAreNamed) {
  scheduler::BatchShortage shortage{70, 310, {}};
  for (int i = 0; i < 32; ++i) shortage.left.push_back("s" + std::to_string(i));
  EXPECT_EQ(shortage_text(shortage, 41),
            "the time (1 min 10 s) serves 9 of 41 studies, 5 min 10 s would serve all; left: s0, "
            "s1, s2, s3, s4, s5, s6, s7 and 24 more");
}

}  // namespace
}  // namespace nightshift::tools
