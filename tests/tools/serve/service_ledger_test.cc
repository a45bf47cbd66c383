#include "tools/serve/service_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "search/acceptance/night_levels.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kLevel = 0.01;
constexpr std::uint64_t kExpected = 10;

// A folder, and a ledger over it that can be killed.
class ServiceLedgerTest : public ::testing::Test {
 protected:
  ServiceLedgerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "nightshift-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    begin_again();
  }
  ~ServiceLedgerTest() override { std::filesystem::remove_all(folder_); }

  void begin_again() { ledger_.emplace(folder_, kExpected); }
  std::uint64_t ask(const std::string& id, Stage stage = Stage::kHoldOut,
                    const std::string& client = "", bool settles = false) {
    Proposal proposal;
    proposal.id = id;
    proposal.client = client;
    proposal.problem = "p";
    proposal.stage = stage;
    proposal.settles = settles;
    proposal.source = "/x/" + id + ".cc";
    proposal.priority = 3;
    proposal.weight = 2;
    proposal.deadline = 1.7e9;
    proposal.most_time = 9;
    (void)ledger_->begin(proposal);
    const std::uint64_t number = proposal.number;
    ledger_->enter(std::move(proposal), kLevel);
    return number;
  }
  void answer(std::uint64_t number, bool kept = false, double ratio = 0.5) {
    ledger_->answer(number, {{"verdict", "x"}, {"ratio", ratio}}, kept);
  }
  static double level(std::uint64_t number) {
    return search::night_level(kLevel, number, kExpected);
  }

  std::string folder_;
  std::optional<ServiceLedger> ledger_;
};

TEST_F(ServiceLedgerTest, EveryConfirmationHasALevelOfItsOwn) {
  EXPECT_EQ(ledger_->proposal(ask("a")).level, level(1));
  EXPECT_EQ(ledger_->proposal(ask("b", Stage::kConfirm)).level, level(2));
  (void)ask("c", Stage::kScreen);
  EXPECT_EQ(ledger_->proposal(ask("d")).level, level(3));
  EXPECT_EQ(ledger_->proposal(ask("e", Stage::kHoldOut, "another")).level, level(1));
  EXPECT_EQ(ledger_->night("", "p").confirmed, 3U);
}

TEST_F(ServiceLedgerTest, WhatIsKeptIsTheNextOnesOpponent) {
  const std::uint64_t first = ask("a");
  EXPECT_EQ(ledger_->proposal(first).opponent, 0U);
  answer(first, true);
  const std::uint64_t second = ask("b");
  EXPECT_EQ(ledger_->proposal(second).opponent, first);
  answer(second, true, 0.8);
  EXPECT_THAT(ledger_->night("", "p").kept, ElementsAre(first, second));
  EXPECT_DOUBLE_EQ(ledger_->night("", "p").gains, 0.4);
  EXPECT_EQ(ledger_->proposal(ask("c", Stage::kHoldOut, "another")).opponent, 0U);
}

TEST_F(ServiceLedgerTest, AnotherRoundMeetsTheNewIncumbentAtALevelOfItsOwn) {
  const std::uint64_t first = ask("a");
  const std::uint64_t late = ask("b");
  answer(first, true);
  const std::string before = ledger_->proposal(late).study();
  const Proposal& again = ledger_->meet_incumbent(late, kLevel);
  EXPECT_EQ(again.opponent, first);
  EXPECT_EQ(again.round, 2);
  EXPECT_EQ(again.level, level(3));
  EXPECT_NE(again.study(), before);
  begin_again();
  EXPECT_EQ(ledger_->night("", "p").confirmed, 3U);
  EXPECT_EQ(ledger_->proposal(late).opponent, first);
}

TEST_F(ServiceLedgerTest, SettlingMeetsTheProblemsOwnAndSpendsNothing) {
  const std::uint64_t first = ask("a");
  answer(first, true);
  const std::uint64_t settle = ask("end", Stage::kHoldOut, "", true);
  EXPECT_EQ(ledger_->proposal(settle).opponent, 0U);
  EXPECT_EQ(ledger_->proposal(settle).level, kLevel);
  EXPECT_EQ(ledger_->night("", "p").confirmed, 1U);
  begin_again();
  EXPECT_EQ(ledger_->night("", "p").confirmed, 1U);
}

