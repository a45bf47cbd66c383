#include "tools/export/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "problems/recorded_space.h"
#include "tests/tools/told_study.h"
#include "tools/summary/summary_json.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CsvExport, HasOneRowPerFinishedTrialInOrderOfCompletion) {
  const tests::ToldStudy study;
  const auto lines =
      lines_of(to_csv(study.history(), tests::told_summary(), tests::told_problem()));
  EXPECT_THAT(lines,
              ElementsAre("trial,job,device,status,reason,TILE,OPT,time,normalised,artifact,"
                          "started,finished",
                          StartsWith("1,baseline,node/cpu:1,measured,,1,plain,10.0,1.0,"),
                          StartsWith("3,explore,node/cpu:1,crashed,"),
                          StartsWith("2,explore,node/cpu:1,measured,,2,\"say \"\"x\"\", "
                                     "y\",5.0,0.5,abcdef,1000000002.000000,1000000002.500000"),
                          StartsWith("4,explore,node/cpu:1,skipped,"),
                          StartsWith("5,confirm,node/cpu:1,measured,")));
}

TEST(CsvExport, AnUnsteadyMachineIsAColumn) {
  const tests::ToldStudy study;
  scheduler::StudySummary summary = tests::told_summary();
  summary.unsteadiness = scheduler::Unsteadiness{"n/cpu:1", 0.083, 40};
  const auto lines = lines_of(to_csv(study.history(), summary, tests::told_problem()));
  EXPECT_THAT(lines[0], EndsWith(",started,finished,unsteadiness"));
  EXPECT_THAT(lines[1], EndsWith(",0.083"));
  EXPECT_THAT(to_header(summary, tests::told_problem(), study.history()),
              HasSubstr("Unsteady: the baseline itself moved by 8.30 % on n/cpu:1"));
}

TEST(CsvExport, ASkippedTrialHasItsSpeakersFigure) {
  const tests::ToldStudy study;
  EXPECT_THAT(lines_of(to_csv(study.history(), tests::told_summary(), tests::told_problem()))[4],
              HasSubstr(",8,\"say \"\"x\"\", y\",5.0,0.5,"));
}

TEST(CsvExport, EmptyStudiesHaveAHeaderOnly) {
  EXPECT_EQ(lines_of(to_csv({}, {}, tests::told_problem())).size(), 1U);
}

TEST(CsvExport, NoTwoColumnsHaveOneName) {
  const auto head_of = [](const std::vector<std::string>& parameters,
                          const std::vector<std::string>& objectives) {
    search::Problem problem = tests::told_problem();
    problem.parameters.resize(parameters.size(), problem.parameters.front());
    for (std::size_t i = 0; i < parameters.size(); ++i) problem.parameters[i].name = parameters[i];
    problem.objectives.resize(objectives.size(), problem.objectives.front());
    for (std::size_t i = 0; i < objectives.size(); ++i) problem.objectives[i].name = objectives[i];
    return lines_of(to_csv({}, {}, problem)).at(0);
  };
  EXPECT_EQ(
      head_of({"device", "times"}, {"time"}),
      "trial,job,device,status,reason,parameter.device,times,time,normalised,artifact,started,"
      "finished");
  EXPECT_EQ(head_of({"time", "parameter.time"}, {"time"}),
            "trial,job,device,status,reason,parameter.time.2,parameter.time,objective.time,"
            "normalised,artifact,started,finished");
  EXPECT_EQ(head_of({"A"}, {"normalised"}),
            "trial,job,device,status,reason,A,objective.normalised,normalised,artifact,started,"
            "finished");
}

// A recording that is made of it is replayed in the same directions.
TEST(T4Export, HasTheDirections) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.objectives = {{"triad", "GB/s", search::Direction::kMaximise},
                        {"quality", "", search::Direction::kMinimise},
                        {}};
  const auto t4 = nlohmann::json::parse(to_t4(study.history(), problem));
  EXPECT_EQ(t4.at("metadata").at("directions"),
            nlohmann::json({{"triad", "maximise"}, {"quality", "minimise"}}));
}

