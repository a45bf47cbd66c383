#include "problems/recorded_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <variant>

#include "problems/readers/json_format.h"
#include "problems/readers/recorded/kernel_tuner_cache.h"
#include "tests/fakes/paths.h"
#include "tests/problems/data_files.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using search::Configuration;
using search::Value;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Configuration stencil(std::int64_t block, std::int64_t tile, std::int64_t unroll,
                      const std::string& order) {
  return Configuration({{"block", block}, {"tile", tile}, {"unroll", unroll}, {"order", order}});
}

std::string error_of(const std::string& json) {
  try {
    RecordedSpace::parse(json, "space.json");
  } catch (const RecordedSpaceError& error) {
    return error.what();
  }
  return "no error";
}

// A cache of one parameter and the given entries.
std::string cache_with(const std::string& entries) {
  return R"({"device_name": "d", "kernel_name": "k", "tune_params_keys": ["x"],
             "tune_params": {"x": [1, 2, 3]}, "objective": "time", "cache": {)" +
         entries + "}}";
}

TEST(RecordedTexts, AControlCharacterIsRefused) {
  for (const char* text : {"\"a\\u0000b\"", "\"\\u001b\"", "\"\\u007f\""}) {
    EXPECT_THAT(error_of(cache_with("\"a\": {\"x\": " + std::string(text) + ", \"time\": 1}")),
                HasSubstr(", with a control character"))
        << text;
  }
}

TEST(RecordedNumbers, AWholeParameterBeyond64BitsIsRefused) {
  const auto entry = [](const std::string& x) {
    return cache_with("\"a\": {\"x\": " + x + ", \"time\": 1, \"n\": 18446744073709551619}");
  };
  for (const char* number :
       {"9223372036854775808", "18446744073709551616", "-9223372036854775809"}) {
    EXPECT_THAT(error_of(entry(number)),
                AllOf(HasSubstr("beyond 64 bits"), HasSubstr("to 9223372036854775807")))
        << number;
  }
  for (const char* number : {"9223372036854775807", "-9223372036854775808", "1e19"}) {
    EXPECT_EQ(error_of(entry(number)), "no error") << number;
  }
}

class EachFormat : public ::testing::TestWithParam<const char*> {
 protected:
  const RecordedSpace space_ = RecordedSpace::read(data_file(GetParam()));
};

TEST_P(EachFormat, HasEveryConfigurationInTheOrderOfTheFile) {
  ASSERT_THAT(space_.trials(), SizeIs(70));
  EXPECT_EQ(space_.trials().front().configuration, stencil(32, 1, 0, "rows"));
  EXPECT_EQ(space_.trials().back().configuration, stencil(16, 4, 1, "columns"));
}

TEST_P(EachFormat, ListsNumbersInAscendingOrderAndTextsAsTheyCame) {
  ASSERT_THAT(space_.parameters(), SizeIs(4));
  EXPECT_EQ(space_.parameters()[0].name, "block");
  EXPECT_EQ(space_.parameters()[0].type, search::ParameterType::kInt);
  EXPECT_THAT(space_.parameters()[0].values,
              ElementsAre(Value(std::int64_t{16}), Value(std::int64_t{32}), Value(std::int64_t{64}),
                          Value(std::int64_t{128}), Value(std::int64_t{256})));
  EXPECT_THAT(space_.parameters()[3].values,
              ElementsAre(Value(std::string("rows")), Value(std::string("columns"))));
  EXPECT_EQ(space_.parameters()[3].type, search::ParameterType::kString);
}

TEST_P(EachFormat, MeasuresTimeInMilliseconds) {
  EXPECT_EQ(space_.objective(), (search::Objective{"time", "ms", search::Direction::kMinimise}));
}

TEST_P(EachFormat, HasTheRepetitionsOfAConfiguration) {
  const RecordedTrial* trial = space_.find(stencil(128, 3, 1, "rows"));
  ASSERT_NE(trial, nullptr);
  EXPECT_THAT(trial->values, ElementsAre(1.01, 1.03, 1.0, 1.02, 1.04));
}

TEST_P(EachFormat, ConvertsCostsToSeconds) {
  const RecordedTrial* trial = space_.find(stencil(128, 3, 1, "rows"));
  ASSERT_NE(trial, nullptr);
  EXPECT_DOUBLE_EQ(trial->build_seconds, 0.228);
  EXPECT_DOUBLE_EQ(trial->measure_seconds, 0.047);  // 43 + 1.5 + 0.5 + 2 ms
}

TEST_P(EachFormat, MapsFailuresToOutcomes) {
  const auto failure = [&](const Configuration& c) { return space_.find(c)->failure; };
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(failure(stencil(256, 4, 1, "rows"))));
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(failure(stencil(256, 4, 1, "columns"))));
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(failure(stencil(128, 4, 1, "rows"))));
  EXPECT_THAT(space_.find(stencil(256, 4, 1, "rows"))->values, SizeIs(0));
}

TEST_P(EachFormat, StartsFromTheFirstConfigurationThatWorked) {
  ASSERT_NE(space_.first_working(), nullptr);  // the very first failed
  EXPECT_EQ(space_.first_working()->configuration, stencil(32, 1, 0, "columns"));
}

