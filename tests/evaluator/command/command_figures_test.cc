#include "evaluator/command/command_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace nightshift::evaluator {
namespace {

using search::FigureRule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;

const search::Objective kTime{"time", "ms", search::Direction::kMinimise};
const search::Objective kPower{"power", "W", search::Direction::kMinimise};

std::vector<double> values(const RunResult& result, std::size_t figure = 0) {
  return std::get<std::vector<search::Samples>>(result).at(figure).values;
}

std::vector<double> json_time(std::string_view output) {
  return values(FigureRules({kTime}, {}).read_output(output, 1));
}

std::vector<double> matched(const std::string& pattern, std::string_view output) {
  return values(
      FigureRules({kTime}, {{FigureRule::Source::kRegex, pattern}}).read_output(output, 1));
}

// Of a file that says the unit of the objective.
std::vector<double> of_told_unit(FigureRule::Source source, const std::string& key,
                                 std::string_view output) {
  FigureRule rule{source, key};
  rule.unit_is_told = true;
  return values(FigureRules({kTime}, {rule}).read_output(output, 1));
}

std::string complaint(std::string_view output) {
  try {
    json_time(output);
  } catch (const FigureError& e) {
    return e.what();
  }
  return "read";
}

TEST(Figures, LastLineThatIsAnObjectCounts) {
  EXPECT_THAT(json_time("{\"time\": 1}\nlog\n{\"time\": 2.5}\ndone\n"), ElementsAre(2.5));
  EXPECT_THAT(json_time("  {\"time\": 3}\r\n\n"), ElementsAre(3));
  EXPECT_THAT(json_time("{\"time\": 4}"), ElementsAre(4));
}

TEST(Figures, ListIsManySamples) {
  EXPECT_THAT(json_time("{\"time\": [3, 1, 2]}"), ElementsAre(3, 1, 2));
}

TEST(Figures, KeyMayDifferFromTheObjectivesName) {
  const FigureRules rules({kTime, kPower}, {{FigureRule::Source::kJson, "t_ms"}});
  const auto result = rules.read_output("{\"t_ms\": 5, \"power\": 300}", 1);
  EXPECT_THAT(values(result, 0), ElementsAre(5));
  EXPECT_THAT(values(result, 1), ElementsAre(300));
  EXPECT_EQ(std::get<std::vector<search::Samples>>(result)[1].objective, "power");
}

// Of "time" in the usual ms, which no file says, a number without a unit may be in any.
TEST(Figures, AUnitThatNobodySaysIsThereAlwaysOrNever) {
  for (const bool is_json : {false, true}) {
    const std::string bare = is_json ? R"({"time": 900})" : "t=900";
    const std::string named = is_json ? R"({"time": "1.2 ms"})" : "t=1.2 ms";
    const auto rules = [&](bool is_told) {
      FigureRule rule{is_json ? FigureRule::Source::kJson : FigureRule::Source::kRegex,
                      is_json ? "time" : "t=([0-9.]+)"};
      rule.unit_is_told = is_told;
      return FigureRules({kTime}, {rule});
    };
    const FigureRules first_bare = rules(false), first_named = rules(false), told = rules(true);
    EXPECT_THAT(values(first_bare.read_output(bare, 1)), ElementsAre(900));
    EXPECT_THAT(
        [&] { first_bare.read_output(named, 1); },
        ThrowsMessage<FigureError>(HasSubstr("is in 'ms', and an earlier one had no unit")));
    EXPECT_THAT(values(first_named.read_output(named, 1)), ElementsAre(1.2));
    EXPECT_THAT(first_named.conditions(), ElementsAre(Pair("unit of time", "ms")));
    EXPECT_THAT(first_bare.conditions(), IsEmpty());
    EXPECT_THAT(told.conditions(), IsEmpty());
    EXPECT_THAT(
        [&] { first_named.read_output(bare, 1); },
        ThrowsMessage<FigureError>(HasSubstr("has no unit, and an earlier one was in 'ms'")));
    EXPECT_THAT(values(told.read_output(bare, 1)), ElementsAre(900));
    EXPECT_THAT(values(told.read_output(named, 1)), ElementsAre(1.2));
  }
}

// As the same words in a label and in a key.
TEST(Figures, AUnitOfARateBehindANumberIsARate) {
  for (const char* unit : {"GTEPS", "MLUPS", "IPC", "KOPS", "fps"}) {
    for (const char* blank : {" ", ""}) {
      EXPECT_THAT([&] { matched("([0-9.]+)", std::string("3.2") + blank + unit); },
                  ThrowsMessage<FigureError>(HasSubstr("direction = \"maximise\"")))
          << unit;
    }
  }
  const search::Objective rate{"rate", "GTEPS", search::Direction::kMaximise};
  EXPECT_THAT(values(FigureRules({rate}, {{FigureRule::Source::kRegex, "([0-9.]+)"}})
                         .read_output("3.2 GTEPS", 1)),
              ElementsAre(3.2));
}

// Colours are no text: neither 32 minutes nor a number.
TEST(Figures, ColoursOfATerminalAreNoFigures) {
  const std::string coloured = "time \x1b[32m900 us\x1b[0m\x1b[K\n";
  EXPECT_THAT(matched("([0-9.]+) us", coloured), ElementsAre(0.9));
  EXPECT_THAT(matched("([0-9.]+)", coloured), ElementsAre(0.9));
  EXPECT_THAT(matched("time ([0-9.]+)", coloured), ElementsAre(0.9));
  EXPECT_THAT(matched("^([0-9.]+)", "\x1b[?25l\x1b[1;38;5;9m1.5\x1b[m ms"), ElementsAre(1.5));
  EXPECT_THAT(matched("32mtime ([0-9.]+)", "\x1b[32mtime 900 us"), ElementsAre(0.9))
      << "who asks for them";
  EXPECT_THAT(values(FigureRules({kTime}, {})
                         .read_output("\x1b[1m{\x1b[34m\"time\"\x1b[0m: \x1b[33m5\x1b[0m}\n", 1)),
              ElementsAre(5));
}

// Nothing says whether 17 are us as the program's figures, or the ms that these become.
TEST(Figures, ALimitHasAUnitWhereFiguresHaveOne) {
  const auto read = [](const search::Objective& objective, const std::string& output,
                       bool is_told = false) -> std::string {
    FigureRule rule{FigureRule::Source::kRegex, "is ([0-9.]+)"};
    rule.unit_is_told = is_told;
    try {
      return ::testing::PrintToString(
          values(FigureRules({objective}, {rule}).read_output(output, 1)));
    } catch (const FigureError& error) {
      return error.what();
    }
  };
  search::Objective limited{"latency", "", search::Direction::kMinimise};
  limited.at_most = 17;
  EXPECT_EQ(
      read(limited, "is 17.2 us"),
      "a figure of 'latency' is in 'us', and nothing says what at_most = 17.0 is in: give the "
      "objective unit = \"us\", or the one that this number is in");
  EXPECT_EQ(read(limited, "is 17.2"), "{ 17.2 }");
  EXPECT_EQ(read(limited, "is 17.2 ms"), "{ 17.2 }") << "which are what figures become";
  limited.unit = "ms";
  EXPECT_EQ(read(limited, "is 17 s"), "{ 17000 }");
  search::Objective wide{"bandwidth", "", search::Direction::kMaximise};
  wide.at_least = 900;
  EXPECT_THAT(read(wide, "is 950 MB/s"), HasSubstr("at_least = 900"));
  wide.at_least.reset();
  EXPECT_EQ(read(wide, "is 950 MB/s"), "{ 0.95 }");
  search::Objective usual;
  usual.at_most = 17;
  EXPECT_THAT(read(usual, "is 17.2 us"), HasSubstr("at_most = 17"));
  EXPECT_EQ(read(usual, "is 17 us", true), "{ 0.017 }") << "the file says ms";
}

TEST(Figures, ABaselineThatIsGivenHasAUnitWhereFiguresHaveOne) {
  const search::Objective latency{"latency", "", search::Direction::kMinimise};
  FigureRules rules({latency}, {{FigureRule::Source::kRegex, "is ([0-9.]+)"}});
  rules.hold_against("latency", "given_baseline = 12");
  EXPECT_THAT([&] { rules.read_output("is 17 us", 1); },
              ThrowsMessage<FigureError>(HasSubstr("given_baseline = 12")));
  EXPECT_THAT(values(rules.read_output("is 17 ms", 1)), ElementsAre(17));
}

TEST(Figures, WallTimeIsInTheUnitOfTheObjective) {
  const FigureRules rules({kTime}, {{FigureRule::Source::kWallTime, ""}});
  EXPECT_THAT(values(rules.read_output("", 0.25)), ElementsAre(250));
}

TEST(Figures, EveryMatchIsASample) {
  EXPECT_THAT(matched("time: ([0-9.e+-]+) ms", "time: 1.5 ms, time: 2e1 ms\nx\ntime: 3 ms"),
              ElementsAre(1.5, 20, 3));
}

TEST(Figures, LongLinesDoNotOverflowTheMatcher) {
  const std::string line(1 << 20, 'a');
  EXPECT_THROW(matched("(a|b)*c", line), FigureError);
  EXPECT_THAT(matched("^t=([0-9]+)", "t=7 " + line + "\n"), ElementsAre(7));
}

TEST(Figures, WhatIsMissingIsSaidWithWhatWasPrinted) {
  EXPECT_THAT(complaint(""), AllOf(HasSubstr("'time'"), HasSubstr("it printed nothing")));
  EXPECT_THAT(complaint("all went well\n"), HasSubstr("all went well"));
  EXPECT_THAT(complaint("{\"tiem\": 1}"), AllOf(HasSubstr("no 'time'"), HasSubstr("tiem")));
  EXPECT_THAT(complaint("{'time': 1}"), HasSubstr("{'time': 1}"));
  EXPECT_THAT([] { matched("t=([0-9]+)", "x=1"); }, ThrowsMessage<FigureError>(HasSubstr("x=1")));
}

TEST(Figures, OnlyFiniteNumbersAreFigures) {
  EXPECT_THAT(complaint("{\"time\": NaN}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": -Infinity}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": null}"), HasSubstr("no finite number"));
  EXPECT_THAT(complaint("{\"time\": 1e999}"), HasSubstr("1e999"));
  EXPECT_THAT(complaint("{\"time\": \"fast\"}"), HasSubstr("neither a number nor a list"));
  EXPECT_THAT(complaint("{\"time\": \"inf\"}"), HasSubstr("neither a number nor a list"));
  EXPECT_THAT(complaint("{\"time\": true}"), HasSubstr("neither a number nor a list"));
  EXPECT_THAT(complaint("{\"time\": []}"), HasSubstr("empty list"));
  EXPECT_THAT(complaint("{\"time\": [1, \"x\"]}"), HasSubstr("no number"));
  EXPECT_THAT([] { matched("t=(.*)", "t=abc"); }, ThrowsMessage<FigureError>(HasSubstr("abc")));
  EXPECT_THAT([] { matched("t=(.*)", "t=nan"); }, ThrowsMessage<FigureError>(HasSubstr("finite")));
}

