#include "tools/compare/comparison_report.h"

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

search::Verdict verdict_of(search::Acceptance acceptance, double ratio, search::Interval interval) {
  search::Verdict v;
  v.acceptance = std::move(acceptance);
  v.ratio = ratio;
  v.interval = interval;
  v.p_value = 0.0004;
  v.looks = {{16, -std::log(ratio), 0.001, 0.0004, 0.0014}};
  v.devices = {{"node/cpu:1", 16, 0, -std::log(ratio), 0.001}};
  return v;
}

struct Reports : ::testing::Test {
  Reports() {
    problem.acceptance.min_improvement = 0.005;
    report.problem = &problem;
    report.devices = {{"node", "cpu:1", "CPU", {1}}};
    report.names = {"baseline", "X=2"};
    report.configurations[1] = search::Configuration({{"X", std::int64_t{2}}});
    report.pair_sd = 0.01;
    report.seed = 77;
    for (int pair = 0; pair < 16; ++pair) {
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        scheduler::Ranking::Record r;
        r.round = pair;
        r.contender = side;
        r.figures = {{(side == 1 ? 9.0 : 10.0) * (1 + 0.001 * (pair % 5)), 0}};
        report.records.push_back(r);
      }
    }
  }
  std::string text(const search::Verdict& v) {
    report.verdict = v;
    return to_text(document_of(report));
  }
  search::Problem problem;
  ComparisonReport report;
};

TEST(ComparisonOutcomes, AreWhatTheVerdictAndTheSmallestDifferenceSay) {
  using O = ComparisonOutcome;
  const search::Interval any{0.5, 2};
  const auto outcome = [&](const search::Acceptance& a, double ratio) {
    return outcome_of(verdict_of(a, ratio, any), 0.005);
  };
  EXPECT_EQ(outcome(search::Accept{}, 0.9), O::kSecondBetter);
  EXPECT_EQ(outcome(search::Accept{}, 1.1), O::kSecondWorse);
  EXPECT_EQ(outcome(search::Accept{}, 0.996), O::kNoDifference);
  EXPECT_EQ(outcome(search::Accept{}, 1.004), O::kNoDifference);
  EXPECT_EQ(outcome(search::Accept{}, 0.9949), O::kSecondBetter);
  EXPECT_EQ(outcome(search::Reject{}, 0.9), O::kNoDifference);
  EXPECT_EQ(outcome(search::Undecided{}, 0.9), O::kUndecided);
  EXPECT_EQ(exit_code_of(O::kNoDifference), ExitCode::kSuccess);
  EXPECT_EQ(exit_code_of(O::kSecondBetter), ExitCode::kSecondBetter);
  EXPECT_EQ(exit_code_of(O::kSecondWorse), ExitCode::kSecondWorse);
  EXPECT_EQ(exit_code_of(O::kUndecided), ExitCode::kStudyFailed);
}

TEST_F(Reports, SayHowMuchWithTheEndsAlongTheChange) {
  EXPECT_THAT(text(verdict_of(search::Accept{"x"}, 0.9, {0.89, 0.92})),
              AllOf(HasSubstr("The second is better: time 10.00 % lower [8.00 %, 11.00 %]"),
                    HasSubstr("after 16 pairs"), HasSubstr("--seed 77"), HasSubstr("X=2"),
                    Not(HasSubstr("nine times out"))));
  EXPECT_THAT(text(verdict_of(search::Accept{"x"}, 1.1, {1.08, 1.13})),
              HasSubstr("The second is worse: time 10.00 % higher [8.00 %, 13.00 %]"));
  EXPECT_THAT(text(verdict_of(search::Reject{"x"}, 1.01, {0.99, 1.03})),
              AllOf(HasSubstr("No difference shown: second's time 1.00 % higher [-1.00 %, 3.00 %]"),
                    HasSubstr("nine times out")));
  EXPECT_THAT(text(verdict_of(search::Reject{"x"}, 1.001, {0.998, 1.003})),
              HasSubstr("No difference of 0.50 % or more"));
  EXPECT_THAT(text(verdict_of(search::Accept{"x"}, 1.001, {1.0005, 1.0015})),
              HasSubstr("A difference, but less than the 0.50 % worth mentioning"));
}

