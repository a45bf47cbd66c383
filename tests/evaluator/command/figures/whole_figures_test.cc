#include "evaluator/command/figures/whole_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string complaint(const std::string& expression, std::string_view line) {
  const std::string name = "gain";
  try {
    WholeFigures(expression, name)
        .expect_in(line, base::BoundedRegex(expression).matches_in(line),
                   search::joined_numbers(line));
  } catch (const FigureError& e) {
    return e.what();
  }
  return "whole";
}

// A figure of which the expression takes the first number.
TEST(WholeFigures, AFigureThatGoesOnIsNotReadInPart) {
  for (const char* text :
       {"9 * 2 ns", "9 x 2 ns", "9 to 11 ns", "9-11 ns", "9 - 11 ns", "9 ns - 11 ns",
        "9\u201311 ns", "9 + 2 ns", "9/11 ns", "9^2 ns", "9 and 11 ns"}) {
    EXPECT_THAT(complaint("= ([0-9.]+)", "t = " + std::string(text)),
                AllOf(HasSubstr("'gain' matched '9' of '" + std::string(text) + "'"),
                      HasSubstr("goes on"), HasSubstr("match the sign")))
        << text;
  }
  for (const char* text : {"1 s 500 ms", "1m23.5s", "1h30m", "1:23.5", "1 min 30 s"}) {
    EXPECT_THAT(complaint("= ([0-9.]+)", "t = " + std::string(text)),
                AllOf(HasSubstr("matched '1' of '" + std::string(text) + "'"),
                      HasSubstr("first part of a time")))
        << text;
  }
  for (const char* text : {"12 500 ns", "12 500", "12\u202f500 ns", "12'500", "12,500 ns"}) {
    EXPECT_THAT(complaint("= ([0-9.]+)", "t = " + std::string(text)),
                HasSubstr("thousands set apart"))
        << text;
  }
  EXPECT_THAT(complaint("= ([0-9.]+)", "t = 1.503,78 us"), HasSubstr("decimal comma"));
  EXPECT_THAT(complaint("= ([0-9.]+)", "t = 1,5"), HasSubstr("decimal comma"));
}

// The same where the unit leads the expression to the last number.
TEST(WholeFigures, NorIsItsLastNumberRead) {
  for (const char* text : {"9 * 2 ns", "9 to 11 ns", "9-11 ns", "9 + 2 ns", "9/11 ns"}) {
    EXPECT_THAT(complaint("([0-9.]+) ns", "t = " + std::string(text)), HasSubstr("goes on"))
        << text;
  }
  EXPECT_THAT(complaint("([0-9.]+) ms", "t = 1 s 500 ms"), HasSubstr("last part of a time"));
  EXPECT_THAT(complaint("([0-9.]+)s", "t = 1m23.5s"), HasSubstr("last part of a time"));
  EXPECT_THAT(complaint("([0-9.]+)$", "t = 1:23.5"), HasSubstr("last part of a time"));
  EXPECT_THAT(complaint("([0-9]+) ns", "t = 12 500 ns"), HasSubstr("thousands set apart"));
  EXPECT_THAT(complaint("([0-9]+) us", "t = 1.503,78 us"), HasSubstr("decimal comma"));
  EXPECT_THAT(complaint("([0-9.]+ [a-z]+)", "t = 9 ns - 11 ns"), HasSubstr("goes on"));
  EXPECT_THAT(complaint("([0-9.]+ [a-z]+)", "t = 1 s 500 ms"), HasSubstr("first part"));
}

TEST(WholeFigures, WhatTheExpressionHasBesideItsGroupIsAskedFor) {
  EXPECT_EQ(complaint("([0-9]+)-[0-9]+ ns", "9-11 ns"), "whole");
  EXPECT_EQ(complaint("[0-9]+-([0-9]+) ns", "9-11 ns"), "whole");
  EXPECT_EQ(complaint("([0-9.]+)\\s*ns - ", "9 ns - 11 ns"), "whole");
  EXPECT_EQ(complaint("([0-9]+) to", "9 to 11 ns"), "whole");
  EXPECT_EQ(complaint("to ([0-9]+)", "9 to 11 ns"), "whole");
  EXPECT_EQ(complaint("= ([0-9.]+)/", "min/avg = 0.03/0.04 ms"), "whole");
  EXPECT_EQ(complaint("/([0-9.]+)", "min/avg = 0.03/0.04 ms"), "whole");
  EXPECT_EQ(complaint("([0-9]+)[x*]", "9x2"), "whole");
  EXPECT_EQ(complaint("([0-9]+) \\* ", "9 * 2 ns"), "whole");
  EXPECT_EQ(complaint("([0-9]+),", "1,503"), "whole");
  EXPECT_EQ(complaint("([0-9]+) s [0-9]+ ms", "1 s 500 ms"), "whole");
  EXPECT_EQ(complaint("^([0-9]+) [0-9]+ ns", "12 500 ns"), "whole");
  EXPECT_EQ(complaint("^[0-9]+ ([0-9]+) ns", "12 500 ns"), "whole");
  EXPECT_EQ(complaint("(?<t>[0-9]+):", "1:23.5"), "whole");
  EXPECT_EQ(complaint(":([0-9.]+)", "0:23.5"), "whole");
  EXPECT_EQ(complaint("(?:real )?(.*)", "real 1m23.5s"), "whole") << "the group has all of it";
}