// As nvbench and `perf stat -j` print them.
TEST(Figures, NumbersMayBePrintedAsTexts) {
  EXPECT_THAT(json_time("{\"time\": \"0.0009\"}"), ElementsAre(0.0009));
  EXPECT_THAT(json_time("{\"time\": [\"3\", \"4e-1\"]}"), ElementsAre(3, 0.4));
  EXPECT_THAT(json_time("{\"time\": \"900\", \"unit\": \"us\"}"), ElementsAre(0.9));
}

TEST(Figures, NanElsewhereDoesNotSpoilTheObject) {
  EXPECT_THAT(json_time("{\"note\": \"NaN \\\" NaN\", \"loss\": NaN, \"time\": 2}"),
              ElementsAre(2));
  EXPECT_EQ(object_in("{\"note\": \"NaN\", \"x\": NaN}")["note"], "NaN");
}

// --- Objects over several lines, and paths into them ---

std::vector<double> at_path(const std::string& key, std::string_view output) {
  return values(FigureRules({kTime}, {{FigureRule::Source::kJson, key}}).read_output(output, 1));
}

std::string complaint_at(const std::string& key, std::string_view output) {
  try {
    at_path(key, output);
  } catch (const FigureError& e) {
    return e.what();
  }
  return "read";
}

TEST(FiguresInJson, AnObjectMayStandOnSeveralLines) {
  EXPECT_THAT(json_time("{\n  \"time\": 9.25\n}\n"), ElementsAre(9.25));
  EXPECT_THAT(json_time("{\r\n  \"time\": 9.25\r\n}\r\n"), ElementsAre(9.25));
  EXPECT_THAT(json_time("\xEF\xBB\xBF{\n\"time\":\n9.25}"), ElementsAre(9.25));
  EXPECT_THAT(json_time("starts\n{\n  \"time\": [1,\n 2]\n}\nends\n"), ElementsAre(1, 2));
  EXPECT_THAT(json_time("{\n  \"time\": NaN,\n  \"time\": 3}"), ElementsAre(3));
}

