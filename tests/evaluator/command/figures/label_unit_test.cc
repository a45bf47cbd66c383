#include "evaluator/command/figures/label_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The unit that is read of "900" between two texts, or why none is.
std::string read(std::string_view before, std::string_view behind, const std::string& unit = "ms") {
  const FigureUnit wanted(search::Objective{"figure", unit, search::Direction::kMinimise});
  try {
    const search::UnitBeside found = label_unit(before, behind, wanted);
    if (found.unit != nullptr) return std::string(found.unit->name);
    return found.unknown.empty() ? "none" : "? " + std::string(found.unknown);
  } catch (const FigureError& e) {
    return e.what();
  }
}

TEST(LabelUnit, StandsInTheLabelOfTheNumber) {
  for (const char* before : {"time (us): ", "time [us] = ", "| time (us) | ", "time_us=",
                             "x=3 time_us: ", "\"time_us\": ", "time_us_mean = ", "(us) "}) {
    EXPECT_EQ(read(before, ""), "us") << before;
  }
  EXPECT_EQ(read("time (s): ", ""), "s");
  EXPECT_EQ(read("time (parsecs): ", ""), "? parsecs");
}

TEST(LabelUnit, IsReadOfANameByItsCapitalsToo) {
  for (const char* before : {"latencyUs: ", "p50us=", "wall p99us: ", "usPerOp = ", "timeUsMean: "})
    EXPECT_EQ(read(before, ""), "us") << before;
  for (const char* before : {"items: ", "terms=", "forums: ", "bus: ", "numItems: ", "top10us: ",
                             "opsPerUs: ", "cacheKB: ", "latencyUs "})
    EXPECT_EQ(read(before, ""), "none") << before;
}

TEST(LabelUnit, MayBeSaidInWords) {
  for (const char* before :
       {"Time in us: ", "time in us = ", "mean latency In us,", "mean us: ", "p99 latency us="}) {
    EXPECT_EQ(read(before, ""), "us") << before;
  }
  EXPECT_EQ(read("time in s: ", ""), "s");
  for (const char* before :
       {"done in time: ", "size in KiB: ", "us", "time s: ", "time min: ", "5 us: ", "us: "}) {
    EXPECT_EQ(read(before, ""), "none") << before;
  }
}

TEST(LabelUnit, MayBeACellBeforeTheNumber) {
  for (const char* before : {"\"time (us)\",", "time (us),", "time [us]; ", "\"time_us\",",
                             "time_us,\"", "3 (ms),time (us),"}) {
    EXPECT_EQ(read(before, ""), "us") << before;
  }
  for (const char* before : {"5 (us), ", "time,", "\"us\",", "5 [us];"}) {
    EXPECT_EQ(read(before, ""), "none") << before;
  }
}

TEST(LabelUnit, MayNotBeContradicted) {
  for (const auto& [before, behind] : std::vector<std::pair<const char*, const char*>>{
           {"time_us=", " unit=ms"}, {"time (us): ", " (unit: ms)"}, {"unit=ms time_us=", ""}}) {
    EXPECT_THAT(read(before, behind), HasSubstr("that has the units 'us' and 'ms'")) << before;
  }
  EXPECT_THAT(read("time_ms=", " unit=us"), HasSubstr("that has the units 'ms' and 'us'"));
  EXPECT_EQ(read("time_us=", " unit=us"), "us");
  EXPECT_EQ(read("time_us=", " memory=3 unit=ms"), "us") << "of another number";
  EXPECT_EQ(read("time_us=", " unit=MB"), "us");
}

