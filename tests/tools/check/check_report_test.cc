#include "tools/check/check_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "search/expression.h"
#include "tests/tools/told_study.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CheckReport told_report() {
  CheckReport report;
  report.file = "sgemm.toml";
  report.reading = {tests::told_problem(), true};
  report.reading.problem.notes = {"a Default is odd"};
  report.space = CheckedSpace{8, true, 8};
  report.drawn = {{tests::told_configuration(2), evaluator::DryRun{}, ""},
                  {tests::told_configuration(4), {}, "block.x is 4096"}};
  evaluator::DryRun run;
  run.cases.push_back({{},
                       {"c++", "-DNAME=a b"},
                       {{"x", "float32", false, "in", 1024, 4096, "", "w"}},
                       {{"f", {2, 3, 1}, {64, 1, 1}, {1, 1, 1}, 2048, false, {"x"}},
                        {"g", {8, 1, 1}, {64, 1, 1}, {1, 1, 1}, 0, true, {"x"}}}});
  report.baseline = CheckedConfiguration{tests::told_configuration(1), run, ""};
  return report;
}

TEST(CheckReport, SaysWhetherConfigurationsAreDrawnOrAll) {
  CheckReport report = told_report();
  report.seed = 7;
  EXPECT_THAT(check_text(report), HasSubstr("\n2 random configurations (seed 7)\n"));
  report.space = CheckedSpace{2, true, 8};
  EXPECT_THAT(check_text(report),
              AllOf(HasSubstr("\nAll 2 configurations\n"), Not(HasSubstr("seed"))));
  report.space = CheckedSpace{2, false, 8};
  EXPECT_THAT(check_text(report), HasSubstr("2 random configurations"));
  report.drawn.pop_back();
  report.space = CheckedSpace{1, true, 8};
  EXPECT_THAT(check_text(report), HasSubstr("\nThe only configuration\n"));
}

TEST(CheckReport, TellsPeopleWhatWouldHappen) {
  EXPECT_TRUE(is_good(told_report()));
  EXPECT_THAT(
      check_text(told_report()),
      AllOf(HasSubstr("2 parameters, 0 constraints: 8 configurations of 8 combinations"),
            HasSubstr("a Default is odd"), HasSubstr("cannot be: block.x is 4096"),
            HasSubstr("c++ '-DNAME=a b'"),
            HasSubstr("in float32, 1,024 elements, 4 KiB, also copied into the "
                      "__constant__ array w"),
            HasSubstr("f: grid 2 x 3 x 1, block 64 x 1 x 1, 2 KiB of dynamic shared "
                      "memory, (x)"),
            HasSubstr("of dynamic shared memory, programmatic, (x)"), Not(HasSubstr("Mistakes"))));
}

TEST(CheckReport, TellsProgramsTheSame) {
  const auto json = check_json(told_report());
  EXPECT_EQ(json.at("space").at("configurations"), 8);
  EXPECT_EQ(json.at("baseline").at("cases").at(0).at("launches").at(0).at("grid"),
            nlohmann::ordered_json({2, 3, 1}));
  EXPECT_EQ(json.at("baseline").at("cases").at(0).at("launches").at(1).at("programmatic"), true);
  EXPECT_EQ(json.at("configurations").at(1).at("wrong"), "block.x is 4096");
  EXPECT_TRUE(json.at("configurations").at(0).at("wrong").is_null());
}

TEST(CheckReport, TellsWhatConfigurationsAreThoughtToCost) {
  CheckReport report = told_report();
  EXPECT_THAT(check_text(report), Not(HasSubstr("expected cost")));
  EXPECT_TRUE(check_json(report).at("configurations").at(0).at("expected").is_null());
  const std::string name = report.drawn[0].configuration.entries().front().first;
  search::SchedulingSettings& scheduling = report.reading.problem.scheduling;
  scheduling.expected = {search::Expression::parse("3 * " + name)};
  scheduling.starts = {tests::told_configuration(1)};
  const search::Configuration baseline = search::resolved(report.reading.problem, {});
  const double ratio = search::as_number(*report.drawn[0].configuration.find(name)) /
                       search::as_number(*baseline.find(name));
  EXPECT_THAT(check_text(report),
              HasSubstr("expected cost: " + format_number(ratio) + " times the baseline's"));
  EXPECT_DOUBLE_EQ(check_json(report).at("configurations").at(0).at("expected"), ratio);
  // Multiprocessors are not known.
  scheduling.expected = {search::Expression::parse("SM_COUNT * " + name)};
  EXPECT_THAT(check_text(report), Not(HasSubstr("expected cost")));
  scheduling.multiprocessors = 78;
  EXPECT_THAT(check_text(report), HasSubstr("expected cost"));
}

TEST(CheckReport, AMistakeIsNoGood) {
  CheckReport report = told_report();
  report.reading.mistakes.push_back({"sgemm.toml", 3, 1, "unknown key 'nmae'"});
  EXPECT_FALSE(is_good(report));
  EXPECT_THAT(check_text(report), HasSubstr("sgemm.toml:3:1: unknown key 'nmae'"));
  EXPECT_EQ(check_json(report).at("mistakes").at(0).at("line"), 3);
  report = told_report();
  report.baseline->wrong = "no grid";
  EXPECT_FALSE(is_good(report));
}

TEST(CheckReport, HugeCountsAreTextsForPrograms) {
  CheckReport report = told_report();
  report.space->size = base::Wide{1} << 100;
  EXPECT_EQ(check_json(report).at("space").at("configurations"), "1267650600228229401496703205376");
}

}  // namespace
}  // namespace nightshift::tools