TEST(WholeFigures, PartsOfATimeBeforeTheLastAreLeftOutWhereTheyAreZero) {
  EXPECT_EQ(complaint("real\\s+[0-9]+m([0-9.]+)s", "real\t0m58.000s"), "whole");
  EXPECT_EQ(complaint("[0-9]+:[0-9]+:([0-9.]+)", "took 0:00:58.5"), "whole");
  EXPECT_EQ(complaint("elapsed [0-9]+:([0-9.]+)", "elapsed 0:58"), "whole");
  EXPECT_EQ(complaint("[0-9]+:([0-9]+)", "worker 3:45 idle"), "whole") << "may be anything";
  EXPECT_EQ(complaint("real\\s+([0-9.ms]+)", "real\t1m2.000s"), "whole");
  for (const auto& [expression, line] : std::vector<std::pair<const char*, const char*>>{
           {"real\\s+[0-9]+m([0-9.]+)s", "real\t1m2.000s"},
           {"elapsed [0-9]+:([0-9.]+)", "elapsed 1:02.50"},
           {"elapsed [0-9]+:([0-9.]+)", "elapsed 1:02"},
           {"[0-9]+:[0-9]+:([0-9.]+)", "took 1:00:58"},
           {"[0-9]+m([0-9.]+)s", "1h 0m2.0s"},
           {"([0-9.]+) sec", "set (1 min 2.34 sec)"}}) {
    EXPECT_THAT(complaint(expression, line),
                AllOf(HasSubstr("last part of a time"), HasSubstr("have the group match all")))
        << line;
  }
}

TEST(WholeFigures, NumbersBetweenSlashesAreFigures) {
  const char* const ping = "rtt min/avg/max/mdev = 0.030/0.040/0.050/0.005 ms";
  EXPECT_EQ(complaint("= [0-9.]+/([0-9.]+)", ping), "whole");
  EXPECT_EQ(complaint("= ([0-9.]+)", ping), "whole");
  EXPECT_THAT(complaint("= ([0-9.]+)", "= 9/2 ns"), HasSubstr("goes on"));
}

TEST(WholeFigures, WhatMatchesAnythingAsksForNothing) {
  EXPECT_THAT(complaint("([0-9.]+).*ns", "9 * 2 ns"), HasSubstr("goes on"));
  EXPECT_THAT(complaint(".* ([0-9.]+) ns", "9 * 2 ns"), HasSubstr("goes on"));
  EXPECT_THAT(complaint("[0-9.]* ([0-9.]+) ns", "9 - 2 ns"), HasSubstr("goes on"))
      << "it matches ' 2 ns' alone";
  EXPECT_THAT(complaint("= ([0-9]+)", "t = 9..11 ns"), HasSubstr("goes on"));
}

TEST(WholeFigures, ColumnsAndListsAreFiguresOfTheirOwn) {
  EXPECT_EQ(complaint("([0-9]+)", "100 200 300"), "whole");
  EXPECT_EQ(complaint("([0-9.]+)", "12 500 3.4"), "whole");
  EXPECT_EQ(complaint("([0-9.]+) ns", "100\t500 ns"), "whole");
  EXPECT_EQ(complaint("([0-9.]+) ns/op", "BenchmarkX-8   100   500 ns/op"), "whole");
  EXPECT_EQ(complaint("time: ([0-9.]+)", "2024-11-28 12:34:56 time: 9 ms"), "whole");
  EXPECT_EQ(complaint("gemm,([0-9.]+)", "gemm,12,34"), "whole");
  EXPECT_EQ(complaint("= ([0-9.]+)", "= 9 +- 1 ns"), "whole");
  EXPECT_EQ(complaint("= ([0-9.]+)", "= 9 \u00b1 1 ns"), "whole");
}

}  // namespace
}  // namespace nightshift::evaluator