TEST(FiguresInJson, TheLastOfSeveralObjectsCounts) {
  EXPECT_THAT(json_time("{\n\"time\": 1\n}\n{\n\"time\": 2\n}\n"), ElementsAre(2));
  EXPECT_THAT(json_time("{\n\"time\": 1\n}\n{\"time\": 2}\n"), ElementsAre(2));
  EXPECT_THAT(json_time("{\"time\": 2}\n{\n\"time\": 1\n}\n"), ElementsAre(1));
}

TEST(FiguresInJson, ALineOfALargerObjectIsNotTheLastOne) {
  EXPECT_THAT(json_time("{\n\"time\": 1,\n\"runs\": [\n{\"time\": 5}\n]\n}\n"), ElementsAre(1));
  EXPECT_THAT(json_time("{\n\"note\": \"} {\",\n\"time\": 1\n}"), ElementsAre(1));
  EXPECT_THAT(json_time("{\n\"note\": \"a \\\" }\",\n\"time\": 1\n}"), ElementsAre(1));
}

TEST(FiguresInJson, BracesThatAreNoObjectHideNone) {
  EXPECT_THAT(json_time("{ begin\n{\"time\": 4}\n}\n"), ElementsAre(4));
  EXPECT_THAT(json_time("{ begin\n{\"time\": 4}\nend\n"), ElementsAre(4));
  EXPECT_THAT(json_time("{\"time\": 4}\n{\nnever closed"), ElementsAre(4));
  EXPECT_THAT(json_time("{\"time\": 4}\n{}x\n}\n"), ElementsAre(4));
  EXPECT_THAT(json_time("{\n\"time\": 4\n} and more\n{\"time\": 5}"), ElementsAre(5));
}

TEST(FiguresInJson, ManyBracesTakeNoTime) {
  std::string output;
  for (int i = 0; i < 200'000; ++i) output += "{\n";
  EXPECT_THAT(complaint(output), HasSubstr("'time'"));
  EXPECT_THAT(json_time(output + "{\"time\": 6}\n"), ElementsAre(6));
}

constexpr const char* kHyperfine = R"(Benchmark 1: sleep 0.1
{
  "results": [
    {
      "command": "sleep 0.1",
      "mean": 0.1012,
      "stddev": null,
      "times": [0.101, 0.102],
      "exit_codes": [0, 0]
    }
  ]
}
)";
constexpr const char* kGoogleBenchmark = R"({
  "context": {"num_cpus": 2, "load_avg": [0.1]},
  "benchmarks": [
    {
      "name": "BM_Copy",
      "real_time": 2.5e+06,
      "cpu_time": 2.4e+06,
      "time_unit": "ns",
      "bytes_per_second": 4.0e+09
    }
  ]
}
)";

TEST(FiguresInJson, AKeyMayBeAPath) {
  const search::Objective seconds{"time", "s", search::Direction::kMinimise};
  const auto in_seconds = [&](const std::string& key) {
    return values(
        FigureRules({seconds}, {{FigureRule::Source::kJson, key}}).read_output(kHyperfine, 1));
  };
  EXPECT_THAT(in_seconds("results.0.mean"), ElementsAre(0.1012));
  EXPECT_THAT(in_seconds("results.0.times"), ElementsAre(0.101, 0.102));
  EXPECT_THAT(in_seconds("results.0.times.1"), ElementsAre(0.102));
}

TEST(FiguresInJson, AKeyThatBeginsWithAPositionIsOfAList) {
  const auto at = [](const std::string& key, std::string_view output) {
    return values(FigureRules({kTime}, {{FigureRule::Source::kJson, key}}).read_output(output, 1));
  };
  EXPECT_THAT(at("0.mean", R"([{"mean": 9.5}, {"mean": 8}])"), ElementsAre(9.5));
  EXPECT_THAT(at("1.mean_us", "log [1]\n[\n  {\"mean_us\": 1},\n  {\"mean_us\": 900}\n]\nend\n"),
              ElementsAre(0.9));
  EXPECT_THAT(at("1", "[1, 2]\n[3, 4]\n[0.1 s] done\n"), ElementsAre(4));
  EXPECT_THAT(at("0", R"({"0": 5})"), ElementsAre(5)) << "an object's own member";
  EXPECT_THAT(at("mean", "[\n{\"mean\": 1},\n{\"mean\": 2}\n]"), ElementsAre(2));
  EXPECT_THAT([&] { at("0.mean", R"([{"median": 1}])"); },
              ThrowsMessage<FigureError>(HasSubstr("'0' has 'median'")));
  EXPECT_THAT([&] { at("0.mean", "[0.1 s] [1"); }, ThrowsMessage<FigureError>(HasSubstr("")));
}

TEST(FiguresInJson, NamesWithDotsGoBeforePaths) {
  EXPECT_THAT(at_path("a.b", R"({"a.b": 1, "a": {"b": 2}})"), ElementsAre(1));
  EXPECT_THAT(at_path("a.b.c", R"({"a": {"b.c": 3}, "a.b": {"d": 1}})"), ElementsAre(3));
  EXPECT_THAT(at_path("a.b.c", R"({"a.b": {"c": 4}, "a": {"b": 1}})"), ElementsAre(4));
  EXPECT_THAT(at_path("0.x", R"({"0": {"x": 5}})"), ElementsAre(5));
  EXPECT_THAT(at_path("a b/c", R"({"a b/c": 6})"), ElementsAre(6));
  EXPECT_THAT(at_path("a..b", R"({"a": {"": {"b": 7}}, "a.": {"b": 8}})"), ElementsAre(8));
}

