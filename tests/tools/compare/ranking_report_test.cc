#include "tools/compare/ranking_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "search/importance/one_code.h"
#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

search::RankedPair decided(std::size_t first, std::size_t second, double ratio, bool apart) {
  search::RankedPair pair{first, second, {}, search::Verdict{}, {ratio * 0.99, ratio * 1.01}};
  search::Verdict& v = *pair.verdict;
  v.ratio = ratio;
  v.p_value = apart ? 1e-9 : 0.4;
  v.looks = {{8, -std::log(ratio), 0.001, v.p_value, 0.003}};
  v.devices = {{"node/cpu:1", 8, 1, -std::log(ratio), 0.001}};
  v.interval = {ratio * 0.99, ratio * 1.01};
  if (apart) {
    v.acceptance = search::Accept{"it differs"};
  } else {
    v.acceptance = search::Reject{"it does not"};
  }
  return pair;
}

// Times of 10, 8 and 8.01 ms; the last two are not told apart.
struct Rankings : ::testing::Test {
  Rankings() {
    problem.name = "sums";
    problem.acceptance.min_improvement = 0.005;
    report.problem = &problem;
    report.devices = {{"node", "cpu:1", "CPU", {1}}};
    report.names = {"baseline", "X=2", "X=4"};
    report.configurations = {{},
                             search::Configuration({{"X", std::int64_t{2}}}),
                             search::Configuration({{"X", std::int64_t{4}}})};
    report.artifacts = {"aa", "bb", "cc"};
    report.seed = 77;
    const std::vector<double> times{10, 8, 8.01};
    for (int round = 0; round < 8; ++round) {
      for (std::size_t c = 0; c < 3; ++c) {
        scheduler::Ranking::Record r;
        r.round = round;
        r.contender = c;
        r.figures = {{times[c] * (1 + 0.001 * (round % 5)), 0}};
        report.records.push_back(r);
      }
    }
    judge({decided(0, 1, 0.8, true), decided(0, 2, 0.801, true), decided(1, 2, 1.00125, false)});
  }
  void judge(std::vector<search::RankedPair> pairs) {
    report.pairs = std::move(pairs);
    report.standings =
        search::standings_of(report.pairs, report.names.size(), problem.acceptance.min_improvement);
  }
  search::Problem problem;
  RankingReport report;
};

TEST_F(Rankings, OutcomesAreAboutTheFirst) {
  EXPECT_EQ(outcome_of(report), RankingOutcome::kAnotherBetter);
  judge({decided(0, 1, 1.2, true), decided(0, 2, 0.9, true), decided(1, 2, 0.75, true)});
  EXPECT_EQ(outcome_of(report), RankingOutcome::kAnotherBetter);
  judge({decided(0, 1, 1.2, true), decided(0, 2, 1.001, false), decided(1, 2, 0.83, true)});
  EXPECT_EQ(outcome_of(report), RankingOutcome::kOthersWorse);
  judge({decided(0, 1, 1.001, true), decided(0, 2, 1.002, false), decided(1, 2, 1.001, false)});
  EXPECT_EQ(outcome_of(report), RankingOutcome::kNoDifference);  // below what is worth mentioning
  report.undecided = "node/cpu:1 was lost";
  EXPECT_EQ(outcome_of(report), RankingOutcome::kUndecided);
  EXPECT_EQ(exit_code_of(RankingOutcome::kNoDifference), ExitCode::kSuccess);
  EXPECT_EQ(exit_code_of(RankingOutcome::kAnotherBetter), ExitCode::kSecondBetter);
  EXPECT_EQ(exit_code_of(RankingOutcome::kOthersWorse), ExitCode::kSecondWorse);
  EXPECT_EQ(exit_code_of(RankingOutcome::kUndecided), ExitCode::kStudyFailed);
}

TEST_F(Rankings, TextHasTheOrderWithGroupsAndDifferences) {
  EXPECT_THAT(
      to_text(document_of(report)),
      AllOf(HasSubstr("The best, which cannot be told apart: X=2 and X=4"),
            HasSubstr("1     a      time 8.012 ms"), HasSubstr("the best"),
            HasSubstr("time 0.12 % higher [-0.88 %, 1.13 %]"),  // of the interval, not of chance
            HasSubstr("3     b      time 10.01 ms"),
            HasSubstr("time 25.00 % higher [23.76 %, 26.26 %]"), HasSubstr("among all 3 pairs"),
            HasSubstr("--seed 77"), Not(HasSubstr("devices agree"))));
  judge({decided(0, 1, 0.8, true), decided(0, 2, 0.9, true), decided(1, 2, 1.125, true)});
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("The best is X=2, better than all others"));
  judge({decided(0, 1, 1.001, false), decided(0, 2, 1.001, false), decided(1, 2, 1, false)});
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("None of the 3 can be told apart from another"));
}

