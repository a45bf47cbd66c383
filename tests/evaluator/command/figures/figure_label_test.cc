#include "evaluator/command/figures/figure_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;

TEST(FigureLabel, IsWhatTheLineCallsTheNumber) {
  const auto label = [](std::string_view before) { return base::trimmed(figure_label(before)); };
  EXPECT_EQ(label("Requests/sec: "), "Requests/sec");
  EXPECT_EQ(label("time 5 ms, rate = "), "rate");
  EXPECT_EQ(label("time=5 rate="), "rate");
  EXPECT_EQ(label("| tokens/s | "), "tokens/s");
  EXPECT_EQ(label("frame=  100 fps= "), "fps");
  EXPECT_EQ(label("rate 430 req/s time: "), "time") << "the unit is of the number before";
  EXPECT_EQ(label("throughput (8 threads): "), "throughput (8 threads)");
  EXPECT_EQ(label("foo,200,"), "");
  EXPECT_EQ(label(""), "");
}

TEST(FigureLabel, MayHaveANumberInIt) {
  EXPECT_EQ(figure_label("throughput with 8 threads: "), "throughput with 8 threads");
  EXPECT_EQ(figure_label("latency at 1000 req/s: "), "latency at 1000 req/s");
  EXPECT_EQ(base::trimmed(figure_label("ops: 100 runs: ")), "runs") << "of another figure";
}

TEST(FigureLabel, OfAListIsThatOfItsFirst) {
  EXPECT_EQ(figure_label("throughput: min 3 max 5 avg "), "throughput: min");
  EXPECT_EQ(figure_label("clat (usec): min=10, max=2000, avg="), "clat (usec): min");
  EXPECT_EQ(base::trimmed(figure_label("ops: 100 mean: ")), "mean");
  std::string longest;
  for (int i = 0; i < 2000; ++i) longest += "min 3 ";
  EXPECT_EQ(base::trimmed(figure_label(longest + "max ")), "max") << "and ends soon";
}

// Why the number between two texts is no cost; empty where it is one.
std::string refusal(std::string_view before, std::string_view behind,
                    const std::vector<std::string_view>& above = {},
                    const std::string& unit = "ms") {
  TableHeader header;
  for (const std::string_view line : above) header.pass(line);
  const std::string line = std::string(before) + "430" + std::string(behind);
  const TableRow row(header, line);
  const auto text = std::string_view(line);
  try {
    expect_no_rate({text.substr(0, before.size()), text.substr(before.size() + 3), header, row},
                   FigureUnit(search::Objective{"figure", unit, search::Direction::kMinimise}));
    return {};
  } catch (const FigureError& e) {
    return e.what();
  }
}

TEST(ExpectNoRate, LooksBesideTheNumberAndAboveIt) {
  EXPECT_THAT(refusal("bw: ", ""), HasSubstr("as 'bw' says"));
  EXPECT_THAT(refusal("", " requests per second, 5"), HasSubstr("as 'requests per second' says"));
  EXPECT_THAT(refusal("foo,", "", {"name,qps"}), HasSubstr("as 'qps' says"));
  EXPECT_THAT(refusal("", "", {"throughput"}), HasSubstr("as 'throughput' says"));
  EXPECT_THAT(refusal("avg: ", "", {"Throughput (req):", "", "min: 3"}), HasSubstr("'Throughput"));
}

TEST(ExpectNoRate, OfAScoreTheDirectionIsAsked) {
  for (const char* before : {"Score: ", "CoreMark 1.0 : ", "hit ratio: ", "real-time factor "}) {
    EXPECT_THAT(refusal(before, ""), HasSubstr("more is better as a rule")) << before;
    EXPECT_THAT(refusal(before, "", {}, ""), HasSubstr("more is better as a rule")) << before;
    EXPECT_EQ(refusal(before, "", {}, "score"), "") << before;
  }
  EXPECT_EQ(refusal("avg: ", "", {"Performance"}), "") << "a title";
  EXPECT_EQ(refusal("perf run: ", ""), "");
}

TEST(ExpectNoRate, WhatStandsNearestDecides) {
  EXPECT_EQ(refusal("latency,", "", {"name,qps"}), "");
  EXPECT_EQ(refusal("foo,", "", {"throughput", "name,time"}), "");
  EXPECT_EQ(refusal("result: ", "", {"a long sentence that has throughput in it"}), "");
  EXPECT_EQ(refusal("test_rate ", "", {"Name  Min"}), "");
  EXPECT_EQ(refusal("foo: ", "", {"throughput"}), "") << "it has a name of its own";
}

TEST(ExpectNoRate, IsSatisfiedByTheUnitOfARate) {
  EXPECT_EQ(refusal("bw: ", "", {}, "MB/s"), "");
  EXPECT_EQ(refusal("qps: ", "", {}, "qps"), "");
  EXPECT_NE(refusal("qps: ", "", {}, ""), "");
}

TEST(UnitAbove, IsThatOfTheColumnOrTheHeading) {
  const auto read = [](std::string_view before, const std::vector<std::string_view>& above) {
    TableHeader header;
    for (const std::string_view line : above) header.pass(line);
    const std::string line = std::string(before) + "430";
    const TableRow row(header, line);
    const std::string_view text = line;
    const search::UnitBeside unit =
        unit_above({text.substr(0, before.size()), text.substr(before.size() + 3), header, row},
                   FigureUnit(search::Objective{"figure", "ms", search::Direction::kMinimise}));
    return std::string(unit.unit == nullptr ? "none" : unit.unit->name);
  };
  EXPECT_EQ(read("foo,", {"name,latency (us)"}), "us");
  EXPECT_EQ(read("foo,", {"name,latency_us"}), "us");
  EXPECT_EQ(read("foo,", {"name,size (MB)"}), "none");
  EXPECT_EQ(read("avg: ", {"Latency (us):"}), "us");
  EXPECT_EQ(read("foo,", {"name,us"}), "us");
  EXPECT_EQ(read("foo,", {"name,time", ",us"}), "us") << "a line of units";
  EXPECT_EQ(read("foo,", {"name,min"}), "none");
  EXPECT_EQ(read("foo ", {"# name time[us]"}), "us");
  EXPECT_EQ(read("clat (usec): min=10, avg=", {}), "us");
  EXPECT_EQ(read("foo: ", {"Latency (us):"}), "none");
}

}  // namespace
}  // namespace nightshift::evaluator