TEST(FiguresInJson, WhatAPathLacksIsNamed) {
  EXPECT_THAT(complaint_at("results.0.men", kHyperfine),
              AllOf(HasSubstr("no 'results.0.men'"),
                    HasSubstr("'results.0' has 'command', 'exit_codes', 'mean'")));
  EXPECT_THAT(complaint_at("results.1.mean", kHyperfine),
              HasSubstr("'results' is a list of 1, with positions from 0 to 0"));
  EXPECT_THAT(complaint_at("results.-1.mean", kHyperfine), HasSubstr("a list of 1"));
  EXPECT_THAT(complaint_at("results.0.mean.x", kHyperfine), HasSubstr("is number"));
  EXPECT_THAT(complaint_at("result", kHyperfine), HasSubstr("it has 'results'"));
  EXPECT_THAT(complaint_at("results.0.command", kHyperfine), HasSubstr("neither a number"));
  EXPECT_THAT(complaint_at("a", "{}"), HasSubstr("it is empty"));
}

TEST(FiguresInJson, PathsOfHostileObjectsEnd) {
  std::string deep = "1";
  for (int i = 0; i < 300; ++i)
    deep = R"({"a": )" + deep + R"(, "a.a": )" + (i < 12 ? deep : "1") + "}";
  std::string key = "a";
  for (int i = 0; i < 200; ++i) key += ".a";
  EXPECT_THAT(complaint_at(key, deep), HasSubstr("the JSON object has no"));
}

TEST(FiguresInJson, ServersAnswerWithPathsToo) {
  const FigureRules rules({kTime}, {{FigureRule::Source::kJson, "run.time"}});
  EXPECT_THAT(values(rules.read_reply(R"({"run": {"time": 3}})", 1)), ElementsAre(3));
  EXPECT_EQ(rules.flaw_in_reply(object_in(R"({"run": {}})")),
            "it has no 'run.time' and no 'error'");
}

// --- Units ---

search::Objective objective(const std::string& unit) {
  return {"figure", unit, search::Direction::kMinimise};
}

TEST(FigureUnits, ANumberIsConvertedFromTheUnitBehindIt) {
  EXPECT_THAT(of_told_unit(FigureRule::Source::kRegex, "time: ([0-9.]+)",
                           "time: 900 us\ntime: 1.2 ms\ntime: 0.001 s\ntime: 5\n"),
              ElementsAre(0.9, 1.2, 1, 5));
  EXPECT_THAT(matched("time: ([0-9.]+) [mu]s", "time: 900 us, time: 1.2 ms"),
              ElementsAre(0.9, 1.2));
  EXPECT_THAT(matched("time: (.*)$", "time: 900us\ntime: 1.2 ms"), ElementsAre(0.9, 1.2));
  EXPECT_THAT(matched("time: ([0-9.]+)", "time: 900 \u00b5s"), ElementsAre(0.9));
  EXPECT_THAT(matched("time: ([0-9.]+)", "time: 900 Microseconds."), ElementsAre(0.9));
  EXPECT_THAT(matched("time: ([0-9.]+)", "time: 900 iterations, 3 us"), ElementsAre(900));
}

TEST(FigureUnits, TheRestOfANumberIsNoUnit) {
  EXPECT_THAT(complaint(R"({"time": "8,103.37"})"), HasSubstr("without separators of thousands"));
}

TEST(FigureUnits, OrFromTheOneBeforeIt) {
  EXPECT_THAT(of_told_unit(FigureRule::Source::kRegex, "time.*: ([0-9.]+)",
                           "time (us): 900\ntime [ms]: 1.2\ntime: 4"),
              ElementsAre(0.9, 1.2, 4));
  EXPECT_THAT(matched("time_[mu]s=([0-9.]+)", "time_us=900 time_ms=1.2"), ElementsAre(0.9, 1.2));
  EXPECT_THAT(matched("GB: ([0-9.]+)", "GB: 3"), ElementsAre(3)) << "the name of something else";
}

TEST(FigureUnits, OtherQuantitiesAreConvertedAlike) {
  const auto read = [&](const std::string& unit, std::string_view output) {
    return values(FigureRules({objective(unit)}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}})
                      .read_output(output, 1));
  };
  EXPECT_THAT(read("GB/s", "= 2 GB/s = 500 MB/s"), ElementsAre(2, 0.5));
  EXPECT_THAT(read("KiB", "= 2 MiB = 512 B"), ElementsAre(2048, 0.5));
  EXPECT_THAT(read("GFLOP/s", "= 2 TFLOPS = 500 MFLOP/s"), ElementsAre(2000, 0.5));
  EXPECT_THAT(read("J", "= 20 mJ"), ElementsAre(0.02));
}

TEST(FigureUnits, AnotherQuantityThanTheObjectivesIsAnError) {
  EXPECT_THAT([] { matched("= ([0-9.]+)", "= 3 GB/s"); },
              ThrowsMessage<FigureError>(AllOf(HasSubstr("'GB/s'"), HasSubstr("'ms'"))));
}

// Processes of one study may each be told another unit first.
TEST(FigureUnits, AnObjectiveWithoutOneHasTheUsualOneOfItsQuantity) {
  const auto rule = [](search::Direction direction = search::Direction::kMinimise) {
    return FigureRules({{"figure", "", direction}}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}});
  };
  EXPECT_THAT(values(rule().read_output("= 900 us\n= 1.2 ms", 1)), ElementsAre(0.9, 1.2));
  EXPECT_THAT(values(rule().read_output("= 1.2 ms", 1)), ElementsAre(1.2));
  EXPECT_THAT(values(rule().read_output("= 2 GiB", 1)), ElementsAre(2.0 * (1 << 30)));
  const auto rate = [&] { return rule(search::Direction::kMaximise); };
  EXPECT_THAT(values(rate().read_output("= 2 TB/s", 1)), ElementsAre(2000));
  EXPECT_THAT(values(rate().read_output("= 500 MFLOP/s", 1)), ElementsAre(0.5));
  for (const char* text : {"= 2 TB/s", "= 500 MFLOP/s", "= 3 GHz"}) {
    EXPECT_THAT([&] { rule().read_output(text, 1); },
                ThrowsMessage<FigureError>(HasSubstr("is a rate")))
        << text;
  }
  const FigureRules rules = rule();
  EXPECT_THAT(values(rules.read_output("= 900 us", 1)), ElementsAre(0.9));
  EXPECT_THAT(values(rules.read_output("= 1.2 ms", 1)), ElementsAre(1.2)) << "of another run";
  EXPECT_THAT([&] { rules.read_output("= 3 MB", 1); },
              ThrowsMessage<FigureError>(AllOf(HasSubstr("'MB'"), HasSubstr("'us'"))));
  EXPECT_THAT([&] { rules.read_output("= 3", 1); },
              ThrowsMessage<FigureError>(AllOf(HasSubstr("no unit"), HasSubstr("a unit, into"))));
  const FigureRules bare = rule();
  EXPECT_THAT(values(bare.read_output("= 3 runs", 1)), ElementsAre(3));
  EXPECT_THAT([&] { bare.read_output("= 3 us", 1); },
              ThrowsMessage<FigureError>(HasSubstr("had no unit")));
}