TEST_F(Reports, SpeakInTheDirectionOfTheObjective) {
  problem.objectives[0] = {"rate", "GB/s", search::Direction::kMaximise};
  EXPECT_THAT(text(verdict_of(search::Accept{"x"}, 0.8, {0.78125, 0.8333333333})),
              HasSubstr("The second is better: rate 25.00 % higher [20.00 %, 28.00 %]"));
  EXPECT_THAT(text(verdict_of(search::Accept{"x"}, 1.25, {1.2, 1.3})),
              HasSubstr("The second is worse: rate 20.00 % lower [16.67 %, 23.08 %]"));
}

TEST_F(Reports, NameEachDeviceAndWhetherTheyAgree) {
  report.devices.push_back({"node", "cpu:2", "CPU", {2}});
  search::Verdict v = verdict_of(search::Accept{"x"}, 0.9, {0.89, 0.92});
  v.devices.push_back({"node/cpu:2", 16, 3, 0.2, 0.002});
  v.heterogeneity = {0.001, 0.05, {0, 0}, true};
  EXPECT_THAT(text(v),
              AllOf(HasSubstr("on node/cpu:1"), HasSubstr("on node/cpu:2"),
                    HasSubstr("3 void pairs"), HasSubstr("How much depends on the device")));
}

TEST_F(Reports, RemarkThatBothAreTheSameCode) {
  report.same_code = true;
  EXPECT_THAT(text(verdict_of(search::Reject{"x"}, 1.01, {0.99, 1.03})),
              HasSubstr("No difference: " + search::one_code_words("both")));
}

TEST_F(Reports, SayByWhatTwoOutputsAgreed) {
  const search::Verdict none = verdict_of(search::Reject{"x"}, 1.01, {0.99, 1.03});
  EXPECT_THAT(text(none), Not(HasSubstr("outputs")));
  EXPECT_EQ(json_of(report).at("check"), nullptr);
  report.check = "cmp -s";
  EXPECT_THAT(text(none), HasSubstr("their outputs agreed, by cmp -s."));
  EXPECT_EQ(json_of(report).at("check"), "cmp -s");
}

TEST_F(Reports, UndecidedOnesSayWhy) {
  search::Verdict v;
  v.acceptance = search::Undecided{"node/cpu:1 was lost"};
  v.interval = {0, std::numeric_limits<double>::infinity()};
  EXPECT_THAT(text(v), HasSubstr("Undecided: node/cpu:1 was lost"));
  EXPECT_EQ(json_of(report).at("interval").at(1), nullptr);
}

TEST_F(Reports, PagesHaveTheVerdictTheFiguresAndTheEvaluations) {
  report.names[1] = "<b>|X";
  report.verdict = verdict_of(search::Accept{"x"}, 0.9, {0.89, 0.92});
  const std::string html = to_html(document_of(report));
  EXPECT_THAT(html,
              AllOf(HasSubstr("class=\"verdict good\">The second is better: time 10.00 % lower"),
                    HasSubstr("9.018"), HasSubstr("&lt;b&gt;|X"), Not(HasSubstr("<b>|X")),
                    HasSubstr("<svg")));
  const std::string markdown = to_markdown(document_of(report));
  EXPECT_THAT(markdown, AllOf(HasSubstr("The second is better"), HasSubstr("| second |"),
                              Not(HasSubstr("<b>|X")), Not(HasSubstr("<details>"))));
  report.verdict = verdict_of(search::Accept{"x"}, 1.1, {1.08, 1.13});
  EXPECT_THAT(to_html(document_of(report)), HasSubstr("class=\"verdict bad\""));
}

TEST_F(Reports, JsonHasTheMembersThatScriptsRestOn) {
  report.verdict = verdict_of(search::Accept{"x"}, 0.9, {0.89, 0.92});
  const auto json = json_of(report);
  EXPECT_EQ(json.at("outcome"), "second_better");
  EXPECT_EQ(json.at("ratio"), 0.9);
  EXPECT_EQ(json.at("interval"), nlohmann::ordered_json({0.89, 0.92}));
  EXPECT_EQ(json.at("pairs"), 16);
  EXPECT_EQ(json.at("second").at("configuration").at("X"), 2);
  EXPECT_DOUBLE_EQ(json.at("second").at("objectives").at("time").at("value"), 9.018);
  EXPECT_EQ(json.at("devices").at(0).at("visits").at("first").size(), 16U);
  EXPECT_EQ(json.at("seed"), 77);
}

}  // namespace
}  // namespace nightshift::tools
