#include "evaluator/command/figures/unit_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;

// The unit of a number behind `before`, below these lines and before `below`.
std::string read(const std::vector<std::string_view>& above, std::string_view before,
                 std::string_view below = {}, const std::string& unit = "ms") {
  const FigureUnit wanted(search::Objective{"figure", unit, search::Direction::kMinimise});
  UnitLines lines;
  for (const std::string_view line : above) lines.pass(line, wanted);
  try {
    const search::UnitBeside found = lines.unit_of(before, below, wanted);
    if (found.unit != nullptr) return std::string(found.unit->name);
    return found.unknown.empty() ? "none" : "? " + std::string(found.unknown);
  } catch (const FigureError& e) {
    return e.what();
  }
}

TEST(UnitLines, ALineAboveNamesTheUnitOfATable) {
  const std::string_view heads = " expr   min    lq  mean";
  EXPECT_EQ(read({"Unit: microseconds", heads}, " f(x) 1.1 1.2 "), "us");
  EXPECT_EQ(read({"Unit: milliseconds", heads, " f(x) 1 2 3"}, " g(x) "), "ms");
  EXPECT_EQ(read({"Unit: seconds", heads, "f 1", "Unit: us", heads}, "f "), "us");
  EXPECT_EQ(read({"Unit: microseconds", heads}, "f ", "", ""), "us");
  EXPECT_EQ(read({"Unit: 100 ns", heads}, "f "), "? 100 ns");
  EXPECT_EQ(read({"Unit: MB", heads}, "f "), "none");
}

TEST(UnitLines, ASentenceMayNameIt) {
  for (const char* line : {"All times in microseconds.", "Times are in us", "(times in us)",
                           "Ran 10 rounds, all times in us:", "Latencies given in usec"}) {
    EXPECT_EQ(read({line, ""}, "foo "), "us") << line;
  }
  for (const char* line : {"Times in us and more", "Done in ms", "Time in us: 900", "sizes in MB",
                           "times in order", "name   time in us", "Name (time in us)   Min"}) {
    EXPECT_EQ(read({line, ""}, "foo "), "none") << line;
  }
  EXPECT_EQ(read({"All times in us"}, "foo ", "", ""), "none") << "it may be no time";
}

TEST(UnitLines, ALineOfUnitsMayStandBelowTheHeads) {
  EXPECT_EQ(read({"name      time", "          (us)"}, "foo        "), "us");
  EXPECT_EQ(read({"name,time", ",us"}, "foo,"), "us");
  EXPECT_EQ(read({"name time size", "(us) (MB)"}, "foo "), "us");
  for (const char* line : {"(us) (ns)", "(min)", "s", "us and more"}) {
    EXPECT_EQ(read({line}, "foo "), "none") << line;
  }
}

TEST(UnitLines, HoldUpToTheEndOfTheirTable) {
  EXPECT_EQ(read({"Times in us", "", "foo 3", "bar 4"}, "baz "), "us");
  EXPECT_EQ(read({"Times in us", "foo 3", ""}, "total: "), "none");
  EXPECT_EQ(read({"All times in us", "foo 3", ""}, "total: "), "us");
}

TEST(UnitLines, AMemberOfTheSameBlockMayNameIt) {
  EXPECT_EQ(read({"foo:"}, "  value: ", "  unit: us\n"), "us");
  EXPECT_EQ(read({"foo"}, "  time      : ", "  runs: 3\n  time unit : us\n"), "us");
  EXPECT_EQ(read({"- unit: us"}, "  value: "), "us");
  EXPECT_EQ(read({}, "- value: ", "  unit: us"), "us");
  EXPECT_EQ(read({}, "\"value\": ", "\"unit\": \"us\"\n"), "us");
  EXPECT_EQ(read({}, "value: ", "unit: us", ""), "us");
  EXPECT_EQ(read({}, "rounds: ", "unit: us", ""), "none") << "it may be a count";
  for (const char* below : {"\n  unit: us", "unit: us", "    unit: us", "  value: 3\n  unit: us",
                            "  unit: MB", "  unit: 3", ""}) {
    EXPECT_EQ(read({}, "  value: ", below), "none") << below;
  }
  EXPECT_EQ(read({}, "foo ", "unit: us"), "none") << "no member";
}

TEST(UnitLines, AboveAndBelowMayNotDiffer) {
  EXPECT_THAT(read({"unit: us"}, "value: ", "unit: ms"), HasSubstr("two units of it"));
  EXPECT_EQ(read({"unit: us"}, "value: ", "unit: us"), "us");
}

TEST(UnitLines, OfRecordsTheUnitStandsOnTheSameSideAlways) {
  const FigureUnit wanted(search::Objective{"figure", "ms", search::Direction::kMinimise});
  UnitLines lines;
  EXPECT_EQ(lines.unit_of("value: ", "unit: us\nvalue: 1\nunit: ms", wanted).unit->name, "us");
  lines.pass("value: 900", wanted);
  lines.pass("unit: us", wanted);
  EXPECT_EQ(lines.unit_of("value: ", "unit: ms", wanted).unit->name, "ms");
}

}  // namespace
}  // namespace nightshift::evaluator