INSTANTIATE_TEST_SUITE_P(Formats, EachFormat,
                         ::testing::Values("stencil.json", "stencil.json.gz", "stencil.T4.json",
                                           "stencil.T4.json.gz"));

TEST(RecordedSpace, FindsAConfigurationInAnyOrderAndSpelling) {
  const RecordedSpace space = RecordedSpace::read(data_file("stencil.json"));
  const Configuration shuffled({{"order", std::string("rows")},
                                {"unroll", true},
                                {"tile", 3.0},
                                {"block", std::int64_t{128}}});
  EXPECT_EQ(space.find(shuffled), space.find(stencil(128, 3, 1, "rows")));
  EXPECT_NE(space.find(shuffled), nullptr);
}

TEST(RecordedSpace, DoesNotFindWhatWasNotRecorded) {
  const RecordedSpace space = RecordedSpace::read(data_file("stencil.json"));
  EXPECT_EQ(space.find(stencil(128, 1, 1, "rows")), nullptr);  // excluded by the constraint
  EXPECT_EQ(space.find(stencil(127, 1, 0, "rows")), nullptr);
  EXPECT_EQ(space.find(Configuration()), nullptr);
  EXPECT_EQ(space.find(Configuration({{"block", std::int64_t{128}}})), nullptr);
}

TEST(KernelTunerCache, IsReadWhileItIsStillOpen) {
  const std::string whole = read_maybe_gzip(data_file("stencil.json"));
  const std::string open = whole.substr(0, whole.rfind("}\n}")) + ",\n";
  EXPECT_THAT(RecordedSpace::parse(open, "open").trials(), SizeIs(70));
}

TEST(KernelTunerCache, LosesOnlyTheEntryThatAKillCutShort) {
  const std::string whole = read_maybe_gzip(data_file("stencil.json"));
  const std::size_t last = whole.rfind("\"16,4,1,columns\"");
  for (std::size_t end = last + 1; end < whole.size() - 4; end += 7) {
    EXPECT_THAT(RecordedSpace::parse(whole.substr(0, end), "cut").trials(), SizeIs(69)) << end;
  }
}

TEST(KernelTunerCache, IsAnErrorWhenItIsCutBeforeTheFirstEntry) {
  const std::string whole = read_maybe_gzip(data_file("stencil.json"));
  const std::string head = whole.substr(0, whole.find("\"cache\": {") + 10);
  EXPECT_THAT(error_of(head), HasSubstr("has no configurations"));
}

TEST(KernelTunerCache, KnowsTheErrorsOfEveryVersion) {
  const RecordedSpace space = RecordedSpace::parse(
      cache_with(
          R"("1": {"x": 1, "time": 1e20}, "2": {"x": 2, "time": 5, "__error__": "TimeoutConfig"},
                    "3": {"x": 3, "time": "IncorrectResult"})"),
      "old");
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(space.trials()[0].failure));
  EXPECT_TRUE(std::holds_alternative<search::TimedOut>(space.trials()[1].failure));
  EXPECT_TRUE(std::holds_alternative<search::WrongResult>(space.trials()[2].failure));
  EXPECT_EQ(space.first_working(), nullptr);
}

TEST(KernelTunerCache, TakesTheMeanWhereRepetitionsAreMissing) {
  const auto space = RecordedSpace::parse(cache_with(R"("1": {"x": 1, "time": 2.5})"), "mean");
  EXPECT_THAT(space.trials()[0].values, ElementsAre(2.5));
}

TEST(KernelTunerCache, BearsNumbersThatJsonDoesNotHave) {
  const auto space =
      RecordedSpace::parse(cache_with(R"("1": {"x": 1, "time": NaN, "note": "NaN \" Infinity"},
                    "2": {"x": 2, "time": 3, "times": [2, Infinity, -Infinity, 4]})"),
                           "nan");
  EXPECT_TRUE(space.trials()[0].values.empty());
  EXPECT_THAT(space.trials()[1].values, ElementsAre(2, 4));
}

TEST(KernelTunerCache, IsReadInAnyOrderOfItsMembers) {
  const auto space = RecordedSpace::parse(
      R"({"cache": {"1": {"x": 1, "time": 2}}, "tune_params": {"x": [1]}, "tune_params_keys": ["x"]})",
      "sorted");
  EXPECT_THAT(space.trials(), SizeIs(1));
}

TEST(KernelTunerCache, MaximisesRates) {
  const auto space = RecordedSpace::parse(
      R"({"tune_params_keys": ["x"], "tune_params": {"x": [1]}, "objective": "GFLOP/s",
          "cache": {"1": {"x": 1, "time": 2, "times": [2, 2], "GFLOP/s": 50}}})",
      "rate");
  EXPECT_EQ(space.objective(),
            (search::Objective{"GFLOP/s", "GFLOP/s", search::Direction::kMaximise}));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(50));
}