TEST(FigureUnits, InJsonTheyStandInTheTextOrBeside) {
  EXPECT_THAT(json_time(R"({"time": "900 us"})"), ElementsAre(0.9));
  EXPECT_THAT(
      of_told_unit(FigureRule::Source::kJson, "time", R"({"time": ["900us", "1.2 ms", 3]})"),
      ElementsAre(0.9, 1.2, 3));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "power": 3, "time_unit": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "power": 3, "unit": "W"})"), ElementsAre(900));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": "GPU"})"), ElementsAre(900));
  EXPECT_THAT(at_path("benchmarks.0.real_time", kGoogleBenchmark), ElementsAre(2.5));
  EXPECT_THAT(complaint(R"({"time": "900 runs"})"),
              AllOf(HasSubstr("'900 runs'"), HasSubstr("'runs', which is no unit")));
  EXPECT_THAT(complaint(R"({"time": "runs 900 us"})"), HasSubstr("neither a number"));
  EXPECT_THAT(complaint(R"({"time": 900, "unit": "MB"})"), HasSubstr("'MB'"));
  EXPECT_THAT(json_time(R"({"time": 900, "units": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": " us "})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": "[us]"})"), ElementsAre(0.9));
  EXPECT_THAT(complaint(R"({"time": 900, "time_unit": 3})"), HasSubstr("'time_unit' is no text"));
  const FigureRules rate({objective("MB/s")},
                         {{FigureRule::Source::kJson, "benchmarks.0.bytes_per_second"}});
  EXPECT_THAT(values(rate.read_output(kGoogleBenchmark, 1)), ElementsAre(4000));
}

TEST(FigureUnits, InJsonATextMayHaveAnErrorBeforeThem) {
  for (const char* text : {"900 \u00b1 3 us", "900 +- 1% us", "900, us", "900 us per iteration",
                           "900 (+/- 3) us", "900+-3us"}) {
    EXPECT_THAT(json_time(R"({"time": ")" + std::string(text) + R"("})"), ElementsAre(0.9)) << text;
  }
  EXPECT_THAT(complaint(R"({"time": "900 us done"})"), HasSubstr("no unit that we know"));
  EXPECT_THAT(complaint(R"({"time": "900 +- 3 us done"})"), HasSubstr("no unit that we know"));
  EXPECT_THAT(complaint(R"({"time": "900 e-3 us"})"), HasSubstr("goes on behind what was read"));
  EXPECT_THAT(complaint(R"({"time": "900 * 1e-6 s"})"), HasSubstr("goes on behind what was read"));
}

TEST(FigureUnits, InJsonTheyAreNotLeftOutForTheirSpelling) {
  EXPECT_THAT(json_time(R"({"time": 900, "Unit": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "UNITS": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": "us per iteration"})"), ElementsAre(0.9));
  EXPECT_THAT(complaint(R"({"time": 900, "unit": ["us"]})"), HasSubstr("'unit' is no text"));
  EXPECT_THAT(json_time(R"({"time": 900, "unit": 5})"), ElementsAre(900)) << "a number of its own";
  const auto at = [](const char* key, const char* output) {
    return values(
        FigureRules({objective("ms")}, {{FigureRule::Source::kJson, key}}).read_output(output, 1));
  };
  EXPECT_THAT(at("latency", R"({"latency": 900, "time_unit": "us"})"), ElementsAre(0.9));
  EXPECT_THAT(at("time_us_mean", R"({"time_us_mean": 900})"), ElementsAre(0.9));
  EXPECT_THAT(at("time_us_p95", R"({"time_us_p95": 900})"), ElementsAre(0.9));
  EXPECT_THAT(at("timeUs", R"({"timeUs": 900})"), ElementsAre(0.9));
  EXPECT_THAT(at("us", R"({"us": 900})"), ElementsAre(0.9));
  EXPECT_THAT(at("min", R"({"min": 900})"), ElementsAre(900)) << "the least";
  const FigureRules bytes({objective("MB")}, {{FigureRule::Source::kJson, "peak"}});
  EXPECT_THAT(values(bytes.read_output(R"({"peak": 3, "time": 1, "time_unit": "us"})", 1)),
              ElementsAre(3));
}

std::string complaint_of_match(const std::string& expression, std::string_view output,
                               const std::string& unit = "ms") {
  try {
    FigureRules({objective(unit)}, {{FigureRule::Source::kRegex, expression}})
        .read_output(output, 1);
  } catch (const FigureError& e) {
    return e.what();
  }
  return {};
}

std::vector<double> at_key(const std::string& key, const std::string& unit,
                           const std::string& name = "figure") {
  search::Objective of = objective(unit);
  of.name = name;
  const FigureRules rules({of}, {{FigureRule::Source::kJson, key}});
  return values(rules.read_output("{\"" + key + "\": 900}", 1));
}

