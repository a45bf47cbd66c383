#include "evaluator/command/figures/json_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The unit that is read, or why none is.
std::string read(const std::string& key, const std::string& text, const std::string& unit = "ms") {
  const nlohmann::json object = text.front() == '[' ? nlohmann::json::parse(text) : object_in(text);
  const FigureUnit wanted(search::Objective{"figure", unit, search::Direction::kMinimise});
  try {
    const search::UnitBeside found = json_unit(find_path(object, key), wanted);
    if (found.unit != nullptr) return std::string(found.unit->name);
    return found.unknown.empty() ? "none" : "? " + std::string(found.unknown);
  } catch (const FigureError& e) {
    return e.what();
  }
}

TEST(JsonUnit, MembersMayBeSpelledInAnyWay) {
  for (const char* member : {"time_unit", "timeUnit", "TimeUnit", "time_units", "TIME_UNIT"}) {
    EXPECT_EQ(read("time", std::string(R"({"time": 9, ")") + member + R"(": "Microseconds"})"),
              "us")
        << member;
  }
  EXPECT_EQ(read("latency", R"({"latency": 9, "x": 1, "latencyUnit": "us"})"), "us");
  EXPECT_EQ(read("time", R"({"time": 9, "units": {"time": "us", "x": "W"}})"), "us");
  EXPECT_EQ(read("time", R"({"time": 9, "units": {"x": "W"}})"), "none");
  EXPECT_EQ(read("time", R"({"time": 9, "x": 1, "timeUnits": "fortnight"})"), "? fortnight");
}

TEST(JsonUnit, TheKeysOwnGoesBeforeThatOfOthers) {
  EXPECT_EQ(read("p99_us", R"({"real_time": 9, "p99_us": 900, "time_unit": "ms"})"), "us");
  EXPECT_EQ(read("time_us", R"({"time_us": 9, "loss": 3, "unit": "ms"})"), "us");
  EXPECT_EQ(read("time_us", R"({"time_us": 9, "time_unit": "usec"})"), "us");
  EXPECT_EQ(read("time_us", R"({"time_us": 9, "unit": "GPU"})"), "us");
}

TEST(JsonUnit, TwoOfOneFigureAreAnError) {
  for (const char* text :
       {R"({"time_us": 9, "time_unit": "ms"})", R"({"time_us": 9, "unit": "ms"})",
        R"({"time_us": 9, "loss": 3, "timeUnit": "ms"})", R"({"time_us": 9, "units": "GB/s"})",
        R"({"time_us": 9, "wall_time_us": 3, "time_unit": "ms"})",
        R"({"time_us": 9, "time_unit": "fortnight"})"}) {
    EXPECT_THAT(read("time_us", text, "us"), HasSubstr("print one of the two"))
        << "the objective's own: " << text;
    EXPECT_THAT(read("time_us", text), AllOf(HasSubstr("'time_us' is in 'us' by the end of its "
                                                       "name, and in '"),
                                             HasSubstr("print one of the two")))
        << text;
  }
}

TEST(JsonUnit, OfAnotherQuantityIsAnErrorWithTheKey) {
  EXPECT_THAT(read("memory_kb", R"({"memory_kb": 9})"),
              AllOf(HasSubstr("'memory_kb' is in 'kB'"), HasSubstr("'ms'")));
  EXPECT_EQ(read("memory_kb", R"({"memory_kb": 9, "memory_kb_unit": "ms"})"), "ms");
  EXPECT_EQ(read("memory_kb", R"({"memory_kb": 9})", "MB"), "kB");
}

TEST(JsonUnit, OfOneOfAListIsThatOfTheList) {
  EXPECT_EQ(read("times.1", R"({"times": [1, 2], "unit": "us"})"), "us");
  EXPECT_EQ(read("times_us.0", R"({"times_us": [1, 2]})"), "us");
  EXPECT_EQ(read("runs.0.1", R"({"runs": [[1, 2]], "time_unit": "us"})"), "us");
}

TEST(JsonUnit, MayStandInAnObjectAbove) {
  for (const auto& [key, text] : std::vector<std::pair<const char*, const char*>>{
           {"results.time", R"({"unit": "us", "results": {"time": 900}})"},
           {"results.0.time", R"({"time_unit": "us", "results": [{"time": 900}]})"},
           {"time.median", R"({"time": {"median": 900}, "time_unit": "us"})"},
           {"time.median", R"({"time": {"median": 900, "stddev": 3}, "timeUnit": "us"})"},
           {"time_us.median", R"({"time_us": {"median": 900, "stddev": 3}})"},
           {"a.b.0.time", R"({"units": {"time": "us"}, "a": {"b": [{"time": 900}]}})"},
           {"a.latency", R"({"latency_unit": "us", "a": {"latency": 900, "n": 3}})"},
           {"a.0.0.time", R"({"unit": "us", "n": 3, "a": [[{"time": 900}]]})"}}) {
    for (const char* unit : {"ms", ""}) EXPECT_EQ(read(key, text, unit), "us") << text << unit;
  }
  EXPECT_EQ(read("a.0.time", R"({"unit": "us", "n": 3, "a": [{"time": 900}]})", ""), "us");
  EXPECT_EQ(read("a.x", R"({"unit": "us", "a": {"x": 900, "n": 3}})", ""), "none");
  EXPECT_EQ(read("r.time", R"({"unit": "fortnight", "r": {"time": 9}})"), "? fortnight");
  EXPECT_EQ(read("r.time", R"({"unit": "W", "r": {"time": 9}})"), "W") << "is refused then";
}

TEST(JsonUnit, TheNearestGoesBeforeThoseAbove) {
  EXPECT_EQ(read("r.time", R"({"unit": "s", "r": {"time": 900, "unit": "us"}})"), "us");
  EXPECT_EQ(read("r.time_us", R"({"time_unit": "ms", "r": {"time_us": 900}})"), "us");
  EXPECT_EQ(read("a.b.time", R"({"unit": "s", "a": {"time_unit": "us", "b": {"time": 9}}})"), "us");
}

TEST(JsonUnit, WhatIsAboveMayBeOfSomethingElse) {
  EXPECT_EQ(read("unit.time", R"({"unit": {"time": 9}})"), "none");
  EXPECT_EQ(read("units.0.time", R"({"units": [{"time": 9}]})"), "none");
  EXPECT_EQ(read("r.time", R"({"units": [{"id": 3}], "r": {"time": 9}})"), "none");
  EXPECT_EQ(read("r.time", R"({"unit": "GPU", "r": {"time": 9}})"), "none");
  EXPECT_EQ(read("time.mean", R"({"unit": "W", "power": {"mean": 3}, "time": {"mean": 9}})"),
            "none");
  EXPECT_EQ(read("kb.time", R"({"memory_kb": 3, "kb": {"time": 9}})"), "none");
  EXPECT_EQ(read("power.mean", R"({"time_unit": "us", "power": {"mean": 3}})", "W"), "none");
  EXPECT_THAT(read("r.time", R"({"unit": ["us"], "r": {"time": 9}})"), HasSubstr("is no text"));
  EXPECT_THAT(read("r.time", R"({"time_unit": 3, "r": {"time": 9}})"), HasSubstr("is no text"));
}

TEST(JsonUnit, WithAFactorIsNoneThatWeKnow) {
  EXPECT_EQ(read("time", R"({"time": 5, "unit": "100 ns"})"), "? 100 ns");
  EXPECT_EQ(read("time", R"({"time": 5, "unit": "10us"})"), "? 10us");
  EXPECT_EQ(read("time", R"({"time": 5, "time_unit": "1e-6 s"})"), "? 1e-6 s");
  EXPECT_THAT(read("time", R"({"time": 5, "unit": 1e-6})"), HasSubstr("'unit' is no text"));
  EXPECT_EQ(read("time", R"({"time": 5, "unit": 7})"), "none") << "a number of its own";
  EXPECT_EQ(read("time", R"({"time": 5, "unit": "GPU 10"})"), "none");
}

TEST(JsonUnit, TwoSpellingsOfOneMemberAgree) {
  EXPECT_THAT(read("time", R"({"time": 5, "Unit": "us", "unit": "ms"})"),
              AllOf(HasSubstr("'Unit' is 'us'"), HasSubstr("print one of the two")));
  EXPECT_THAT(read("time", R"({"time": 5, "x": 1, "time_unit": "us", "timeUnit": "ms"})"),
              HasSubstr("print one of the two"));
  EXPECT_EQ(read("time", R"({"time": 5, "Unit": "usec", "unit": "us"})"), "us");
  EXPECT_EQ(read("time", R"({"time": 5, "Unit": "GPU", "unit": "us"})"), "us");
}

TEST(JsonUnit, ATextAgreesWithTheMemberBesideIt) {
  EXPECT_THAT(read("time", R"({"time": "900us", "unit": "ms"})"),
              AllOf(HasSubstr("'us' itself"), HasSubstr("'ms' by a member")));
  EXPECT_THAT(read("time", R"({"time": ["900 us"], "time_unit": "ms"})"),
              HasSubstr("print one of the two"));
  EXPECT_EQ(read("time", R"({"time": "900us", "unit": "us"})"), "us");
  EXPECT_EQ(read("time_us", R"({"time_us": "900 ns"})"), "us") << "the name, which is passed over";
}

TEST(JsonRate, OfAScoreTheDirectionIsAsked) {
  for (const char* unit : {"ms", ""}) {
    EXPECT_THAT(read("score", R"({"score": 5, "n": 3})", unit),
                AllOf(HasSubstr("more is better as a rule"), HasSubstr("unit = \"score\"")));
    EXPECT_THAT(read("hit_ratio", R"({"hit_ratio": 5})", unit), HasSubstr("more is better"));
  }
  EXPECT_EQ(read("score", R"({"score": 5, "scoreUnit": "us/op"})"), "us");
  EXPECT_EQ(read("score", R"({"score": 5})", "score"), "none");
  EXPECT_EQ(read("perf_ms", R"({"perf_ms": 5})"), "ms");
}

TEST(JsonUnit, OfSingleValuesIsThatOfTheirScore) {
  const std::string jmh = R"({"score": 5, "scoreUnit": "us/op", "rawData": [[5, 6]],
                              "scorePercentiles": {"50.0": 5}})";
  EXPECT_EQ(read("rawData.0", jmh), "us");
  EXPECT_EQ(read("scorePercentiles.50.0", jmh), "us");
  EXPECT_EQ(read("rawData.0", R"({"rawData": [[5]], "scoreUnit": "ops/s"})"), "? ops/s");
  EXPECT_EQ(read("time", R"({"time": 5, "scoreUnit": "us", "score": 3})"), "none");
  EXPECT_EQ(read("samples", R"({"samples": [5], "aUnit": "us", "bUnit": "ms"})"), "none");
}

