#include "tools/serve/night_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/problems/scratch_folder.h"
#include "tests/tools/told_batch.h"

namespace nightshift::tools {
namespace {

using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NightRows : public ::testing::Test {
 protected:
  NightRows() : ledger_(scratch_.path("night"), 10) {}

  void kept(const std::string& id, double ratio, double minutes) {
    Proposal proposal;
    proposal.id = id;
    proposal.problem = "sgemm";
    (void)ledger_.begin(proposal);
    const std::uint64_t number = proposal.number;
    ledger_.enter(std::move(proposal));
    ledger_.answer(
        number,
        {{"verdict", "faster"}, {"ratio", ratio}, {"answered", tests::kBatchBegan + 60 * minutes}},
        true);
  }
  static BatchReport batch() {
    return make_batch_report(tests::ToldBatch().record(), "night", tests::kBatchNow, {});
  }

  problems::ScratchFolder scratch_;
  ServiceLedger ledger_;
};

TEST_F(NightRows, TheIncumbentsWayIsTheProductOfWhatWasKept) {
  EXPECT_THAT(night_progress(ledger_, batch()), IsEmpty());
  kept("one", 0.5, 1);
  kept("two", 0.8, 2);
  const auto progress = night_progress(ledger_, batch());
  ASSERT_THAT(progress, SizeIs(1));
  EXPECT_EQ(progress[0].name, "sgemm");
  EXPECT_THAT(progress[0].steps, ElementsAre(Field(&NightProgress::Step::ratio, DoubleEq(1)),
                                             Field(&NightProgress::Step::ratio, DoubleEq(0.5)),
                                             Field(&NightProgress::Step::ratio, DoubleEq(0.4))));
  EXPECT_DOUBLE_EQ(progress[0].steps.back().seconds, 120);
}

TEST_F(NightRows, WhatWasTakenBackIsToldAndNotKept) {
  kept("one", 0.5, 1);
  kept("two", 0.8, 2);
  Proposal settlement;
  settlement.id = "settle two";
  settlement.problem = "sgemm";
  settlement.settles = true;
  settlement.settled = 2;
  (void)ledger_.begin(settlement);
  ledger_.enter(settlement);
  ledger_.answer(3,
                 {{"verdict", "not_faster"},
                  {"took_back", "two"},
                  {"incumbent", "one"},
                  {"reason", "no gain"}},
                 false);
  EXPECT_THAT(night_sentences(ledger_, batch()),
              Contains(HasSubstr("two was taken back, and the incumbent is one again: no gain")));
  EXPECT_EQ(night_headline(ledger_), "2 candidates, 1 kept");
  EXPECT_THAT(night_progress(ledger_, batch())[0].steps, SizeIs(2));
}

TEST_F(NightRows, WhatThereIsNothingOfHasNoRows) {
  for (const NightSection& section : night_sections(ledger_, batch())) {
    const bool is_of_candidates = section.title != "Devices" && section.title != "To be known";
    if (is_of_candidates) {
      EXPECT_THAT(section.rows, IsEmpty()) << section.title;
    }
  }
  kept("one", 0.5, 1);
  EXPECT_THAT(night_sections(ledger_, batch())[1].rows, SizeIs(2)) << "headings and the one";
}

}  // namespace
}  // namespace nightshift::tools