TEST(FigureUnits, InJsonTheKeyMayEndWithThem) {
  EXPECT_THAT(at_key("time_us", "ms"), ElementsAre(0.9));
  EXPECT_THAT(at_key("time_s", "ms"), ElementsAre(900000));
  EXPECT_THAT(at_key("latency_nsec", "us"), ElementsAre(0.9));
  EXPECT_THAT(at_key("moved_MB", "GB"), ElementsAre(0.9));
  EXPECT_THAT(at_key("time_us", ""), ElementsAre(0.9));
  EXPECT_THAT(at_key("time_us", "", "time_us"), ElementsAre(900)) << "its own name";
  EXPECT_THAT([] { at_key("time_us", "GB/s"); },
              ThrowsMessage<FigureError>(AllOf(HasSubstr("'time_us' is in 'us'"),
                                               HasSubstr("'GB/s'"), HasSubstr("'time_us_unit'"))));
  EXPECT_THAT(at_key("time_min", "s"), ElementsAre(900)) << "the least";
  EXPECT_THAT([] { at_key("bytes_per_second", ""); },
              ThrowsMessage<FigureError>(HasSubstr("is a rate")));
  EXPECT_THAT(at_key("bytes_per_second", "kB/s"), ElementsAre(0.9));
  EXPECT_THAT(at_key("rows_per_second", "GB/s"), ElementsAre(900));
  EXPECT_THAT(at_key("total_flops", ""), ElementsAre(900)) << "may be a count";
  EXPECT_THAT(at_key("time_h", "s"), ElementsAre(900)) << "may be the hidden size";
  const FigureRules rules({objective("ms")}, {{FigureRule::Source::kJson, "time_us"}});
  EXPECT_THAT(values(rules.read_output(R"({"time_us": "900 ns"})", 1)), ElementsAre(9e-4));
  EXPECT_THAT(values(rules.read_output(R"({"time_us": 900, "time_us_unit": "ms"})", 1)),
              ElementsAre(900));
}

TEST(FigureUnits, OfOneOperationAndOfAllAreTwoQuantities) {
  const auto mixed = [](const char* first, const char* second) {
    const FigureRules rules({objective("ms")}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}});
    rules.read_output(first, 1);
    rules.read_output("= 3", 1);  // in the objective's
    rules.read_output(second, 1);
  };
  EXPECT_THAT([&] { mixed("= 900 us/op", "= 1.2 ms"); },
              ThrowsMessage<FigureError>(AllOf(HasSubstr("of all operations by its unit"),
                                               HasSubstr("an earlier one of one operation"))));
  EXPECT_THAT([&] { mixed("= 1.2 ms", "= 900 us/op"); }, ThrowsMessage<FigureError>(HasSubstr("")));
  EXPECT_NO_THROW(mixed("= 900 us/op", "= 1.2 ms/iter"));
}

TEST(FigureUnits, OfOneOperationAreTimes) {
  EXPECT_THAT(matched("= ([0-9.]+)", "= 900 us/op, = 500 us/iter, = 2 s/it"),
              ElementsAre(0.9, 0.5, 2000));
  EXPECT_THAT(json_time(R"({"time": "900 us/op"})"), ElementsAre(0.9));
  EXPECT_THAT(json_time(R"({"time": 900, "time_unit": "us/op"})"), ElementsAre(0.9));
}

TEST(FigureUnits, ThatWeDoNotKnowAreErrorsWhereverTheyStand) {
  for (const char* text :
       {"410 US", "500 parsecs", "400 m", "0.9 us/parsec", "3 tok/s", "12k", "3x", "93 %"}) {
    EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= " + std::string(text)), HasSubstr("'figure'"))
        << text;
    EXPECT_THAT(complaint(R"({"time": ")" + std::string(text) + "\"}"), HasSubstr("'time'"))
        << text;
  }
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 500 parsecs"),
              AllOf(HasSubstr("'parsecs', which is no unit that we know"),
                    HasSubstr("unit = \"parsecs\"")));
  EXPECT_THAT(complaint_of_match("\\(US\\) = ([0-9.]+)", "(US) = 3"), HasSubstr("'US'"));
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 1.2e-05 s"), HasSubstr("goes on"));
  EXPECT_THAT(complaint(R"({"time": 600, "time_unit": "fortnight"})"), HasSubstr("'fortnight'"));
  EXPECT_THAT(complaint(R"({"time": 600, "time_unit": "rounds"})"), HasSubstr("'rounds'"));
  EXPECT_THAT(complaint(R"({"time": 600, "unit": "US"})"), HasSubstr("'US'"));
  EXPECT_THAT(complaint(R"({"time": [600, 601], "unit": "fortnight"})"), HasSubstr("'fortnight'"));
}

TEST(FigureUnits, ANumberWithItsThousandsSetApartIsNotReadInPart) {
  for (const char* text : {"1,503.78 us", "1,503", "12,345,678", "1'503.78", "1_503"}) {
    EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= " + std::string(text)),
                HasSubstr("thousands set apart"))
        << text;
  }
  EXPECT_THAT(complaint_of_match("([0-9.]+) us", "= 1,503.78 us"),
              HasSubstr("thousands set apart"));
  // Where it stands between numbers: in what the expression matches, or by how many digits there
  // are.
  EXPECT_THAT(matched("= ([0-9]+),", "= 1,503"), ElementsAre(1));
  EXPECT_THAT(matched("= [0-9]+,([0-9]+)", "= 1,503"), ElementsAre(503));
  EXPECT_THAT(matched("= ([0-9.]+)", "= 1.25,503"), ElementsAre(1.25));
  EXPECT_THAT(matched("= ([0-9.]+)", "= 1,50,7"), ElementsAre(1)) << "columns";
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 1,50"), HasSubstr("decimal comma"));
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 1,5034"), HasSubstr("decimal comma"));
  EXPECT_THAT(matched("= ([0-9.]+)", "= 1, 503"), ElementsAre(1));
}

// Where all of it is the figure it is read; a part of it is none.
TEST(FigureUnits, ATimeMayHaveParts) {
  const std::pair<const char*, double> times[] = {
      {"1m30s", 9e4},     {"1h 30m", 5.4e6}, {"5 min 30 s", 3.3e5}, {"1 s 500 ms", 1500},
      {"1m23.5s", 83500}, {"0:01.25", 1250}, {"1:02:03", 3723000}};
  for (const auto& [text, milliseconds] : times) {
    EXPECT_THAT(json_time(R"({"time": ")" + std::string(text) + "\"}"), ElementsAre(milliseconds))
        << text;
    EXPECT_THAT(matched("= (.*)", "= " + std::string(text)), ElementsAre(milliseconds)) << text;
    EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= " + std::string(text)),
                HasSubstr("first part of a time"))
        << text;
  }
  EXPECT_THAT(complaint(R"({"time": "1:23"})"), HasSubstr("'time'")) << "min or h";
  EXPECT_THAT(complaint_of_match("= (.*)", "= 1m30s", "GB/s"), HasSubstr("'GB/s'"));
}

