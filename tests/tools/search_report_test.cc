#include "tools/bench/search/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"
#include "tools/bench/search/json_report.h"
#include "tools/bench/search/memory.h"
#include "tools/bench/search/options.h"
#include "tools/bench/search/svg_plot.h"
#include "tools/usage_error.h"

namespace nightshift::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSpace = problems::data_file("stencil.json");

Options parsed(std::vector<std::string> arguments) {
  arguments.push_back(kSpace);
  return std::get<Options>(parse_options(arguments));
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto result = parse_options(arguments);
  const Answer* answer = std::get_if<Answer>(&result);
  if (answer == nullptr) return "accepted";
  EXPECT_EQ(answer->code, 2);
  return answer->text;
}

TEST(Options, HaveDefaults) {
  const Options o = parsed({"--searchers", "random,pattern"});
  EXPECT_EQ(o.searchers, (std::vector<std::string>{"random", "pattern"}));
  EXPECT_EQ(o.seeds, 60U);
  EXPECT_EQ(o.replay.budget, 400U);
  EXPECT_EQ(o.replay.outstanding, 1U);
  EXPECT_EQ(o.replay.noise_repeats, 0U);
  EXPECT_TRUE(o.replay.tell_baseline);
}

TEST(Options, SpacesFollowAnyOption) {
  EXPECT_EQ(parsed({"--searchers", "random"}).spaces, std::vector<std::string>{kSpace});
  const Options o = parsed({"--searchers", "random", "--searchers", "pattern", "--peers", "a.json",
                            "--peers", "b.json"});
  EXPECT_EQ(o.spaces, std::vector<std::string>{kSpace});
  EXPECT_EQ(o.searchers, (std::vector<std::string>{"random", "pattern"}));
  EXPECT_EQ(o.peers, (std::vector<std::string>{"a.json", "b.json"}));
}

TEST(Options, BudgetHoldsForFiguresToo) {
  EXPECT_EQ(parsed({"--searchers", "random", "--budget", "30"}).figures.budget, 30U);
  EXPECT_FALSE(parsed({"--searchers", "random", "--no-baseline"}).replay.tell_baseline);
}

TEST(Options, AllIsEverySearcherButExhaustive) {
  const Options o = parsed({"--searchers", "all,random"});
  EXPECT_THAT(o.searchers, testing::Contains("pattern"));
  EXPECT_THAT(o.searchers, Not(testing::Contains("exhaustive")));
  EXPECT_EQ(std::count(o.searchers.begin(), o.searchers.end(), "random"), 1);
}

TEST(Options, MistakesAreToldWithCodeTwo) {
  EXPECT_THAT(refusal({"--searchers", "nosuch", kSpace}), HasSubstr("nosuch"));
  for (const char* wrong : {"genetic:crossover", "genetic:crossover=", "genetic:crossover=2",
                            "genetic:=1", "genetic:tournament=half", "genetic:nosuch=1"}) {
    EXPECT_THAT(refusal({"--searchers", wrong, kSpace}), HasSubstr("option")) << wrong;
  }
  EXPECT_THAT(refusal({"--searchers", "random", "nosuch.json"}), HasSubstr("nosuch.json"));
  EXPECT_THAT(refusal({"--searchers", "random", "--seeds", "0", kSpace}), HasSubstr("--seeds"));
  EXPECT_THAT(refusal({"--searchers", "random", "--budget", "x", kSpace}), HasSubstr("--budget"));
  EXPECT_THAT(refusal({"--searchers", "random"}), HasSubstr("SPACE"));
  EXPECT_THAT(refusal({kSpace}), HasSubstr("--searchers"));
}

TEST(Options, HelpNamesTheSearchers) {
  const auto result = parse_options({"--help"});
  const Answer& answer = std::get<Answer>(result);
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.text, HasSubstr("pattern"));
}

class SearchReport : public testing::Test {
 protected:
  static Options options() {
    Options o = parsed({"--searchers", "random,pattern", "--seeds", "8", "--budget", "40",
                        "--samples", "50", "--threads", "2", "--against", "random"});
    return o;
  }
};

TEST_F(SearchReport, TablesHaveASearcherARowAndTheCalibrationBelow) {
  const Options o = options();
  const std::string text = text_report(measure(o), o);
  EXPECT_THAT(text, HasSubstr("stencil: 70 configurations, 4 failures, optimum 1.02"));
  EXPECT_THAT(text, HasSubstr("at 40"));
  EXPECT_THAT(text, HasSubstr("mean fraction minus that of random"));
  EXPECT_THAT(text, HasSubstr("below random search"));
  EXPECT_THAT(text, HasSubstr("calibration: random scores"));
  EXPECT_THAT(text, HasSubstr(": agrees"));
}