// Members have no order: what decides how rows are read may stand behind them.
TEST(KernelTunerCache, RowsAreReadByAnObjectiveBehindThem) {
  const std::string rows = R"("cache": {
      "1": {"x": 1, "y": 2, "time": 5, "times": [5, 5], "GFLOP/s": 20},
      "2": {"x": 2, "y": 1, "time": 8, "times": [8, 8], "GFLOP/s": 12.5},
      "3": {"x": 3, "y": 1, "time": 1, "GFLOP/s": "RuntimeFailedConfig"}})";
  const std::string keys = R"("tune_params": {"x": [1, 2, 3], "y": [1, 2]})";
  const std::string order = R"("tune_params_keys": ["y", "x"])";
  const std::string objective = R"("objective": "GFLOP/s")";
  for (const auto& members :
       std::vector<std::vector<std::string>>{{objective, keys, order, rows},
                                             {keys, order, rows, objective},
                                             {keys, rows, objective, order},
                                             {rows, objective, order, keys},
                                             {keys, objective, rows, order}}) {
    std::string file;
    for (const std::string& member : members) file += (file.empty() ? "{" : ", ") + member;
    const auto space = RecordedSpace::parse(file + "}", "rate");
    EXPECT_EQ(space.objective(),
              (search::Objective{"GFLOP/s", "GFLOP/s", search::Direction::kMaximise}));
    ASSERT_THAT(space.trials(), SizeIs(3)) << file;
    EXPECT_EQ(space.parameters().front().name, "y") << file;
    EXPECT_THAT(space.trials()[0].values, ElementsAre(20)) << file;
    EXPECT_THAT(space.trials()[1].values, ElementsAre(12.5)) << file;
    EXPECT_THAT(space.trials()[2].values, SizeIs(0)) << file;
    EXPECT_THAT(space.remarks(), SizeIs(0)) << file;
  }
}

TEST(T4Results, TheTimeUnitMayStandBehindTheRows) {
  const std::string results = R"("results": [
      {"configuration": {"x": 1}, "times": {"compilation_time": 3, "runtimes": [900]}},
      {"configuration": {"x": 2}, "times": {"compilation_time": 3, "runtimes": [1000]}}])";
  const std::string metadata = R"("metadata": {"timeunit": "microseconds"})";
  for (const std::string& file : {metadata + ", " + results, results + ", " + metadata}) {
    const auto space = RecordedSpace::parse("{" + file + "}", "t4");
    EXPECT_EQ(space.objective().unit, "us");
    EXPECT_THAT(space.trials()[0].values, ElementsAre(900));
    EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 3e-6);
    EXPECT_THAT(space.remarks(), SizeIs(0));
  }
}

TEST(KttUnits, MayStandBehindTheRows) {
  const std::string results = R"("Results": [{"KernelName": "k", "Status": "Ok", "TotalDuration": 5,
      "TotalOverhead": 1, "Configuration": [{"Name": "x", "Value": 1}]}])";
  const std::string metadata = R"("Metadata": {"TimeUnit": "Microseconds"})";
  for (const std::string& file : {metadata + ", " + results, results + ", " + metadata}) {
    const auto space = RecordedSpace::parse("{" + file + "}", "ktt");
    EXPECT_EQ(space.objective().unit, "us");
    EXPECT_DOUBLE_EQ(space.trials()[0].measure_seconds, 6e-6);
    EXPECT_THAT(space.remarks(), SizeIs(0));
  }
}

TEST(RecordedRows, OfOneConfigurationAreJoinedAndSaid) {
  const auto space = RecordedSpace::parse(
      cache_with(R"("1": {"x": 1, "time": 2, "compile_time": 1000}, "2": {"x": 2, "time": 7},
                    "1.0": {"x": 1.0, "time": 3, "times": [3, 4], "compile_time": 3000})"),
      "twice");
  ASSERT_THAT(space.trials(), SizeIs(2));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(2, 3, 4));
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 2);
  EXPECT_THAT(space.trials()[1].values, ElementsAre(7));
  EXPECT_THAT(space.remarks(),
              Contains(HasSubstr("1 of 2 configurations have several rows, up to 2")));
}

TEST(RecordedRows, OneThatMostlyFailedIsAFailure) {
  const std::string fails = R"("__error__": "CompilationFailedConfig")";
  const auto space = RecordedSpace::parse(
      cache_with(R"("a": {"x": 1, )" + fails + R"(}, "b": {"x": 1, "time": 2},
                    "c": {"x": 2, "time": 3}, "d": {"x": 2, )" +
                 fails + R"(}, "e": {"x": 2, )" + fails + R"(}, "f": {"x": 3, )" + fails +
                 R"(}, "g": {"x": 3, )" + fails + "}"),
      "mixed");
  ASSERT_THAT(space.trials(), SizeIs(3));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(2));
  EXPECT_THAT(space.trials()[1].values, SizeIs(0));
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(space.trials()[1].failure));
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(space.trials()[2].failure));
  EXPECT_THAT(space.remarks(),
              Contains(AllOf(HasSubstr("3 of 3 configurations"),
                             HasSubstr("2 of them failed in some rows and worked in others, and 1 "
                                       "of these count as failed"))));
}

TEST(RecordedRows, SingleOnesAreNotRemarked) {
  const auto space = RecordedSpace::parse(
      cache_with(R"("1": {"x": 1, "time": 2}, "2": {"x": 2, "time": 3})"), "once");
  EXPECT_THAT(space.remarks(), SizeIs(0));
}