TEST(JsonRate, IsTheNameOfTheFigureOrOfWhatItIsIn) {
  for (const auto& [key, text] : std::vector<std::pair<const char*, const char*>>{
           {"qps", R"({"qps": 200})"},
           {"qps", R"({"qps": [200, 201]})"},
           {"qps", R"({"qps": 200, "unit": "ms"})"},
           {"tokens_s", R"({"tokens_s": 200})"},
           {"qps.value", R"({"qps": {"value": 200}})"},
           {"read.bw", R"({"read": {"bw": 200, "lat_ns": {"mean": 3}}})"},
           {"read.bw_mean", R"({"read": {"bw_mean": 200}})"},
           {"itemsPerSecond", R"({"itemsPerSecond": 200, "time_unit": "ns"})"},
           {"m.values.rate", R"({"m": {"type": "counter", "values": {"count": 3, "rate": 5}}})"},
           {"throughput.0.mean", R"({"throughput": [{"mean": 5}]})"}}) {
    EXPECT_THAT(read(key, text), HasSubstr("is a rate")) << text;
    EXPECT_THAT(read(key, text, ""), HasSubstr("is a rate")) << text;
  }
}

TEST(JsonRate, MayBeToldBesideTheFigure) {
  for (const auto& [key, text] : std::vector<std::pair<const char*, const char*>>{
           {"value", R"({"benchmark": "throughput", "value": 3})"},
           {"value", R"({"type": "rate", "value": 3})"},
           {"value", R"({"Name": "Requests/sec", "value": "3"})"},
           {"score", R"({"mode": "thrpt", "score": 3})"},
           {"results.0.value", R"({"metric": "tokens/s", "results": [{"value": 3}]})"}}) {
    EXPECT_THAT(read(key, text), HasSubstr("is a rate")) << text;
  }
}