TEST(FigureUnits, OfARangeStandsBehindItsLastNumber) {
  EXPECT_THAT(matched("= ([0-9.]+) to", "= 900 to 1100 us"), ElementsAre(0.9));
  EXPECT_THAT(matched("to ([0-9.]+)", "= 900 to 1100 us"), ElementsAre(1.1));
  EXPECT_THAT(matched("= ([0-9.]+)/", "min/avg = 300/400 us"), ElementsAre(0.3));
  EXPECT_THAT(matched("= ([0-9]+),", "= 12,503 us"), ElementsAre(12)) << "columns";
}

TEST(FigureUnits, ATextOfTwoNumbersIsNoFigure) {
  for (const char* text : {"9 * 2 us", "9 to 11 us", "9-11 us", "12 500 us", "1.503,78 us",
                           "1,5 us", "9/11 us", "9 us - 11 us", "9 us 11 us", "9 us of 11 us"}) {
    EXPECT_THAT(complaint(R"({"time": ")" + std::string(text) + "\"}"), HasSubstr("'time'"))
        << text;
    EXPECT_THAT(complaint_of_match("= (.*)", "= " + std::string(text)), HasSubstr("'figure'"))
        << text;
  }
}

TEST(FigureUnits, AnErrorOrARemarkMayStandBehindTheUnit) {
  for (const char* text : {"900 us (+- 3 us)", "900 us +- 3 us", "900 us [890 us, 910 us]",
                           "900 +- 3 us", "900 (890 - 910) us", "900, us"}) {
    EXPECT_THAT(json_time(R"({"time": ")" + std::string(text) + "\"}"), ElementsAre(0.9)) << text;
  }
}

TEST(FigureUnits, TheLastPartOfATimeIsNoFigure) {
  for (const char* text : {"real 1m2.5s", "took 1h30m"}) {
    EXPECT_THAT(complaint_of_match("([0-9.]+)[sm]$", text), HasSubstr("last part of a time"));
  }
  EXPECT_THAT(matched("([0-9.]+)s", "real 62.5s"), ElementsAre(62500));
  EXPECT_THAT(matched("([0-9.]+)", "m2 5 ms"), ::testing::Contains(5));
}

TEST(FigureUnits, WordsThatAreNoneAreLeftAlone) {
  EXPECT_THAT(matched("= ([0-9.]+)", "= 410 iterations done"), ElementsAre(410));
  EXPECT_THAT(matched("time: ([0-9.]+)", "time: 1.23 (best of 5)"), ElementsAre(1.23));
  EXPECT_THAT(matched("avg ([0-9.]+)", "avg 5 min 3 max 9"), ElementsAre(5));
  EXPECT_THAT(matched("([0-9.]+)user", "0.12user 0.01system"), ElementsAre(0.12));
  EXPECT_THAT(matched("m ([0-9.]+)", "m 3 n 4 k 5"), ElementsAre(3));
}

TEST(FigureUnits, TheObjectivesOwnWordIsOneWhateverItIs) {
  const auto read = [&](const std::string& unit, std::string_view output) {
    return values(FigureRules({objective(unit)}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}})
                      .read_output(output, 1));
  };
  EXPECT_THAT(read("parsecs", "= 500 parsecs"), ElementsAre(500));
  EXPECT_THAT(read("tok/s", "= 500 tok/s = 3"), ElementsAre(500, 3));
  EXPECT_THAT(read("", "= 93 % = 94 percent"), ElementsAre(93, 94)) << "without a dimension";
  EXPECT_THAT(read("", "= 3x = 4"), ElementsAre(3, 4)) << "without a dimension";
  EXPECT_THAT(read("%", "= 93 % = 94"), ElementsAre(93, 94));
  EXPECT_THAT(read("", "= 93 Figure"), ElementsAre(93)) << "its name";
  const FigureRules json({objective("fortnight")}, {});
  EXPECT_THAT(values(json.read_output(R"({"figure": 6, "figure_unit": "fortnight"})", 1)),
              ElementsAre(6));
  EXPECT_THAT(values(json.read_output(R"({"figure": "6 fortnight"})", 1)), ElementsAre(6));
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 3 us", "tok/s"),
              AllOf(HasSubstr("'us'"), HasSubstr("'tok/s'")));
  EXPECT_THAT(complaint_of_match("= ([0-9.]+)", "= 3 parsecs", ""), HasSubstr("'parsecs'"));
}

// Each is what was read as the bare number, and was many times as good as the other.
TEST(FigureUnits, NumbersOfTwoScalesAreNotCompared) {
  const std::pair<const char*, const char*> pairs[] = {
      {"= 0.95", "= 94 %"},
      {"= 1.5x", "= 140%"},
      {"= 900 tokens", "= 1.2 Ktokens"},
      {"= 900 requests per second", "= 5400 requests per minute"},
      {"= 900 successful HTTP requests a second", "= 5 successful HTTP requests an hour"},
      {"Requests/sec = 900", "Requests/min = 5400"},
      {"= 900 Ki", "= 1.2 Mi"},
      {"= 900 mA", "= 1.2 A"},
      {"= 900 nm", "= 1.2 um"}};
  for (const auto& [one, other] : pairs) {
    for (const bool is_turned : {false, true}) {
      search::Objective wanted = objective("");
      wanted.direction = search::Direction::kMaximise;
      const FigureRules rules({wanted}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}});
      EXPECT_THROW(
          {
            rules.read_output(is_turned ? other : one, 1);
            rules.read_output(is_turned ? one : other, 1);
          },
          FigureError)
          << one << ", " << other;
    }
  }
}

TEST(FigureUnits, NorWithAnObjectiveOfAnotherScale) {
  for (const auto& [unit, text] :
       {std::pair{"%", "= 1.5x"}, std::pair{"x", "= 140%"}, std::pair{"mA", "= 1.2 A"},
        std::pair{"Ktokens", "= 900 tokens"}, std::pair{"req/s", "= 5400 requests per minute"}}) {
    search::Objective wanted = objective(unit);
    wanted.direction = search::Direction::kMaximise;
    const FigureRules rules({wanted}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}});
    EXPECT_THROW(rules.read_output(text, 1), FigureError) << unit << ", " << text;
  }
}