// --- Units ---

// A T4 file with results of these members, and metadata.
std::string t4_with(const std::vector<std::string>& results, const std::string& metadata = "") {
  std::string text;
  for (const std::string& result : results) {
    text += (text.empty() ? R"({"configuration": {"x": )" : R"(, {"configuration": {"x": )") +
            std::to_string(text.size()) + "}, " + result + "}";
  }
  return R"({"results": [)" + text + "]" + metadata + "}";
}

std::string ktt_like(const std::string& runtimes, const std::string& value,
                     const std::string& unit) {
  return R"("objectives": ["TotalDuration"], "times": {"compilation_time": 1000000, "runtimes": )" +
         runtimes + R"(}, "measurements": [{"name": "TotalDuration", "value": )" + value +
         R"(, "unit": ")" + unit + "\"}]";
}

TEST(T4Units, TimesAreInTheUnitInWhichTheFigureIsTheRuntimes) {
  const auto space =
      RecordedSpace::parse(t4_with({ktt_like("[3000.0]", "3000.0", "Microseconds")}), "ktt");
  EXPECT_EQ(space.objective().unit, "us");
  EXPECT_THAT(space.trials()[0].values, ElementsAre(3000));
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 1);
  EXPECT_DOUBLE_EQ(space.trials()[0].measure_seconds, 3e-3);
  EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("its times are read in us")));
}

TEST(T4Units, AlsoWhereTheFigureIsInAnotherUnit) {
  const auto space =
      RecordedSpace::parse(t4_with({ktt_like("[2000, 3000, 9000]", "3", "ms")}), "ktt");
  EXPECT_EQ(space.objective().unit, "ms");
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 1);
  EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("its times are read in us")));
}

TEST(T4Units, MetadataGoesBeforeWhatLooksLikely) {
  const auto space = RecordedSpace::parse(t4_with({ktt_like("[3000.0]", "3000.0", "Microseconds")},
                                                  R"(, "metadata": {"timeunit": "Milliseconds"})"),
                                          "ktt");
  EXPECT_EQ(space.objective().unit, "us");
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 1000);
  EXPECT_THAT(space.remarks(), SizeIs(0));
}

TEST(T4Units, WithoutRuntimesTimesAreInTheUnitOfTheFigure) {
  const auto space = RecordedSpace::parse(t4_with({ktt_like("[]", "3000", "us")}), "ktt");
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 1);
  EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("taken for us, the unit of 'TotalDuration'")));
}

TEST(T4Units, WithoutAnyUnitMillisecondsAreAssumedAndSaid) {
  const auto space = RecordedSpace::parse(t4_with({R"("times": {"runtimes": [5]})"}), "bare");
  EXPECT_EQ(space.objective().unit, "ms");
  EXPECT_DOUBLE_EQ(space.trials()[0].measure_seconds, 5e-3);
  EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("taken for ms")));
}

TEST(T4Units, FiguresInSeveralUnitsAreConvertedIntoTheFirst) {
  const auto space = RecordedSpace::parse(
      t4_with({ktt_like("[]", "900", "us"), ktt_like("[]", "1.2", "Milliseconds"),
               ktt_like("[]", "[1, 2]", "ms")}),
      "mixed");
  EXPECT_EQ(space.objective().unit, "us");
  EXPECT_THAT(space.trials()[0].values, ElementsAre(900));
  EXPECT_THAT(space.trials()[1].values, ElementsAre(1200));
  EXPECT_THAT(space.trials()[2].values, ElementsAre(1000, 2000));
}

TEST(T4Units, OfOneOfManyOperationsAreThoseUnits) {
  const auto space = RecordedSpace::parse(
      t4_with({ktt_like("[]", "900", "us"), ktt_like("[]", "1.2", "ms/iter")}), "mixed");
  EXPECT_THAT(space.trials()[1].values, ElementsAre(1200));
}

TEST(T4Units, ATimeInAnotherUnitThanTheTimesIsConverted) {
  const std::string time =
      R"("objectives": ["time"], "times": {}, "measurements": [{"name": "time",)";
  const auto space = RecordedSpace::parse(t4_with({time + R"("value": [900, 800], "unit": "us"}])",
                                                   time + R"("value": 2, "unit": "s"}])"},
                                                  R"(, "metadata": {"timeunit": "ms"})"),
                                          "time");
  EXPECT_EQ(space.objective().unit, "ms");
  EXPECT_THAT(space.trials()[0].values, ElementsAre(0.9, 0.8));
  EXPECT_THAT(space.trials()[1].values, ElementsAre(2000));
}