TEST(LabelUnit, AgreesWithWhatStandsAtTheNumber) {
  const auto agrees = [](std::string_view before, std::string_view behind) {
    const FigureUnit wanted(search::Objective{"figure", "ms", search::Direction::kMinimise});
    try {
      expect_label_agrees(search::UnitBeside::of_word("us"), before, behind, wanted);
    } catch (const FigureError&) {
      return false;
    }
    return true;
  };
  EXPECT_FALSE(agrees("time[ms] = ", " us"));
  EXPECT_FALSE(agrees("time_ms=", "us"));
  EXPECT_FALSE(agrees("time=", "us unit=ms"));
  EXPECT_TRUE(agrees("time=", "us unit=us"));
  EXPECT_TRUE(agrees("time_us=", " us"));
  EXPECT_TRUE(agrees("time=", "us n=3 unit=ms"));
  EXPECT_TRUE(agrees("memory (MB): 3, time=", "us"));
}

TEST(LabelUnit, OtherLabelsNameNone) {
  for (const char* before :
       {"", "time: ", "in 3 us: ", "memory (MB): ", "memory_mb=", "layer (k): ", "time (min): ",
        "time_min=", "best (of 5): ", "us: ", "run_us ", ": "}) {
    EXPECT_EQ(read(before, ""), "none") << before;
  }
}

TEST(LabelUnit, MayBeAWordOfTheLine) {
  for (const auto& [before, behind] :
       std::vector<std::pair<const char*, const char*>>{{"time=", " unit=us"},
                                                        {"time=", ", units: us, n=3"},
                                                        {"unit=us time=", ""},
                                                        {"{\"time\": ", ", \"time_unit\": \"us\"}"},
                                                        {"time=", " power=3 unit=us power_unit=W"},
                                                        {"unit=us time=", " timeUnit=us"},
                                                        {"time: ", " Unit: [us]"}}) {
    EXPECT_EQ(read(before, behind), "us") << before << behind;
  }
  EXPECT_EQ(read("time=", " unit=fortnight"), "? fortnight");
}

TEST(LabelUnit, TheLabelGoesBeforeAWordOfAnotherNumber) {
  EXPECT_EQ(read("time (us): ", " n=3 unit=s"), "us");
  EXPECT_EQ(read("time_ms=", " n=3 unit=s"), "ms") << "the objective's own";
}

TEST(LabelUnit, OtherWordsAreNone) {
  for (const char* behind :
       {" unit=GPU", " unit=3", " unit us", " unit=", " unit=W", " unity: us", " unit", " units"}) {
    EXPECT_EQ(read("time=", behind), "none") << behind;
  }
}

TEST(LabelUnit, WithAFactorIsNoneThatWeKnow) {
  EXPECT_EQ(read("took (1e-6 s): ", ""), "? 1e-6 s");
  EXPECT_EQ(read("took (100 ns units): ", ""), "? 100 ns units");
  EXPECT_EQ(read("time=", " unit=\"100 ns\""), "? 100 ns");
  EXPECT_EQ(read("time=", " unit: 10us, n=3"), "? 10us");
}

TEST(NamedUnit, IsOfALineWithoutANumber) {
  const auto named = [](std::string_view line) {
    const search::UnitBeside unit = named_unit(
        line, FigureUnit(search::Objective{"figure", "ms", search::Direction::kMinimise}));
    return unit.unit != nullptr ? std::string(unit.unit->name) : std::string(unit.unknown);
  };
  EXPECT_EQ(named("Unit: microseconds"), "us");
  EXPECT_EQ(named("  time unit : us"), "us");
  EXPECT_EQ(named("    \"unit\": \"us\","), "us");
  EXPECT_EQ(named("Unit: 100 ns"), "100 ns");
  for (const char* line : {"Unit: MB", "community: us", "unit: us, 3 runs", "unit: us unit: ms"}) {
    EXPECT_EQ(named(line), "") << line;
  }
}

TEST(LabelUnit, TwoThatMayBeMeantAreAnError) {
  EXPECT_THAT(read("time=", " unit=us time=1.2 unit=ms"),
              AllOf(HasSubstr("the units 'us' and 'ms'"), HasSubstr("behind the number")));
  EXPECT_THAT(read("time=", " unit=us memory=3 unit=MB", ""), HasSubstr("'us' and 'MB'"));
}

}  // namespace
}  // namespace nightshift::evaluator
