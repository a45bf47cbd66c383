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
    ledger_->enter(std::move(proposal));
    return number;
  }
  const Proposal& meet(std::uint64_t number) { return ledger_->meet_incumbent(number, kLevel); }
  const Proposal& begin(const std::string& id, Stage stage = Stage::kHoldOut,
                        const std::string& client = "") {
    return meet(ask(id, stage, client));
  }
  void answer(std::uint64_t number, bool kept = false, double ratio = 0.5) {
    ledger_->answer(number, {{"verdict", "x"}, {"ratio", ratio}, {"level", 1}}, kept);
  }
  void answer_without_duel(std::uint64_t number) {
    ledger_->answer(number, {{"verdict", "refused"}}, false);
  }
  std::size_t spent() const { return ledger_->night("", "p").levels.size(); }
  static double level(std::uint64_t number) {
    return search::night_level(kLevel, number, kExpected);
  }

  std::string folder_;
  std::optional<ServiceLedger> ledger_;
};

TEST_F(ServiceLedgerTest, EveryConfirmationHasALevelOfItsOwn) {
  EXPECT_EQ(begin("a").level, level(1));
  EXPECT_EQ(begin("b", Stage::kConfirm).level, level(2));
  (void)begin("c", Stage::kScreen);
  EXPECT_EQ(begin("d").level, level(3));
  EXPECT_EQ(begin("e", Stage::kHoldOut, "another").level, level(1));
  EXPECT_EQ(spent(), 3U);
}

TEST_F(ServiceLedgerTest, ALevelIsTakenWhenTheDuelMayBeginAndNotBefore) {
  const std::uint64_t first = ask("a");
  EXPECT_EQ(spent(), 0U);
  EXPECT_FALSE(ledger_->proposal(first).has_met());
  EXPECT_TRUE(meet(first).has_met());
  EXPECT_EQ(spent(), 1U);
  begin_again();
  EXPECT_EQ(meet(first).levels, ledger_->proposal(first).levels);
  EXPECT_EQ(spent(), 1U) << "it was killed before the round's study began: the same level";
}

TEST_F(ServiceLedgerTest, WhoHadNoDuelGivesItsLevelBack) {
  for (int i = 0; i < 3 * static_cast<int>(kExpected); ++i) {
    const Proposal& one = begin("broken " + std::to_string(i));
    EXPECT_EQ(one.level, level(1));
    answer_without_duel(one.number);
  }
  const std::uint64_t slow = begin("slow").number;
  const std::uint64_t broken = begin("broken").number;
  answer(slow);
  answer_without_duel(broken);
  EXPECT_EQ(spent(), 1U);
  begin_again();
  EXPECT_EQ(spent(), 1U);
  EXPECT_EQ(begin("next").level, level(2));
}

TEST_F(ServiceLedgerTest, WhatIsAskedAgainHasNoAnswerAndAnotherRoundAtALevelOfItsOwn) {
  const std::uint64_t broken = begin("broken").number;
  const std::uint64_t met = begin("met").number;
  answer_without_duel(broken);
  answer(met);
  for (const std::uint64_t number : {broken, met}) {
    const Proposal& again = ledger_->ask_again(number, 1.8e9);
    EXPECT_EQ(again.round, 2U);
    EXPECT_EQ(again.deadline, 1.8e9);
    EXPECT_FALSE(again.has_met());
    EXPECT_EQ(ledger_->answer_to(number), nullptr);
  }
  EXPECT_THAT(ledger_->open(), ElementsAre(broken, met));
  EXPECT_EQ(spent(), 1U) << "that of the duel";
  EXPECT_EQ(meet(broken).level, level(1));
  EXPECT_EQ(meet(met).level, level(3));
  begin_again();
  EXPECT_THAT(ledger_->open(), ElementsAre(broken, met));
  EXPECT_EQ(spent(), 3U);
}

TEST_F(ServiceLedgerTest, WhoIsScreenedFirstTakesALevelForItsDuelAlone) {
  Proposal proposal;
  proposal.id = "a";
  proposal.problem = "p";
  proposal.screens = true;
  (void)ledger_->begin(proposal);
  const std::uint64_t number = proposal.number;
  ledger_->enter(std::move(proposal));
  EXPECT_EQ(meet(number).stage_now(), Stage::kScreen);
  EXPECT_EQ(spent(), 0U);
  begin_again();
  EXPECT_TRUE(ledger_->proposal(number).screens);
  const std::string first = ledger_->proposal(number).study();
  EXPECT_NE(ledger_->next_round(number).study(), first);
  EXPECT_EQ(meet(number).stage_now(), Stage::kHoldOut);
  EXPECT_EQ(spent(), 1U);
  begin_again();
  EXPECT_EQ(spent(), 1U);
}

TEST_F(ServiceLedgerTest, OneThatNeverMetAnybodyHasNothingToGiveBack) {
  const std::uint64_t held = begin("a").number;
  answer_without_duel(ask("cancelled while it waited"));
  EXPECT_THAT(ledger_->night("", "p").levels, ElementsAre(1U));
  const std::uint64_t late = begin("b").number;
  answer(held, true);
  (void)ledger_->next_round(late);
  answer_without_duel(late);
  EXPECT_EQ(spent(), 2U) << "that of its first round stays spent";
  begin_again();
  EXPECT_EQ(spent(), 2U);
}