TEST_F(ServiceLedgerTest, WhatWasAskedAndAnsweredOutlivesTheProcess) {
  const std::uint64_t first = ask("a"), second = ask("b"), third = ask("c", Stage::kCheck);
  answer(second, true, 0.5);  // kept in another order than asked
  answer(first, true, 0.9);
  begin_again();
  EXPECT_THAT(ledger_->night("", "p").kept, ElementsAre(second, first));
  EXPECT_DOUBLE_EQ(ledger_->night("", "p").gains, 0.45);
  EXPECT_THAT(ledger_->open(), ElementsAre(third));
  const Proposal* known = ledger_->find("", "c");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->number, third);
  EXPECT_EQ(known->stage, Stage::kCheck);
  EXPECT_EQ(known->source, "/x/c.cc");
  EXPECT_EQ(known->priority, 3);
  EXPECT_EQ(known->weight, 2);
  EXPECT_EQ(known->deadline, 1.7e9);
  EXPECT_EQ(known->most_time, 9);
  ASSERT_NE(ledger_->answer_to(first), nullptr);
  EXPECT_EQ((*ledger_->answer_to(first))["kept"], true);
  EXPECT_EQ(ask("d"), 4U);
}

TEST_F(ServiceLedgerTest, WhatWasJudgedAgainstTheIncumbentIsKnown) {
  const auto like = [](const std::string& content, Stage stage = Stage::kHoldOut) {
    Proposal proposal;
    proposal.problem = "p";
    proposal.content = content;
    proposal.stage = stage;
    return proposal;
  };
  const auto judged = [&](const std::string& content, const char* verdict, bool kept = false) {
    Proposal proposal = like(content);
    (void)ledger_->begin(proposal);
    const std::uint64_t number = proposal.number;
    ledger_->enter(std::move(proposal), kLevel);
    ledger_->answer(number, {{"verdict", verdict}}, kept);
    return number;
  };
  const std::uint64_t slow = judged("slow", "not_faster");
  (void)judged("unknown", "undecided");
  EXPECT_EQ(ledger_->judged_before(like("slow")), slow);
  EXPECT_EQ(ledger_->judged_before(like("slow", Stage::kCheck)), slow);
  EXPECT_EQ(ledger_->judged_before(like("unknown")), 0U);
  EXPECT_EQ(ledger_->judged_before(like("new")), 0U);
  EXPECT_EQ(ledger_->judged_before(like("")), 0U);
  begin_again();
  EXPECT_EQ(ledger_->judged_before(like("slow")), slow);
  Proposal again = like("slow");
  again.same_as = slow;
  (void)ledger_->begin(again);
  const std::uint64_t confirmed = ledger_->night("", "p").confirmed;
  ledger_->enter(std::move(again), kLevel);
  EXPECT_EQ(ledger_->night("", "p").confirmed, confirmed) << "nothing is spent on it";
  (void)judged("fast", "faster", true);
  EXPECT_EQ(ledger_->judged_before(like("slow")), 0U) << "there is another incumbent";
  EXPECT_EQ(ledger_->judged_before(like("fast")), 0U) << "it is the incumbent itself";
}

TEST_F(ServiceLedgerTest, AnIdIsItsClientsOwn) {
  const std::uint64_t one = ask("a", Stage::kHoldOut, "one");
  const std::uint64_t two = ask("a", Stage::kHoldOut, "two");
  EXPECT_EQ(ledger_->find("one", "a")->number, one);
  EXPECT_EQ(ledger_->find("two", "a")->number, two);
  EXPECT_EQ(ledger_->find("", "a"), nullptr);
}

// Killed between the folder and the request: nobody was promised anything.
TEST_F(ServiceLedgerTest, AFolderWithoutARequestWasNeverAsked) {
  Proposal proposal;
  const std::string folder = ledger_->begin(proposal);
  std::ofstream(folder + "/request.json") << R"({"id": "a)";
  begin_again();
  EXPECT_EQ(ledger_->count(), 0U);
  EXPECT_THAT(ledger_->open(), IsEmpty());
  EXPECT_EQ(ask("a"), 2U);  // its sources are not mixed with those of the other
}

}  // namespace
}  // namespace nightshift::tools