TEST(T4Export, HasEveryFinishedTrialInMilliseconds) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.objectives.front().unit = "us";
  const auto t4 = nlohmann::json::parse(to_t4(study.history(), problem));
  EXPECT_EQ(t4.at("schema_version"), "1.0.0");
  EXPECT_EQ(t4.at("metadata"),
            nlohmann::json({{"timeunit", "milliseconds"},
                            {"environment", {{"cpu", "A CPU"}, {"os", "An OS"}}}}));
  ASSERT_EQ(t4.at("results").size(), 5U);
  const auto& baseline = t4["results"][0];
  const auto& crashed = t4["results"][1];
  const auto& measured = t4["results"][2];
  const auto& skipped = t4["results"][3];
  const auto& confirmed = t4["results"][4];
  EXPECT_EQ(crashed.at("invalidity"), "runtime");
  EXPECT_EQ(crashed.at("correctness"), 0);
  EXPECT_EQ(crashed.at("measurements").at(0).at("value"), "RuntimeFailedConfig");
  EXPECT_FALSE(crashed.at("times").contains("runtimes"));
  EXPECT_EQ(measured.at("invalidity"), "correct");
  EXPECT_EQ(measured.at("configuration").at("TILE"), 2);
  EXPECT_EQ(measured.at("measurements").at(0).at("value"), 5.0);
  EXPECT_EQ(measured.at("measurements").at(0).at("unit"), "us");
  EXPECT_EQ(measured.at("objectives"), nlohmann::json({"time"}));
  EXPECT_DOUBLE_EQ(measured.at("times").at("runtimes").at(0), 5.5e-3);
  EXPECT_DOUBLE_EQ(measured.at("times").at("compilation"), 1250);
  EXPECT_EQ(measured.at("timestamp"), "2001-09-09 01:46:42.500000+00:00");
  EXPECT_EQ(skipped.at("invalidity"), "correct");
  EXPECT_EQ(skipped.at("measurements").at(0).at("value"), 5.0);
  EXPECT_EQ(baseline.at("configuration").at("TILE"), 1) << "what the baseline stands for";
  EXPECT_EQ(baseline.at("job"), "baseline");
  EXPECT_EQ(confirmed.at("job"), "confirm");
  EXPECT_EQ(confirmed.at("trial"), 5);
  EXPECT_EQ(confirmed.at("device"), "node/cpu:1");
}

TEST(T4Export, CostsOfARecordedDeviceAreThoseThatWereRecorded) {
  tests::ToldStudy study;
  study.history().trials[1].finished->report.cost = {0.25, 0, 0, 0.75};
  const auto t4 = nlohmann::json::parse(to_t4(study.history(), tests::told_problem()));
  const auto& times = t4["results"][2].at("times");
  EXPECT_DOUBLE_EQ(times.at("compilation"), 250);
  EXPECT_DOUBLE_EQ(times.at("benchmark"), 500);
  EXPECT_DOUBLE_EQ(times.at("validation"), 0);
}

TEST(KernelTunerExport, IsACacheThatIsOpenedByCuttingItsEndOff) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.objectives.front().unit = "us";
  const std::string text = to_kernel_tuner(study.history(), problem, "sgemm_kernel");
  EXPECT_TRUE(text.ends_with("}}\n}\n")) << text;
  const auto cache = nlohmann::json::parse(text);
  EXPECT_EQ(cache.at("kernel_name"), "sgemm_kernel");
  EXPECT_EQ(cache.at("device_name"), "A CPU");
  EXPECT_EQ(cache.at("objective"), "time");
  EXPECT_EQ(cache.at("tune_params_keys"), nlohmann::json({"TILE", "OPT"}));
  EXPECT_EQ(cache.at("tune_params").at("TILE"), nlohmann::json({1, 2, 4, 8}));
  const auto& entries = cache.at("cache");
  ASSERT_EQ(entries.size(), 4U);  // the baseline and what was explored, each once
  EXPECT_EQ(entries.at("1,plain").at("time"), 0.01);
  const auto& measured = entries.at("2,say \"x\", y");
  EXPECT_DOUBLE_EQ(measured.at("time"), 0.005);
  EXPECT_EQ(measured.at("times").size(), 3U);
  EXPECT_DOUBLE_EQ(measured.at("compile_time"), 1250);
  EXPECT_DOUBLE_EQ(measured.at("benchmark_time"), 250);
  EXPECT_EQ(entries.at("4,say \"x\", y").at("__error__"), "RuntimeFailedConfig");
  EXPECT_EQ(entries.at("8,say \"x\", y").at("time"), measured.at("time"));
}

TEST(KernelTunerExport, WhoFailedWhenItWasConfirmedIsNoValidEntry) {
  tests::ToldStudy study;
  study.history().trials[4].finished->report.outcome = search::Crashed{};
  const auto entries =
      nlohmann::json::parse(to_kernel_tuner(study.history(), tests::told_problem(), "k"))
          .at("cache");
  for (const char* key : {"2,say \"x\", y", "8,say \"x\", y"}) {  // the latter has its code
    EXPECT_EQ(entries.at(key).at("__error__"), "RuntimeFailedConfig") << key;
    EXPECT_FALSE(entries.at(key).contains("times")) << key;
  }
  EXPECT_FALSE(entries.at("1,plain").contains("__error__"));
}

