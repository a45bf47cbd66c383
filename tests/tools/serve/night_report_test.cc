#include "tools/serve/night_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/problems/scratch_folder.h"
#include "tests/tools/told_batch.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class NightReport : public ::testing::Test {
 protected:
  NightReport() : ledger_(scratch_.path("night"), 10) {}

  void judged(const std::string& id, ServiceLedger::Json answer, bool kept, double hours = 0) {
    Proposal proposal;
    proposal.id = id;
    proposal.problem = "sgemm";
    proposal.asked = tests::kBatchBegan + 3600 * hours;
    (void)ledger_.begin(proposal);
    const std::uint64_t number = proposal.number;
    ledger_.enter(std::move(proposal));
    answer["answered"] = tests::kBatchBegan + 3600 * hours + 2;
    ledger_.answer(number, std::move(answer), kept);
  }
  void settles(ServiceLedger::Json answer) {
    Proposal proposal;
    proposal.id = "settle";
    proposal.problem = "sgemm";
    proposal.settles = true;
    (void)ledger_.begin(proposal);
    const std::uint64_t number = proposal.number;
    ledger_.enter(std::move(proposal));
    ledger_.answer(number, std::move(answer), false);
  }
  static BatchReport batch() {
    return make_batch_report(tests::ToldBatch().record(), "night", tests::kBatchNow, {});
  }
  std::string text() const { return to_text(document_of(ledger_, batch())); }
  std::string page() const { return to_html(document_of(ledger_, batch())); }
  std::string status() const { return night_status_text(ledger_, batch()); }

  problems::ScratchFolder scratch_;
  ServiceLedger ledger_;
};

TEST_F(NightReport, HasWhatWasKeptAndWhatItComesTo) {
  judged("one",
         {{"verdict", "faster"},
          {"ratio", 0.5},
          {"interval", {0.45, 0.55}},
          {"opponent", "the problem's own"}},
         true);
  judged("two", {{"verdict", "faster"}, {"ratio", 0.8}, {"opponent", "one"}}, true, 1.5);
  const std::string said = text();
  EXPECT_THAT(said, HasSubstr("2 candidates, 2 kept"));
  EXPECT_THAT(said, HasSubstr("0.5000 [0.4500, 0.5500]"));
  EXPECT_THAT(said, HasSubstr("0.4000"));  // their product
  EXPECT_THAT(said, HasSubstr("By the hour"));
}

TEST_F(NightReport, CountsVerdictsAndRefusalsByKindWithAnExample) {
  judged("a", {{"verdict", "refused"}, {"status", "build_failed"}, {"reason", "no\nsemicolon"}},
         false);
  judged("b", {{"verdict", "refused"}, {"status", "build_failed"}, {"reason", "another"}}, false);
  judged("c", {{"verdict", "not_faster"}, {"reason", "chance"}}, false);
  const std::string said = text();
  EXPECT_THAT(said, AllOf(HasSubstr("refused: build_failed"), HasSubstr("no semicolon"),
                          HasSubstr("not_faster"), Not(HasSubstr("another"))));
  EXPECT_THAT(said, Not(HasSubstr("What was kept")));
  EXPECT_THAT(said, HasSubstr("2.0 s"));
}

TEST_F(NightReport, WhatDoesNotHoldInTheEndIsSaidFirst) {
  judged("one", {{"verdict", "faster"}, {"ratio", 0.5}, {"opponent", "the problem's own"}}, true);
  settles({{"verdict", "refused"}, {"status", "wrong_result"}, {"reason", "y[3] is off"}});
  EXPECT_THAT(text(), AllOf(HasSubstr("refused: wrong_result"), HasSubstr("does not hold"),
                            HasSubstr("y[3] is off")));
  EXPECT_THAT(page(), HasSubstr("does not hold"));
}

TEST_F(NightReport, ANightThatGoesOnSaysWhatIsOpen) {
  Proposal proposal;
  proposal.id = "open";
  proposal.problem = "sgemm";
  (void)ledger_.begin(proposal);
  ledger_.enter(std::move(proposal));
  EXPECT_THAT(text(), HasSubstr("1 without an answer yet"));
}

TEST_F(NightReport, APageHasTheSameAndTheWayOfTheIncumbent) {
  judged("<one>", {{"verdict", "faster"}, {"ratio", 0.5}, {"opponent", "the problem's own"}}, true);
  judged("two", {{"verdict", "faster"}, {"ratio", 0.8}, {"opponent", "<one>"}}, true, 1.5);
  const std::string said = page();
  EXPECT_THAT(said, AllOf(HasSubstr("2 candidates, 2 kept"), HasSubstr("&lt;one&gt;"),
                          Not(HasSubstr("<one>")), HasSubstr("<svg"),
                          HasSubstr("Time of the incumbent over that of the problem")));
}

TEST_F(NightReport, APageOfANightThatKeptNothingHasNoChart) {
  judged("a", {{"verdict", "refused"}, {"status", "build_failed"}, {"reason", "x"}}, false);
  EXPECT_THAT(page(), AllOf(HasSubstr("refused: build_failed"), Not(HasSubstr("<svg"))));
}

TEST_F(NightReport, TheStatusOfANightTellsOfNightsAndNotOfItsStudies) {
  judged("a", {{"verdict", "not_faster"}, {"reason", "chance"}}, false);
  const std::string said = status();
  EXPECT_THAT(said, AllOf(HasSubstr("Night "), HasSubstr("1 candidate, 0 kept"), HasSubstr("sgemm"),
                          HasSubstr("nightshift report"), Not(HasSubstr("not_faster")),
                          Not(HasSubstr("confirmed at the level"))));
}

TEST_F(NightReport, ANightIsABatchWithCandidates) {
  EXPECT_TRUE(holds_night(scratch_.path("night")));
  EXPECT_FALSE(holds_night(scratch_.path("")));
}

}  // namespace
}  // namespace nightshift::tools