TEST(T4Units, ATimeThatIsNoTimeIsReplayedAndItsRuntimesAreNot) {
  const auto result = [](const std::string& value, const std::string& unit) {
    return R"("times": {"runtimes": [5, 7]}, "measurements": [{"name": "time", "value": )" + value +
           R"(, "unit": ")" + unit + "\"}]";
  };
  for (const std::string unit : {"cycles", "ticks", "MiB"}) {
    const auto space =
        RecordedSpace::parse(t4_with({result("900", unit), result("800", unit)}), "t4");
    EXPECT_EQ(space.objective().unit, unit);
    EXPECT_THAT(space.trials()[0].values, ElementsAre(900)) << unit;
    EXPECT_THAT(space.trials()[1].values, ElementsAre(800)) << unit;
  }
  const auto timed = RecordedSpace::parse(t4_with({result("6", "ms")}), "t4");
  EXPECT_THAT(timed.trials()[0].values, ElementsAre(5, 7));
  EXPECT_THROW(RecordedSpace::parse(t4_with({result("900", "cycles"), result("6", "ms")}), "t4"),
               RecordedSpaceError);
}

TEST(T4Units, OfTwoQuantitiesAreAMistakeOfTheFile) {
  EXPECT_THAT(error_of(t4_with({ktt_like("[]", "900", "us"), ktt_like("[]", "3", "MB")})),
              AllOf(HasSubstr("result 2"), HasSubstr("'MB'"), HasSubstr("'us'")));
  EXPECT_THAT(error_of(t4_with({R"("times": {"runtimes": [5]})"},
                               R"(, "metadata": {"timeunit": "fortnights"})")),
              AllOf(HasSubstr("'fortnights'"), HasSubstr("no unit of time")));
  EXPECT_THAT(
      error_of(t4_with({R"("times": {"runtimes": [5]})"}, R"(, "metadata": {"timeunit": 5})")),
      HasSubstr("metadata.timeunit is 5, which is no unit of time"));
}

TEST(T4Units, AnObjectiveMayNameItsUnit) {
  const auto space =
      RecordedSpace::parse(t4_with({R"("objectives": [{"name": "run", "unit": "us"}], "times": {},
                  "measurements": [{"name": "run", "value": 7}])"}),
                           "object");
  EXPECT_EQ(space.objective().name, "run");
  EXPECT_EQ(space.objective().unit, "us");
}

// As "GB/s" says, whether it stands with the objective or with its first, or a later, figure.
TEST(T4Units, ARateIsBetterWhenItIsHigherWhereverItsUnitStands) {
  const auto direction = [](const std::string& objective, const std::string& unit,
                            const std::string& metadata = "") {
    const std::string named = R"("objectives": [)" + objective + R"(], "times": {}, )" +
                              R"("measurements": [{"name": "triad", "value": 7)";
    const auto space =
        RecordedSpace::parse(t4_with({named + "}]", named + unit + "}]"}, metadata), "rates");
    EXPECT_EQ(space.has_direction(), !metadata.empty());
    return space.objective().direction;
  };
  const std::string name = "\"triad\"", unit = R"(, "unit": "GB/s")";
  const auto maximise = search::Direction::kMaximise, minimise = search::Direction::kMinimise;
  EXPECT_EQ(direction(name, unit), maximise);
  EXPECT_EQ(direction(R"({"name": "triad", "unit": "GB/s"})", ""), maximise);
  EXPECT_EQ(direction(name, ""), minimise);
  EXPECT_EQ(direction(name, R"(, "unit": "us")"), minimise);
  EXPECT_EQ(direction(name, "", R"(, "metadata": {"directions": {"triad": "maximise"}})"),
            maximise);
  EXPECT_EQ(direction(name, unit, R"(, "metadata": {"directions": {"triad": "minimise"}})"),
            minimise);
}

TEST(KttUnits, OneThatIsNoneIsAMistakeAndOneThatIsMissingIsSaid) {
  const auto ktt = [](const std::string& metadata) {
    return R"({"Metadata": {)" + metadata + R"(}, "Results": [{"KernelName": "k", "Status": "Ok",
      "TotalDuration": 5, "TotalOverhead": 1, "Configuration": [{"Name": "x", "Value": 1}]}]})";
  };
  EXPECT_EQ(RecordedSpace::parse(ktt(R"("TimeUnit": "Microseconds")"), "k").objective().unit, "us");
  EXPECT_THAT(RecordedSpace::parse(ktt(R"("Device": "d")"), "k").remarks(),
              ElementsAre(HasSubstr("taken for ms")));
  EXPECT_THAT(error_of(ktt(R"("TimeUnit": "Ticks")")), HasSubstr("'Ticks'"));
}

TEST(T4Results, ConvertsTheTimeUnitOfItsMetadata) {
  const auto space = RecordedSpace::parse(
      R"({"results": [{"configuration": {"x": 1}, "invalidity": "correct",
                       "times": {"compilation_time": 2000, "runtimes": [5, 7]}}],
          "metadata": {"timeunit": "microseconds"}})",
      "micro");
  EXPECT_EQ(space.objective().unit, "us");
  EXPECT_THAT(space.trials()[0].values, ElementsAre(5, 7));
  EXPECT_DOUBLE_EQ(space.trials()[0].build_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(space.trials()[0].measure_seconds,
                   12e-6);  // of the runs, no benchmark time given
}