TEST_F(Rankings, SpeakInTheDirectionOfTheObjective) {
  problem.objectives[0] = {"rate", "GB/s", search::Direction::kMaximise};
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("rate 20.00 % lower"));
}

TEST_F(Rankings, RemarkWhatIsTheSameCode) {
  EXPECT_THAT(to_text(document_of(report)), Not(HasSubstr("one machine code")));
  report.artifacts[2] = "bb";
  EXPECT_THAT(to_text(document_of(report)), HasSubstr(search::one_code_words("X=2 and X=4")));
}

TEST_F(Rankings, SayWhereDevicesDisagree) {
  report.devices.push_back({"node", "cpu:2", "CPU", {2}});
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("The devices agree on what differs."));
  report.pairs[1].verdict->heterogeneity.depends = true;
  EXPECT_THAT(to_text(document_of(report)),
              HasSubstr("How much depends on the device: X=4 against baseline."));
}

TEST_F(Rankings, UndecidedOnesSayWhyAndRankNobody) {
  report.undecided = "node/cpu:1 was lost";
  report.standings.clear();
  for (search::RankedPair& p : report.pairs) p.verdict.reset();
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("Undecided: node/cpu:1 was lost"), Not(HasSubstr("share a letter"))));
  const auto json = json_of(report);
  EXPECT_EQ(json.at("outcome"), "undecided");
  EXPECT_TRUE(json.at("ranking").empty());
  EXPECT_TRUE(json.at("pairs").empty());
  EXPECT_THAT(to_html(document_of(report)), HasSubstr("class=\"verdict bad\">Undecided"));
}

TEST_F(Rankings, JsonHasTheMembersThatScriptsRestOn) {
  const auto json = json_of(report);
  EXPECT_EQ(json.at("outcome"), "another_better");
  EXPECT_EQ(json.at("ranking").at(0).at("name"), "X=2");
  EXPECT_EQ(json.at("ranking").at(0).at("ratio"), 1);
  EXPECT_EQ(json.at("ranking").at(2).at("contender"), 0);
  EXPECT_EQ(json.at("ranking").at(2).at("rank"), 3);
  EXPECT_EQ(json.at("ranking").at(2).at("groups"), nlohmann::ordered_json({"b"}));
  EXPECT_DOUBLE_EQ(json.at("ranking").at(2).at("ratio"), 1.25);
  EXPECT_EQ(json.at("ranking").at(1).at("configuration").at("X"), 4);
  EXPECT_EQ(json.at("ranking").at(1).at("artifact"), "cc");
  EXPECT_EQ(json.at("pairs").at(2).at("told_apart"), false);
  EXPECT_EQ(json.at("pairs").at(0).at("voided"), 1);
  EXPECT_EQ(json.at("devices").at(0).at("evaluations").at(1).size(), 8U);
  EXPECT_EQ(json.at("seed"), 77);
}

TEST_F(Rankings, NamesThatBeginAlikeAreThree) {
  const std::string begin = "FLAGS='" + std::string(80, 'f') + "',X=";
  for (std::size_t c = 0; c < 3; ++c) report.names[c] = begin + std::to_string(c);
  const std::string text = to_text(document_of(report));
  for (const char* end : {"X=0", "X=1", "X=2"})
    EXPECT_THAT(text, HasSubstr(std::string("...") + end));
}

TEST_F(Rankings, PagesTakeNamesOfAnyOrigin) {
  report.names[1] = "<i>|evil\n@you";
  report.notices = {"<u>source</u> has changed"};
  const std::string html = to_html(document_of(report));
  EXPECT_THAT(html, AllOf(HasSubstr("&lt;i&gt;|evil"), Not(HasSubstr("<i>")), Not(HasSubstr("<u>")),
                          HasSubstr("<svg"), HasSubstr("source")));
  const std::string markdown = to_markdown(document_of(report));
  EXPECT_THAT(markdown, AllOf(Not(HasSubstr("<i>")), HasSubstr("<details>"),
                              HasSubstr("| rank | group | time | against the best | what |")));
}

}  // namespace
}  // namespace nightshift::tools