// What each evaluation has a process of its own for: scheduler/trials/report_check.h.
TEST(FigureUnits, TheScaleIsToldOfEachEvaluation) {
  const auto told = [](const char* text) {
    search::Objective wanted = objective("");
    wanted.direction = search::Direction::kMaximise;
    const FigureRules rules({wanted}, {{FigureRule::Source::kRegex, "= ([0-9.]+)"}});
    rules.read_output(text, 1);
    const auto conditions = rules.conditions();
    return conditions.empty() ? "" : conditions.front().second;
  };
  EXPECT_EQ(told("= 0.95"), "");
  EXPECT_EQ(told("= 1.5x"), "");
  EXPECT_EQ(told("= 94 %"), "%");
  EXPECT_EQ(told("= 900 requests per second in all"), "requests per second");
  EXPECT_EQ(told("Requests/min = 5400"), "/min");
}

TEST(FigureUnits, ConversionsStayFinite) {
  const FigureRules rules({objective("ns")}, {});
  EXPECT_THAT([&] { rules.read_output(R"({"figure": "1e308 h"})", 1); },
              ThrowsMessage<FigureError>(HasSubstr("no finite number")));
}

search::TrialOutcome reported(std::string_view line) {
  return std::get<search::TrialOutcome>(FigureRules({kTime}, {}).read_reply(line, 1));
}

TEST(Figures, ErrorIsATypedFailure) {
  EXPECT_EQ(reported("{\"error\": \"no\", \"kind\": \"build_failed\"}"),
            search::TrialOutcome(search::BuildFailed{"no"}));
  EXPECT_EQ(reported("{\"error\": \"no\"}"), search::TrialOutcome(search::LaunchFailed{"no"}));
  EXPECT_EQ(reported("{\"error\": \"no\", \"kind\": \"other\"}"),
            search::TrialOutcome(search::LaunchFailed{"no"}));
  const auto wrong = std::get<search::WrongResult>(
      reported("{\"error\": \"off\", \"kind\": \"wrong_result\", \"output\": \"c\", "
               "\"element\": 4, \"got\": 1, \"expected\": 3}"));
  EXPECT_EQ(wrong.message, "off");
  EXPECT_EQ(wrong.output, "c");
  EXPECT_EQ(wrong.element, 4u);
  EXPECT_EQ(wrong.error, 2);
}

TEST(Figures, IntegersThatNoDoubleHasAreToldWithAllDigits) {
  const auto told = [](const std::string& words, const char* got, const char* expected) {
    return search::describe(reported(R"({"error": ")" + words +
                                     R"(", "kind": "wrong_result", "output": "c", "element": 4, )"
                                     R"("got": )" +
                                     got + R"(, "expected": )" + expected + "}"));
  };
  EXPECT_EQ(told("off\\nmore", "9007199254740993", "9007199254740992"),
            "wrong result: off; c[4] is 9007199254740993 where 9007199254740992 was expected");
  EXPECT_EQ(told("off", "-9223372036854775807", "18446744073709551615"),
            "wrong result: off; c[4] is -9223372036854775807 where 18446744073709551615 was "
            "expected");
  EXPECT_EQ(told("c[4] is 9007199254740993", "9007199254740993", "9007199254740992"),
            "wrong result: c[4] is 9007199254740993");
  EXPECT_EQ(told("off", "1", "3"), "wrong result: off; c[4] is 1 where 3 was expected");
}

TEST(Figures, AReplyIsNoAnswerWhenItHasNeitherFigureNorError) {
  const FigureRules rules({kTime, kPower}, {});
  const auto flaw = [&](std::string_view line) { return rules.flaw_in_reply(object_in(line)); };
  EXPECT_EQ(flaw("{\"time\": 1, \"power\": \"what?\"}"), "") << "an answer, if a bad one";
  EXPECT_EQ(flaw("{\"error\": \"no\"}"), "");
  EXPECT_EQ(flaw("{\"time\": 1}"), "it has no 'power' and no 'error'");
  EXPECT_EQ(flaw("{\"level\": \"info\", \"error\": null}"), "it has no 'time' and no 'error'");
}

TEST(Figures, AByteOrderMarkIsNoPartOfTheLine) {
  EXPECT_THAT(json_time("\xEF\xBB\xBF{\"time\": 3}\n"), ElementsAre(3));
}

TEST(Figures, AFigureMayBeCalledError) {
  const FigureRules rules({kTime, {"error", ""}}, {});
  EXPECT_THAT(values(rules.read_reply("{\"time\": 1, \"error\": 0.02}", 1), 1), ElementsAre(0.02));
  EXPECT_THAT(values(rules.read_reply("{\"time\": 1, \"error\": [0, 1]}", 1), 1),
              ElementsAre(0, 1));
  EXPECT_EQ(std::get<search::TrialOutcome>(rules.read_reply("{\"error\": \"no\"}", 1)),
            search::TrialOutcome(search::LaunchFailed{"no"}));
  EXPECT_EQ(reported("{\"time\": 1, \"error\": 2}"),
            search::TrialOutcome(search::LaunchFailed{"an error without words"}));
}

TEST(Figures, NullErrorIsNone) {
  EXPECT_THAT(json_time("{\"error\": null, \"time\": 1}"), ElementsAre(1));
}

TEST(Figures, NestingWithoutEndIsNoObject) {
  std::string deep = "{\"time\": ";
  deep += std::string(100000, '[');
  EXPECT_TRUE(object_in(deep).is_discarded());
  deep += std::string(100000, ']') + "}";
  EXPECT_THAT(complaint(deep), HasSubstr("'time'"));
}

TEST(Figures, RulesThatCannotWorkAreRefused) {
  const auto refused = [](search::Objective objective, FigureRule rule) {
    return [=] { FigureRules({objective}, {rule}); };
  };
  EXPECT_THAT(refused(kTime, {FigureRule::Source::kRegex, "("}),
              ThrowsMessage<std::runtime_error>(HasSubstr("no regular expression")));
  EXPECT_THAT(refused(kTime, {FigureRule::Source::kRegex, "t=.*"}),
              ThrowsMessage<std::runtime_error>(HasSubstr("no group")));
  EXPECT_THAT(refused(kPower, {FigureRule::Source::kWallTime, ""}),
              ThrowsMessage<std::runtime_error>(HasSubstr("'W'")));
}

}  // namespace
}  // namespace nightshift::evaluator