TEST(T4Results, LeavesOutWhatWasEvaluatedAgain) {
  const auto space = RecordedSpace::parse(
      R"({"results": [{"configuration": {"x": 1}, "job": "baseline", "times": {"runtimes": [5]}},
                      {"configuration": {"x": 2}, "job": "explore", "times": {"runtimes": [3]}},
                      {"configuration": {"x": 1}, "job": "rebaseline", "times": {"runtimes": [6]}},
                      {"configuration": {"x": 2}, "job": "confirm", "times": {"runtimes": [4]}}]})",
      "study");
  ASSERT_THAT(space.trials(), SizeIs(2));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(5));
  EXPECT_THAT(space.trials()[1].values, ElementsAre(3));
}

TEST(T4Results, WhatWasExploredStandsForItsCopyOfTheBaseline) {
  const auto space = RecordedSpace::parse(
      R"({"metadata": {"timeunit": "ms"}, "results": [
          {"configuration": {"x": 1}, "job": "baseline", "times": {"runtimes": [5, 6]}},
          {"configuration": {"x": 1}, "job": "explore", "times": {"runtimes": [5, 6]}}]})",
      "study");
  ASSERT_THAT(space.trials(), SizeIs(1));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(5, 6));
  EXPECT_THAT(space.remarks(), SizeIs(0));
}

TEST(T4Results, KnowsEveryInvalidity) {
  const auto outcome = [](const std::string& invalidity) {
    return RecordedSpace::parse(R"({"results": [{"configuration": {"x": 1}, "invalidity": ")" +
                                    invalidity + R"(", "times": {"runtimes": [1]}}]})",
                                invalidity)
        .trials()[0]
        .failure;
  };
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(outcome("compile")));
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(outcome("runtime")));
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(outcome("constraints")));
  EXPECT_TRUE(std::holds_alternative<search::WrongResult>(outcome("correctness")));
  EXPECT_TRUE(std::holds_alternative<search::TimedOut>(outcome("timeout")));
}

TEST(T4Results, WhatIsNotRightIsWrongThoughItIsValid) {
  const auto read = [](const std::string& members) {
    return RecordedSpace::parse(R"({"metadata": {"timeunit": "ms"}, "results": [
        {"configuration": {"x": 1}, "times": {"runtimes": [1]})" +
                                    members + "}]}",
                                "right");
  };
  for (const char* right : {"", R"(, "correctness": 1)", R"(, "correctness": 1.0)",
                            R"(, "correctness": true)", R"(, "correctness": null)"}) {
    const RecordedSpace space = read(std::string(R"(, "invalidity": "correct")") + right);
    EXPECT_THAT(space.trials()[0].values, ElementsAre(1)) << right;
    EXPECT_THAT(space.remarks(), SizeIs(0)) << right;
  }
  for (const char* wrong : {"0", "0.0", "false", "-1", "0.5", R"("yes")", "[]"}) {
    for (const char* valid : {"", R"(, "invalidity": "correct")"}) {
      const RecordedSpace space = read(std::string(valid) + R"(, "correctness": )" + wrong);
      const RecordedTrial& trial = space.trials()[0];
      EXPECT_TRUE(std::holds_alternative<search::WrongResult>(trial.failure)) << wrong;
      EXPECT_THAT(trial.values, SizeIs(0)) << wrong;
      EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("count as wrong"))) << wrong;
    }
  }
  const RecordedSpace built = read(R"(, "invalidity": "compile", "correctness": 0)");
  EXPECT_TRUE(std::holds_alternative<search::BuildFailed>(built.trials()[0].failure));
  EXPECT_THAT(built.remarks(), SizeIs(0));
}

TEST(T4Results, OfSeveralObjectivesItSaysWhichIsReplayed) {
  const auto space = RecordedSpace::parse(
      R"({"metadata": {"timeunit": "ms"}, "results": [
          {"configuration": {"x": 1}, "objectives": ["energy", "time"], "times": {"runtimes": [1]},
           "measurements": [{"name": "energy", "value": 3, "unit": "J"}]}]})",
      "two");
  EXPECT_EQ(space.objective().name, "energy");
  EXPECT_THAT(space.remarks(), ElementsAre(HasSubstr("'energy', the first, is replayed")));
}

TEST(T4Results, ReadsAnObjectiveOtherThanTime) {
  const auto space = RecordedSpace::parse(
      R"({"results": [{"configuration": {"x": 1}, "invalidity": "correct", "times": {"runtimes": [1]},
                       "objectives": ["energy"],
                       "measurements": [{"name": "energy", "value": [3, 4], "unit": "mJ"}]}]})",
      "energy");
  EXPECT_EQ(space.objective(), (search::Objective{"energy", "mJ", search::Direction::kMinimise}));
  EXPECT_THAT(space.trials()[0].values, ElementsAre(3, 4));
}

TEST(RecordedSpaceErrors, NameTheFileAndThePlace) {
  EXPECT_THAT(error_of("{}"), AllOf(HasSubstr("space.json: "), HasSubstr("no recorded space")));
  EXPECT_THAT(error_of(cache_with("\"1\": {\"x\": 1,\n \"time\": oops}")),
              HasSubstr("space.json: line 3, column 10"));
  EXPECT_THAT(error_of(cache_with(R"("1": {"time": 1})")),
              HasSubstr("cache entry '1' has no value for x"));
  EXPECT_THAT(error_of(cache_with(R"("1": {"x": [1], "time": 1})")), HasSubstr("must be a number"));
  EXPECT_THAT(
      error_of(R"({"results": [{"configuration": {"x": 1}}, {"configuration": {"y": 1}}]})"),
      HasSubstr("result 2 has no value for x"));
}