TEST(KernelTunerExport, KeysAreAsPythonWritesThem) {
  tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  search::Parameter truth, number;
  truth.name = "T";
  truth.type = search::ParameterType::kBool;
  truth.values = {false, true};
  number.name = "N";
  number.type = search::ParameterType::kFloat;
  number.values = {1.0, 0.5, 1e-5};
  problem.parameters = {truth, number};
  study.history().trials[1].proposed.configuration =
      search::Configuration({{"T", search::Value(true)}, {"N", search::Value(1e-5)}});
  const auto cache = nlohmann::json::parse(to_kernel_tuner(study.history(), problem, "k"));
  EXPECT_TRUE(cache.at("cache").contains("False,1.0"));
  EXPECT_TRUE(cache.at("cache").contains("True,1e-05"));
}

TEST(KernelTunerExport, NamesThatWouldBeOverwrittenAreRefused) {
  const tests::ToldStudy study;
  for (const char* name : {"time", "times", "compile_time", "timestamp", "__error__"}) {
    search::Problem problem = tests::told_problem();
    problem.parameters.front().name = name;
    EXPECT_THAT([&] { to_kernel_tuner(study.history(), problem, "k"); },
                ThrowsMessage<UsageError>(AllOf(
                    HasSubstr(std::string("the parameter '") + name + "'"), HasSubstr("csv"))))
        << name;
  }
  search::Problem problem = tests::told_problem();
  problem.objectives.push_back(problem.objectives.front());
  problem.objectives.back().name = "times";
  EXPECT_THAT([&] { to_kernel_tuner(study.history(), problem, "k"); },
              ThrowsMessage<UsageError>(HasSubstr("the objective 'times'")));
}

TEST(KttExport, IsReadByOurselvesInBothForms) {
  const tests::ToldStudy study;
  const search::Problem problem = tests::told_problem();
  for (const std::string& text :
       {to_ktt(study.history(), problem, "k"), to_ktt_xml(study.history(), problem, "k")}) {
    const auto space = problems::RecordedSpace::parse(text, "ktt");
    ASSERT_EQ(space.trials().size(), 4U) << text;
    EXPECT_EQ(space.device_name(), "A CPU");
    const problems::RecordedTrial* best = space.find(tests::told_configuration(2));
    ASSERT_NE(best, nullptr);
    EXPECT_THAT(best->values, ElementsAre(5000));  // us
    EXPECT_NEAR(best->build_seconds, 1.25, 1e-9);
    EXPECT_NEAR(best->measure_seconds, 0.75, 1e-9);
    EXPECT_FALSE(space.find(tests::told_configuration(4))->values.size());
  }
}

TEST(KttExport, WhoFailedWhenItWasConfirmedIsNoValidResult) {
  tests::ToldStudy study;
  study.history().trials[4].finished->report.outcome = search::WrongResult{};
  const std::string text = to_ktt(study.history(), tests::told_problem(), "k");
  const auto results = nlohmann::json::parse(text).at("Results");
  std::vector<std::string> status;
  for (const auto& result : results) status.push_back(result.at("Status"));
  EXPECT_THAT(status,
              ElementsAre("Ok", "ComputationFailed", "ValidationFailed", "ValidationFailed"));
}

TEST(T4Export, WhoFailedWhenItWasConfirmedIsNotCorrect) {
  tests::ToldStudy study;
  study.history().trials[4].finished->report.outcome = search::WrongResult{};
  const auto results =
      nlohmann::json::parse(to_t4(study.history(), tests::told_problem())).at("results");
  for (const auto& result : results) {
    const auto trial = result.at("trial").get<int>();
    const bool is_good = trial == 1;
    EXPECT_EQ(result.at("correctness"), is_good ? 1 : 0) << trial;
    EXPECT_EQ(result.at("invalidity") == "correctness", trial == 2 || trial == 4 || trial == 5);
  }
}

TEST(HeaderExport, HasNoMacroThatTheMeasuredCodeHadNot) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  std::get<search::HostBackend>(problem.backend).names = search::SourceNames::kNone;
  const std::string text = to_header(tests::told_summary(), problem, study.history());
  EXPECT_THAT(text, Not(HasSubstr("#define TILE")));
  EXPECT_THAT(text, HasSubstr("/* TILE = 2: a template argument"));
  scheduler::StudySummary failed = tests::told_summary();
  failed.failed_when_confirmed = true;
  EXPECT_THAT(to_header(failed, problem, study.history()), HasSubstr("DO NOT USE"));
}

