#include "tools/bisect/bisect_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "search/importance/one_code.h"

namespace nightshift::tools {
namespace {

using Finding = search::Bisection::Finding;
using ::testing::HasSubstr;
using ::testing::Not;

search::Verdict verdict(double ratio) {
  search::Verdict v;
  v.ratio = ratio;
  v.interval = {0.99 * ratio, 1.01 * ratio};
  v.p_value = 1e-6;
  return v;
}

BisectReport found() {
  BisectReport report;
  report.kind = "commit";
  report.points = 9;
  report.ends = ComparisonOutcome::kSecondWorse;
  report.looked_at = {{0, "aaaa", "begin", Finding::kGood, "", {}},
                      {8, "eeee", "end", Finding::kBad, "", verdict(1.2)},
                      {4, "bbbb", "middle", Finding::kSkipped, "it does not build", {}},
                      {3, "cccc", "early", Finding::kGood, "", verdict(1.0)},
                      {5, "dddd", "<late>", Finding::kBad, "", verdict(1.19)}};
  report.first_bad = 5;
  report.last_good = 3;
  report.suspects = {4};
  report.step = verdict(1.19);
  return report;
}

TEST(BisectReport, NamesTheFirstBadOneOrAllThatMayBeIt) {
  BisectReport report = found();
  EXPECT_THAT(bisect_text(report),
              HasSubstr("Worse from one of these commits on: bbbb (middle), dddd (<late>)"));
  report.suspects.clear();
  const std::string text = bisect_text(report);
  EXPECT_THAT(text, HasSubstr("The first commit that is worse: dddd (<late>)"));
  EXPECT_THAT(text, HasSubstr("Against cccc (early), the last that is not: time 19.00 % higher "
                              "[17.81 %, 20.19 %]"));
  EXPECT_LT(text.find("aaaa"), text.find("bbbb")) << "in their order";
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondWorse);
}

TEST(BisectReport, WhatEndsEarlySaysSo) {
  BisectReport report = found();
  report.first_bad.reset();
  report.stopped = true;
  EXPECT_THAT(bisect_text(report), HasSubstr("It ended before anything was found."));
  EXPECT_EQ(exit_code_of(report), ExitCode::kInterrupted);
  report.stopped = false;
  report.broken = "eeee: it does not build";
  EXPECT_THAT(bisect_text(report), HasSubstr("Nothing can be found: eeee: it does not build."));
  EXPECT_EQ(exit_code_of(report), ExitCode::kStudyFailed);
}

TEST(BisectReport, EndsThatDoNotDifferAreAnAnswer) {
  BisectReport report = found();
  report.first_bad.reset();
  report.step.reset();
  report.ends = ComparisonOutcome::kNoDifference;
  EXPECT_THAT(bisect_text(report), HasSubstr("The ends do not differ"));
  EXPECT_EQ(exit_code_of(report), ExitCode::kSuccess);
  report.ends = ComparisonOutcome::kSecondBetter;
  EXPECT_THAT(bisect_text(report), HasSubstr("The last is better than the first"));
  EXPECT_EQ(exit_code_of(report), ExitCode::kSecondBetter);
  report.equal_ends = true;
  EXPECT_THAT(bisect_text(report), HasSubstr(search::one_code_words("Both ends") + "."));
}

TEST(BisectReport, TheObjectNamesCommits) {
  const auto object = bisect_json(found());
  EXPECT_EQ(object["outcome"], "second_worse");
  EXPECT_EQ(object["first_bad"], "dddd");
  EXPECT_EQ(object["last_good"], "cccc");
  EXPECT_EQ(object["suspects"].dump(), R"(["bbbb"])");
  EXPECT_EQ(object["looked_at"][2]["finding"], "skipped");
  EXPECT_TRUE(object["looked_at"][2]["against_first"].is_null());
}

}  // namespace
}  // namespace nightshift::tools