TEST_F(ServiceLedgerTest, WhatIsKeptIsTheNextOnesOpponent) {
  const std::uint64_t first = begin("a").number;
  const std::uint64_t second = ask("b");
  EXPECT_EQ(ledger_->proposal(first).opponent, 0U);
  answer(first, true);
  EXPECT_EQ(meet(second).opponent, first) << "asked before that was kept, and begun after";
  answer(second, true, 0.8);
  EXPECT_THAT(ledger_->night("", "p").kept, ElementsAre(first, second));
  EXPECT_DOUBLE_EQ(ledger_->night("", "p").gains, 0.4);
  EXPECT_EQ(begin("c", Stage::kHoldOut, "another").opponent, 0U);
}

TEST_F(ServiceLedgerTest, AnotherRoundMeetsTheNewIncumbentAtALevelOfItsOwn) {
  const std::uint64_t first = begin("a").number;
  const std::uint64_t late = begin("b").number;
  answer(first, true);
  const std::string before = ledger_->proposal(late).study();
  EXPECT_NE(ledger_->next_round(late).study(), before);
  EXPECT_FALSE(ledger_->proposal(late).has_met());
  const Proposal& again = meet(late);
  EXPECT_EQ(again.opponent, first);
  EXPECT_EQ(again.round, 2);
  EXPECT_EQ(again.level, level(3));
  begin_again();
  EXPECT_EQ(spent(), 3U);
  EXPECT_EQ(ledger_->proposal(late).opponent, first);
}

TEST_F(ServiceLedgerTest, SettlingMeetsTheProblemsOwnAndSpendsNothing) {
  const std::uint64_t first = begin("a").number;
  answer(first, true);
  const std::uint64_t settle = meet(ask("a", Stage::kHoldOut, "", true)).number;
  EXPECT_EQ(ledger_->proposal(settle).opponent, 0U);
  EXPECT_EQ(ledger_->proposal(settle).level, kLevel);
  EXPECT_EQ(ledger_->find("", "a")->number, first) << "a candidate may be called the same";
  EXPECT_EQ(ledger_->find("", "a", true)->number, settle);
  EXPECT_EQ(spent(), 1U);
  begin_again();
  EXPECT_EQ(spent(), 1U);
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
    ledger_->enter(std::move(proposal));
    (void)meet(number);
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
  const std::size_t before = spent();
  ledger_->enter(std::move(again));
  EXPECT_EQ(spent(), before) << "nothing is spent on it";
  (void)judged("fast", "faster", true);
  EXPECT_EQ(ledger_->judged_before(like("slow")), 0U) << "there is another incumbent";
  EXPECT_EQ(ledger_->judged_before(like("fast")), 0U) << "it is the incumbent itself";
}

TEST_F(ServiceLedgerTest, ANightMayBeMoved) {
  Proposal proposal;
  proposal.id = "a";
  proposal.problem = "p";
  proposal.source = ledger_->begin(proposal) + "/source/candidate.cc";
  ledger_->enter(proposal);
  const std::string moved = folder_ + "-moved";
  std::filesystem::rename(folder_, moved);
  folder_ = moved;
  begin_again();
  EXPECT_EQ(ledger_->proposal(1).source, moved + "/candidates/000001/source/candidate.cc");
}

TEST_F(ServiceLedgerTest, WhatSomebodyElseWroteIsNoRequestAndEndsNothing) {
  const std::uint64_t mine = ask("a");
  for (const char* text :
       {"{}", R"({"id": 7})", "[]", "7", R"({"id": "x", "client": ""})", "\xff"}) {
    Proposal proposal;
    const std::string folder = ledger_->begin(proposal);
    std::ofstream(folder + "/request.json") << text;
  }
  std::ofstream(ledger_->folder_of(mine) + "/answer.json") << R"({"kept": "yes"})";
  begin_again();
  EXPECT_EQ(ledger_->count(), 1U);
  EXPECT_THAT(ledger_->open(), ElementsAre(mine));
  EXPECT_THAT(ledger_->night("", "p").kept, IsEmpty());
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

TEST_F(ServiceLedgerTest, WhatIsTakenBackLeavesWhatWasKeptBeforeIt) {
  const std::uint64_t first = begin("first").number, second = begin("second").number;
  answer(first, true, 0.5);
  answer(second, true, 0.8);
  Proposal settlement;
  settlement.id = "settle second";
  settlement.problem = "p";
  settlement.settles = true;
  settlement.settled = second;
  (void)ledger_->begin(settlement);
  const std::uint64_t number = settlement.number;
  ledger_->enter(settlement);
  (void)meet(number);
  ledger_->answer(number, {{"verdict", "not_faster"}, {"took_back", "second"}, {"level", 1}},
                  false);
  const std::uint64_t third = begin("third").number;
  EXPECT_EQ(ledger_->proposal(third).opponent, first);
  answer(third, true, 0.9);
  for (int killed = 0; killed < 2; ++killed) {
    const ServiceLedger::Night& night = ledger_->night("", "p");
    EXPECT_THAT(night.kept, ElementsAre(first, third));
    EXPECT_EQ(night.before_incumbent(), first);
    EXPECT_DOUBLE_EQ(night.gains, 0.45);
    EXPECT_TRUE(ledger_->was_taken_back(second));
    EXPECT_FALSE(ledger_->was_taken_back(first));
    begin_again();
  }
}

}  // namespace
}  // namespace nightshift::tools