TEST(ReadMaybeGzip, RefusesAnArchiveThatIsCutOff) {
  const ScratchFolder folder;
  std::ifstream in(data_file("stencil.json.gz"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const std::string path = folder.write("cut.gz", whole.substr(0, whole.size() / 2));
  EXPECT_THROW(read_maybe_gzip(path), RecordedSpaceError);
  EXPECT_THROW(read_maybe_gzip(folder.path("missing.gz")), RecordedSpaceError);
}

// Both files of the hub hold the same measurements; T4 lacks the time of benchmarking.
TEST(PublishedSpaces, AgreeInBothFormats) {
  const std::string cache = published_space("convolution-A100.json.gz");
  const std::string t4 = published_space("convolution-A100.T4.json.gz");
  if (cache.empty() || t4.empty()) GTEST_SKIP() << "the published spaces are not here";
  const RecordedSpace a = RecordedSpace::read(cache);
  const RecordedSpace b = RecordedSpace::read(t4);
  EXPECT_EQ(a.objective(), b.objective());
  ASSERT_THAT(a.trials(), SizeIs(4362));
  ASSERT_THAT(b.trials(), SizeIs(4362));
  std::size_t failures = 0;
  for (const RecordedTrial& trial : a.trials()) {
    const RecordedTrial* other = b.find(trial.configuration);
    ASSERT_NE(other, nullptr) << trial.configuration.to_json();
    EXPECT_EQ(trial.values, other->values);
    EXPECT_EQ(trial.failure.index(), other->failure.index());
    EXPECT_DOUBLE_EQ(trial.build_seconds, other->build_seconds);
    failures += trial.values.empty() ? 1 : 0;
  }
  EXPECT_EQ(failures, 161U);  // 155 at run time, 6 while compiling
}

TEST(CloseCutCache, LeavesOtherTextsAlone) {
  EXPECT_EQ(close_cut_cache(""), std::nullopt);
  EXPECT_EQ(close_cut_cache("}}{"), std::nullopt);
  EXPECT_EQ(close_cut_cache("{\"cache\": 1"), std::nullopt);
}

TEST(Recognise, TellsFormatsByTheirMembers) {
  EXPECT_EQ(recognise("name = 'x'"), JsonFormat::kNone);
  EXPECT_EQ(recognise("  {\"ConfigurationSpace\": {}}"), JsonFormat::kT1);
  EXPECT_EQ(recognise("{\"tune_params\": {}, \"cache\": {}}"), JsonFormat::kKernelTunerCache);
  EXPECT_EQ(recognise("{\"results\": [{\"configuration\": {}}]}"), JsonFormat::kT4);
  EXPECT_EQ(recognise("{\"a\": 1}"), JsonFormat::kUnknown);
}

// What kernels/recorded holds: whole spaces measured on a GPU, with repetitions and failures.
TEST(RecordedCatalogue, SpacesAreWholeAndRepeated) {
  std::size_t files = 0, failures = 0;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(testing_paths::source("kernels")) / "recorded")) {
    const RecordedSpace space = RecordedSpace::read(file.path().string());
    EXPECT_GE(space.trials().size(), 600U) << file.path();
    for (const RecordedTrial& trial : space.trials()) {
      if (trial.values.empty()) {
        ++failures;
      } else {
        EXPECT_EQ(trial.values.size(), 12U) << trial.configuration.to_json();
      }
    }
    ++files;
  }
  EXPECT_EQ(files, 11U);
  EXPECT_EQ(failures, 48U);
}

// --- KTT ---

constexpr const char* kKttJson = R"({
  "Metadata": {"ComputeApi": "CUDA", "Device": "A GPU", "TimeUnit": "Microseconds"},
  "Results": [
    {"KernelName": "triad", "Status": "Ok", "TotalDuration": 16.5, "TotalOverhead": 3000.0,
     "CompilationOverhead": 500.0,
     "Configuration": [{"Name": "BLOCK", "Value": 32, "ValueType": "Int"},
                       {"Name": "ORDER", "Value": "a<b", "ValueType": "String"}],
     "ComputationResults": [{"KernelFunction": "triad", "Duration": 16.5, "Overhead": 2500.0,
                             "CompilationOverhead": 1500.0}]},
    {"KernelName": "triad", "Status": "ValidationFailed", "TotalDuration": 9, "TotalOverhead": 1,
     "Configuration": [{"Name": "ORDER", "Value": "b", "ValueType": "String"},
                       {"Name": "BLOCK", "Value": 64, "ValueType": "Int"}]},
    {"KernelName": "triad", "Status": "DeviceLimitsExceeded", "TotalDuration": 1.8e16,
     "TotalOverhead": 1.8e16,
     "Configuration": [{"Name": "BLOCK", "Value": 128, "ValueType": "UnsignedInt"},
                       {"Name": "ORDER", "Value": "b", "ValueType": "String"}]}
  ]})";