TEST(JsonRate, IsNoneWhereSomethingNearerIsACost) {
  for (const auto& [key, text] : std::vector<std::pair<const char*, const char*>>{
           {"time", R"({"benchmark": "throughput", "time": 3})"},
           {"qps.latency", R"({"qps": {"latency": 3}})"},
           {"value", R"({"name": "latency", "results": 1, "value": 3})"},
           {"throughput.0.latency.mean", R"({"throughput": [{"latency": {"mean": 5}}]})"},
           {"failed.values.rate", R"({"failed": {"values": {"rate": 0.1}}})"},
           {"error_rate", R"({"error_rate": 3})"},
           {"value", R"({"name": "iterate accurately", "value": 3})"},
           {"value", R"({"name": "bench_rate.py", "value": 3})"}}) {
    EXPECT_EQ(read(key, text), "none") << text;
  }
  EXPECT_EQ(read("value", R"({"benchmark": "throughput", "value": 3, "unit": "us"})"), "us");
  EXPECT_EQ(read("time_us", R"({"benchmark": "throughput", "time_us": 3})"), "us");
  EXPECT_EQ(read("value", R"({"benchmark": "throughput", "value": "3 ms"})"), "none")
      << "a text has its own unit";
}

TEST(JsonRate, IsReadWhereTheObjectiveIsOne) {
  EXPECT_EQ(read("qps", R"({"qps": 200})", "qps"), "none");
  EXPECT_EQ(read("read.bw", R"({"read": {"bw": 200}})", "MB/s"), "none");
}

