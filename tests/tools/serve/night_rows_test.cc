#include "tools/serve/night_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/problems/scratch_folder.h"
#include "tests/tools/told_batch.h"

namespace nightshift::tools {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Field;
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