TEST(T4Export, ABaselineThatIsAnotherProgramIsNoPointOfTheSpace) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  std::get<search::HostBackend>(problem.backend).baseline.file = "/home/someone/plain.cc";
  const auto t4 = nlohmann::json::parse(to_t4(study.history(), problem));
  EXPECT_EQ(t4.at("results").size(), 4U);
  const auto& baselines = t4.at("metadata").at("baselines");
  ASSERT_EQ(baselines.size(), 1U);
  EXPECT_TRUE(baselines[0].at("configuration").empty());
  EXPECT_EQ(baselines[0].at("measurements").at(0).at("value"), 10.0);
}

TEST(T4Export, FiguresThatAreNoTimeHaveNoRuntimes) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.objectives.front().unit = "GB/s";
  const auto t4 = nlohmann::json::parse(to_t4(study.history(), problem));
  EXPECT_FALSE(t4["results"][2].at("times").contains("runtimes"));
  EXPECT_EQ(t4["results"][2].at("measurements").at(0).at("value"), 5.0);
}

TEST(HeaderExport, HasMacrosAndProvenance) {
  const tests::ToldStudy study;
  const std::string header =
      to_header(tests::told_summary(), tests::told_problem(), study.history());
  EXPECT_THAT(header, HasSubstr("#define TILE 2\n"));
  EXPECT_THAT(header, HasSubstr("/* OPT is a compiler option: -fsay \"x\", y */"));
  EXPECT_THAT(header, HasSubstr("Improvement accepted: time 50.00 % lower"));
  EXPECT_THAT(header, HasSubstr("Compiler options: -O3 -fsay \"x\", y"));
  EXPECT_THAT(header, HasSubstr("Problem: sgemm.toml"));
  EXPECT_THAT(header, Not(HasSubstr("/home")));
}

TEST(HeaderExport, QuotesStringsAndMendsNames) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.backend = search::CommandBackend{};
  scheduler::StudySummary summary = tests::told_summary();
  summary.best->configuration =
      search::Configuration({{"a-b", search::Value(std::string("x\"\\\ny"))},
                             {"1st", search::Value(true)},
                             {"f", search::Value(0.5)}});
  const std::string header = to_header(summary, problem, study.history());
  EXPECT_THAT(header, HasSubstr("#define a_b \"x\\\"\\\\\\ny\"\n"));
  EXPECT_THAT(header, HasSubstr("#define _1st 1\n"));
  EXPECT_THAT(header, HasSubstr("#define f 0.5\n"));
}

TEST(HeaderExport, TextsOfAKernelAreTokensAsTheBuildHadThem) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  scheduler::StudySummary summary = tests::told_summary();
  summary.best->configuration = search::Configuration({{"TYPE", std::string("unsigned char")},
                                                       {"LABEL", std::string("\"a b\"")},
                                                       {"NOTHING", std::string()},
                                                       {"LINE", std::string("one\ntwo")},
                                                       {"SCALE", 2.0}});
  const std::string header = to_header(summary, problem, study.history());
  for (const char* line : {"#define TYPE unsigned char\n", "#define LABEL \"a b\"\n",
                           "#define NOTHING \n", "#define LINE one\n", "#define SCALE 2.0\n"}) {
    EXPECT_THAT(header, HasSubstr(line));
  }
  std::get<search::HostBackend>(problem.backend).names = search::SourceNames::kConstants;
  const std::string constants = to_header(summary, problem, study.history());
  EXPECT_THAT(constants, HasSubstr("/* TYPE = unsigned char: a text, which no constant has */"));
  EXPECT_THAT(constants, HasSubstr("#define SCALE 2.0\n"));
}

TEST(HeaderExport, NothingCanLeaveTheComment) {
  const tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.name = "evil */ #define X\n#define Y";
  const std::string header = to_header(tests::told_summary(), problem, study.history());
  EXPECT_THAT(header, HasSubstr("evil * / #define X #define Y"));
}

TEST(HeaderExport, SaysWhenNothingWasConfirmed) {
  const tests::ToldStudy study;
  scheduler::StudySummary summary = tests::told_summary();
  summary.accepted = false;
  EXPECT_THAT(to_header(summary, tests::told_problem(), study.history()),
              HasSubstr("NOT CONFIRMED"));
}

TEST(JsonExport, HasTheBestWithItsFigures) {
  const auto best = best_json(tests::told_summary(), tests::told_problem());
  EXPECT_EQ(best.at("configuration").at("TILE"), 2);
  EXPECT_EQ(best.at("accepted"), true);
  EXPECT_EQ(best.at("compiler_options"), "-O3 -fsay \"x\", y");
  EXPECT_EQ(best.at("objectives").at("time").at("unit"), "ms");
  EXPECT_EQ(best.at("improvement").at("ratio"), 0.5);
}

}  // namespace
}  // namespace nightshift::tools