constexpr const char* kKttXml = R"(<?xml version="1.0"?>
<TuningData>
	<!-- <KernelResult> -->
	<Metadata ComputeApi="CUDA" Device="A GPU" TimeUnit="Microseconds" />
	<Results>
		<KernelResult KernelName="triad" Status="Ok" TotalDuration="16.5" TotalOverhead="3000" CompilationOverhead="500">
			<Configuration>
				<Pair ValueType="Int" Name="BLOCK" Value="32" />
				<Pair ValueType="String" Name="ORDER" Value="a&lt;b" />
			</Configuration>
			<ComputationResults>
				<ComputationResult KernelFunction="triad" Duration="16.5" CompilationOverhead="1500">
					<GlobalSize X="1" Y="1" Z="1" />
				</ComputationResult>
			</ComputationResults>
		</KernelResult>
		<KernelResult KernelName="triad" Status='ValidationFailed' TotalDuration="9" TotalOverhead="1">
			<Configuration><Pair ValueType="String" Name="ORDER" Value="b"/><Pair ValueType="Int" Name="BLOCK" Value="64"/></Configuration>
		</KernelResult>
		<KernelResult KernelName="triad" Status="DeviceLimitsExceeded" TotalDuration="1.8e16" TotalOverhead="1.8e16">
			<Configuration><Pair ValueType="UnsignedInt" Name="BLOCK" Value="128"/><Pair ValueType="String" Name="ORDER" Value="b"/></Configuration>
		</KernelResult>
	</Results>
</TuningData>
)";

class Ktt : public ::testing::TestWithParam<const char*> {};

TEST_P(Ktt, HasTimesCostsAndFailures) {
  const RecordedSpace space = RecordedSpace::parse(GetParam(), "ktt");
  EXPECT_EQ(space.device_name(), "A GPU");
  EXPECT_EQ(space.kernel_name(), "triad");
  EXPECT_EQ(space.objective(), (search::Objective{"time", "us", search::Direction::kMinimise}));
  ASSERT_THAT(space.trials(), SizeIs(3));
  const RecordedTrial& first = space.trials()[0];
  EXPECT_EQ(first.configuration,
            Configuration({{"BLOCK", std::int64_t{32}}, {"ORDER", std::string("a<b")}}));
  EXPECT_THAT(first.values, ElementsAre(16.5));
  EXPECT_DOUBLE_EQ(first.build_seconds, 2000e-6);
  EXPECT_DOUBLE_EQ(first.build_seconds + first.measure_seconds, 3016.5e-6);
  EXPECT_EQ(space.trials()[1].configuration,
            Configuration({{"BLOCK", std::int64_t{64}}, {"ORDER", std::string("b")}}));
  EXPECT_TRUE(std::holds_alternative<search::WrongResult>(space.trials()[1].failure));
  EXPECT_TRUE(std::holds_alternative<search::LaunchFailed>(space.trials()[2].failure));
  EXPECT_DOUBLE_EQ(space.trials()[2].measure_seconds, 0);  // KTT's mark for no time at all
}

INSTANTIATE_TEST_SUITE_P(Forms, Ktt, ::testing::Values(kKttJson, kKttXml));

TEST(KttXml, NamesTheLineOfAMistake) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string xml = kKttXml;
    return error_of(xml.replace(xml.find(from), from.size(), to));
  };
  EXPECT_THAT(changed("Value=\"32\"", "Value=\"x\""), HasSubstr("line 8: the Value 'x' is no Int"));
  EXPECT_THAT(changed("Value=\"32\"", "Value=32"), HasSubstr("line 8: no valid XML"));
  EXPECT_THAT(changed("</KernelResult>\n	</Results>", "\n	</Results>"),
              HasSubstr("<KernelResult> is not closed"));
  EXPECT_THAT(changed("Name=\"BLOCK\" Value=\"64\"", "Name=\"BLOK\" Value=\"64\""),
              HasSubstr("result 2 has no value for BLOCK"));
  EXPECT_THAT(changed("-->", ""), HasSubstr("'-->' is missing"));
}

TEST(RecordedSpace, CountsFiguresThatAreNotOfTheirRepetitions) {
  const auto remarks = [](const std::string& entries) {
    return RecordedSpace::parse(cache_with(entries), "odd").remarks();
  };
  EXPECT_THAT(remarks(R"("1": {"x": 1, "time": 2, "times": [1, 2, 3]},
                         "2": {"x": 2, "time": 4, "times": [4, 5, 9]})"),
              SizeIs(0));
  EXPECT_THAT(remarks(R"("1": {"x": 1, "time": 2.5, "times": [1, 2, 3]},
                         "2": {"x": 2, "time": 40, "times": [1, 2]},
                         "3": {"x": 3, "time": 2, "times": [1, 2, 3]})"),
              ElementsAre("in 2 of 3 configurations 'time' is neither the mean nor the median nor "
                          "the least of 'times' (in 1 it lies outside of them, by a factor of up "
                          "to 20); what is replayed is 'times'"));
}

}  // namespace
}  // namespace nightshift::problems
