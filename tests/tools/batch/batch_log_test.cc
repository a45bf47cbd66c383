#include "tools/batch/batch_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/journal/batch_terms_text.h"
#include "scheduler/summary/batch_time.h"
#include "tests/fakes/fake_clock.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class BatchLogTest : public ::testing::Test {
 protected:
  // A run of 100 s, after 50 of which the machine's clock is set by so much.
  scheduler::BatchRecord run(double shift, bool is_of_day) {
    began = clock.unix_seconds();
    write(shift, is_of_day);
    return scheduler::load_batch(folder);
  }
  void write(double shift, bool is_of_day) {
    BatchLog log(folder, "night", clock);
    log.silent(true);
    log.begin({}, {}, scheduler::BatchDeadline{began + 3600, is_of_day}, false);
    const auto second = [&] {
      clock.advance(1);
      log.keep_up([](std::size_t) { return 0.0; });
    };
    for (int i = 0; i < 50; ++i) second();
    clock.set(shift);
    for (int i = 0; i < 50; ++i) second();
    running = scheduler::load_batch(folder);
    log.end("completed", "");
  }
  std::vector<std::pair<double, double>> shifts() const {
    std::vector<std::pair<double, double>> all;
    for (const auto& event : running.events) {
      if (event.kind != scheduler::kClockEvent) continue;
      all.emplace_back(event.at - began, scheduler::shift_from_text(event.text));
    }
    return all;
  }

  tests::ScratchFolder scratch;
  std::string folder = scratch / "night";
  fakes::FakeClock clock;
  double began = 0;
  scheduler::BatchRecord running;  // as others saw it at the end
};

TEST_F(BatchLogTest, AClockThatIsSetIsToldOnceAndMovesNoTimes) {
  for (const double shift : {7200.0, -7200.0}) {
    folder += "x";
    clock.set(0);
    const scheduler::BatchRecord record = run(shift, false);
    EXPECT_THAT(shifts(), ElementsAre(Pair(51, shift)));
    EXPECT_EQ(scheduler::batch_seconds(record, 0), 100);
    EXPECT_EQ(*record.runs.back().deadline, began + 3600) << "of a duration";
    EXPECT_EQ(scheduler::now_in(running, clock.wall_seconds()), clock.unix_seconds());
    EXPECT_EQ(scheduler::now_in(record, clock.wall_seconds()), clock.wall_seconds())
        << "nobody runs it";
  }
}

TEST_F(BatchLogTest, AnEndByTheTimeOfTheDayComesByTheClockAsItIs) {
  const scheduler::BatchRecord record = run(1200, true);
  EXPECT_EQ(*record.runs.back().deadline, began + 2400);
}

TEST_F(BatchLogTest, WhatIsMadeUpForIsKnownToTheNextRun) {
  {
    BatchLog log(folder, "night", clock);
    scheduler::BatchStudyTerms waits, other;
    waits.name = "waits";
    other.name = "other";
    log.begin({waits, other}, {}, std::nullopt, false);
    log.made_up("waits", 3);
    log.made_up("waits", 4.5);
    log.end("interrupted", "");
  }
  const scheduler::BatchRecord record = scheduler::load_batch(folder);
  EXPECT_EQ(record.studies.at(0).made_up, 4.5);
  EXPECT_EQ(record.studies.at(1).made_up, 0);
  for (const auto& event : record.events) EXPECT_NE(event.kind, scheduler::kMadeUpEvent);
}

TEST_F(BatchLogTest, AClockThatNobodySetsIsNotTold) {
  (void)run(0, true);
  EXPECT_THAT(shifts(), ElementsAre());
}

// As where its times go on after those of an earlier run.
TEST_F(BatchLogTest, AClockThatIsBehindAtTheBeginningIsToldThen) {
  clock.set(-7200);
  const scheduler::BatchRecord record = run(-7200, true);
  EXPECT_THAT(shifts(), ElementsAre(Pair(0, -7200)));
  EXPECT_EQ(*record.runs.back().deadline, began + 3600 + 7200) << "of the day";
  EXPECT_EQ(scheduler::batch_seconds(record, 0), 100);
  EXPECT_EQ(scheduler::now_in(running, clock.wall_seconds()), clock.unix_seconds());
}

}  // namespace
}  // namespace nightshift::tools