TEST(JsonUnit, AMemberOfAnyNameMayBeTheOnlyUnit) {
  EXPECT_EQ(read("value", R"({"value": 900, "metricUnit": "us"})"), "us");
  EXPECT_EQ(read("value", R"({"value": 900, "metric_units": "us"})", ""), "us");
  EXPECT_EQ(read("value", R"({"value": 900, "metricUnit": "mA"})", ""), "? mA");
  EXPECT_EQ(read("value", R"({"value": 900, "a_unit": "us", "b_unit": "ms"})"), "none") << "which";
  EXPECT_EQ(read("value", R"({"value": 900, "heap": 5, "heapUnit": "us"})"), "none")
      << "the heap's";
  EXPECT_EQ(read("value", R"({"value": 900, "limit_unit": "MB"})"), "none") << "no time";
  EXPECT_EQ(read("value", R"({"value": 900, "unit": "ms", "metricUnit": "us"})"), "ms");
  EXPECT_EQ(read("value", R"({"value": 900, "computeUnit": "GPU"})"), "none");
}

TEST(JsonUnit, ASignMayBeTheUnitOfAFigureWithoutOne) {
  EXPECT_EQ(read("value", R"({"value": 95, "unit": "%"})", ""), "? %");
  EXPECT_EQ(read("value", R"({"value": 900, "unit": "Ki"})", ""), "? Ki");
}

TEST(JsonUnit, TheTextBehindAFigureInItsListIsItsUnit) {
  EXPECT_EQ(read("t.0", R"({"t": [900, "us"]})"), "us");
  EXPECT_EQ(read("t.1", R"({"t": ["us", 900]})"), "us");
  EXPECT_EQ(read("t.2", R"({"t": [900, "us", 1.2, "ms"]})"), "ms");
  EXPECT_EQ(read("t.1.0", R"({"t": [[900, "us"], [5, "s"]], "unit": "ms"})"), "s");
  EXPECT_EQ(read("t.0", R"({"t": [[900, 901], "us"]})"), "us");
  EXPECT_EQ(read("t.0", R"({"t": [900, "parsecs"]})"), "? parsecs");
  EXPECT_EQ(read("0", R"([900, "us"])"), "us");
  for (const char* text : {R"({"t": [900, "gemm", "us"]})", R"({"t": [900, "A"]})",
                           R"({"t": [900, 5, "us"]})", R"({"t": [900]})"}) {
    EXPECT_EQ(read("t.0", text), "none") << text;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