TEST_F(SearchReport, SaysThatCostsWereExpected) {
  const problems::ScratchFolder folder;
  Options o = options();
  EXPECT_THAT(text_report(measure(o), o), Not(HasSubstr("costs expected")));
  o.expected = folder.write("expected.json", R"({"stencil": "1"})");
  const Results results = measure(o);
  EXPECT_THAT(text_report(results, o), HasSubstr(", costs expected in 1 of 1 spaces\n"));
  EXPECT_EQ(nlohmann::json::parse(json_report(results, o))["settings"]["expected"], o.expected);
}

TEST_F(SearchReport, ScoresOfASmallSpaceStayFinite) {
  const Results results = measure(options());
  EXPECT_LE(std::abs(results.calibration.score.value), 10);
  if (results.calibration.score_time) {
    EXPECT_LE(std::abs(results.calibration.score_time->value), 100);
  }
}

TEST_F(SearchReport, ComparisonNeedsANameThatRuns) {
  Options o = options();
  o.against = "exhaustive";
  EXPECT_THROW(measure(o), tools::UsageError);
}

TEST_F(SearchReport, JsonHasEveryGroupWithFiguresAndCurves) {
  const Options o = options();
  const auto json = nlohmann::json::parse(json_report(measure(o), o));
  EXPECT_EQ(json["checkpoints"], (std::vector<int>{25, 40}));
  EXPECT_TRUE(json["calibration"]["agrees"]);
  const auto& searchers = json["groups"][0]["searchers"];
  ASSERT_EQ(searchers.size(), 2U);
  EXPECT_EQ(searchers[1]["name"], "pattern");
  EXPECT_EQ(searchers[1]["curve"]["mean"].size(), 40U);
  const auto& mean = searchers[1]["fraction"][0]["mean"];
  EXPECT_LE(mean["low"], mean["value"]);
  EXPECT_EQ(json["groups"].back()["kind"], "all");
}

TEST_F(SearchReport, FiguresDoNotDependOnThreads) {
  Options one = options(), three = options();
  one.threads = 1;
  three.threads = 3;
  const Results a = measure(one), b = measure(three);
  for (std::size_t s = 0; s < 2; ++s) {
    const Figures &x = *a.searchers[s].spaces[0], &y = *b.searchers[s].spaces[0];
    EXPECT_EQ(x.at[0].mean.replicates, y.at[0].mean.replicates);
    EXPECT_EQ(x.score_evaluations.replicates, y.score_evaluations.replicates);
    ASSERT_EQ(x.score_time.has_value(), y.score_time.has_value());
    if (!x.score_time) continue;
    EXPECT_EQ(x.score_time->replicates, y.score_time->replicates);
  }
}

TEST(Groups, AreSpacesKernelsAndAll) {
  std::vector<ReplaySpace> spaces;
  spaces.push_back(ReplaySpace::read(kSpace));
  spaces.push_back(ReplaySpace::read(problems::data_file("stencil.T4.json")));
  const std::vector<Group> groups = groups_of(spaces);
  ASSERT_EQ(groups.size(), spaces[0].kernel() == spaces[1].kernel() ? 3U : 5U);
  EXPECT_EQ(groups.back().name, "all 2 spaces");
  EXPECT_EQ(groups.back().members.size(), 2U);
}

TEST(MemoryGrowth, IsMeasuredInAChild) {
  const ReplaySpace space = ReplaySpace::read(kSpace);
  EXPECT_TRUE(memory_growth("random", space, {}).has_value());
}

TEST(ConvergencePlot, DrawsLinesBandsAndNames) {
  const std::string svg =
      convergence_plot("a <b> & c", {1, 10, 100},
                       {{"one", {0.2, 0.5, 1}, {{0.1, 0.3}, {0.4, 0.6}, {1, 1}}, false},
                        {"two", {0.3, 0.4, 0.5}, {}, true}});
  EXPECT_THAT(svg, HasSubstr("a &lt;b> &amp; c"));
  EXPECT_THAT(svg, HasSubstr("<polygon"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray"));
  EXPECT_THAT(svg, HasSubstr("two 0.500"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(ConvergencePlot, BearsASingleEvaluation) {
  const std::string svg = convergence_plot("one", {1}, {{"x", {1}, {}, false}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace nightshift::bench
