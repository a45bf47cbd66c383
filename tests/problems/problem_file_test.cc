#include "problems/problem_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <filesystem>
#include <variant>

#include "tests/problems/cuda_text.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using search::CommandBackend;
using search::FigureRule;
using search::HostBackend;
using search::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

std::vector<Value> integers(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

class ProblemFile : public ::testing::Test {
 protected:
  const search::Parameter& parameter(const search::Problem& problem, const std::string& name) {
    for (const search::Parameter& p : problem.parameters) {
      if (p.name == name) return p;
    }
    throw std::out_of_range(name);
  }
  const ProblemFolder folder_;
};

TEST_F(ProblemFile, ReadsAHostProblem) {
  const search::Problem problem = folder_.read(host_problem());
  EXPECT_EQ(problem.name, "add");
  EXPECT_EQ(problem.file, folder_.path("problem.toml"));
  const auto& host = std::get<HostBackend>(problem.backend);
  EXPECT_EQ(host.kernel, (search::HostSource{folder_.path("add.cc"), "add", {"-O3"}}));
  EXPECT_EQ(host.baseline.file, "");
  EXPECT_THAT(host.cases, ElementsAre(ElementsAre(Pair("N", 1024))));
  ASSERT_THAT(host.arguments, SizeIs(3));
  EXPECT_EQ(host.arguments[1].access, search::Argument::Access::kOut);
  EXPECT_FALSE(host.arguments[1].scalar);
  EXPECT_EQ(host.arguments[1].size->text(), "N");
  EXPECT_TRUE(host.arguments[2].scalar);
  EXPECT_EQ(host.arguments[2].type, search::ElementType::kInt64);
  EXPECT_THAT(problem.objectives, ElementsAre(search::Objective{}));
}

TEST_F(ProblemFile, IntegersAreExactUnlessAToleranceIsGiven) {
  using search::Tolerance;
  const auto host_of = [&](const std::string& more, const std::string& of_output = "") {
    std::string text = host_problem(more);
    const std::string access = "access = \"out\"\n";
    text.replace(text.find(access), access.size(), access + of_output);
    return std::get<HostBackend>(folder_.read(text).backend);
  };
  const auto of = [](const HostBackend& host, std::size_t argument) {
    return tolerance_of(host.tolerance, host.arguments[argument], 0.5);
  };
  HostBackend silent = host_of("");
  EXPECT_EQ(of(silent, 1), (Tolerance{1e-5, 5e-7}));
  EXPECT_TRUE(is_usual(silent.tolerance, silent.arguments[1]));
  silent.arguments[1].type = search::ElementType::kFloat64;
  EXPECT_EQ(of(silent, 1), (Tolerance{1e-11, 5e-13}));
  silent.arguments[1].type = search::ElementType::kInt32;
  EXPECT_EQ(of(silent, 1), (Tolerance{0, 0}));
  HostBackend given = host_of("[host.tolerance]\nabsolute = 1");
  EXPECT_EQ(of(given, 1), (Tolerance{1e-5, 1}));
  given.arguments[1].type = search::ElementType::kInt32;
  EXPECT_EQ(of(given, 1), (Tolerance{0, 1}));
  const HostBackend of_one =
      host_of("[host.tolerance]\nrelative = 0.5", "tolerance = { absolute = 3 }\n");
  EXPECT_EQ(of(of_one, 1), (Tolerance{0.5, 3}));
  EXPECT_EQ(of(of_one, 0), (Tolerance{0.5, 5e-7}));
  EXPECT_FALSE(is_usual(of_one.tolerance, of_one.arguments[1]));
}

TEST_F(ProblemFile, WhatIsAllowedBesideAShareFollowsTheSizeOfTheAnswerUpToAMost) {
  search::Argument output;
  const auto absolute = [&](search::ElementType type, double size) {
    output.type = type;
    return search::tolerance_of({}, output, size).absolute;
  };
  EXPECT_DOUBLE_EQ(absolute(search::ElementType::kFloat32, 1e-9), 1e-15);
  EXPECT_EQ(absolute(search::ElementType::kFloat32, 1e9), 1e-6);
  EXPECT_DOUBLE_EQ(absolute(search::ElementType::kFloat64, 100), 1e-10);
  EXPECT_EQ(absolute(search::ElementType::kFloat64, 0), std::numeric_limits<double>::min());
  EXPECT_EQ(absolute(search::ElementType::kInt32, 1e9), 0);
}

TEST_F(ProblemFile, ReplacesSizesInConstraintsByNumbers) {
  const search::Problem problem = folder_.read(host_problem());
  ASSERT_THAT(problem.constraints, SizeIs(1));
  EXPECT_EQ(problem.constraints[0].text(), "1024 % TILE == 0");
}

TEST_F(ProblemFile, ReadsEveryFormOfParameterInTheOrderOfTheFile) {
  const search::Problem problem = folder_.read(host_problem(R"(
NR = { powers_of_two = [3, 32] }
STEP = { range = [8, 1, -3] }
SCALE = { range = [0.1, 0.3, 0.1] }
LIST = "[2**i for i in range(4)]"
PREFETCH = { values = [128, 0, 64], when = "UNROLL > 1 and N > 2" }
OPT = { values = ["-O2", "-O3"], default = "-O3", flag = "{} -g" }
FAST = [true, false]
)"));
  std::vector<std::string> names;
  for (const auto& p : problem.parameters) names.push_back(p.name);
  EXPECT_THAT(names, ElementsAre("TILE", "UNROLL", "NR", "STEP", "SCALE", "LIST", "PREFETCH", "OPT",
                                 "FAST"));
  EXPECT_EQ(parameter(problem, "UNROLL").values, integers({1, 2, 3, 4}));
  EXPECT_EQ(parameter(problem, "NR").values, integers({4, 8, 16, 32}));
  EXPECT_EQ(parameter(problem, "STEP").values, integers({2, 5, 8}));
  EXPECT_EQ(parameter(problem, "SCALE").type, search::ParameterType::kFloat);
  EXPECT_THAT(parameter(problem, "SCALE").values,
              ElementsAre(search::Value(0.1), search::Value(0.2), search::Value(0.3)));
  EXPECT_EQ(parameter(problem, "LIST").values, integers({1, 2, 4, 8}));
  EXPECT_EQ(parameter(problem, "PREFETCH").active_when->text(), "UNROLL > 1 and 1024 > 2");
  EXPECT_EQ(parameter(problem, "OPT").type, search::ParameterType::kString);
  EXPECT_EQ(parameter(problem, "FAST").type, search::ParameterType::kBool);
  const auto& flags = std::get<HostBackend>(problem.backend).flag_parameters;
  ASSERT_THAT(flags, SizeIs(1));
  EXPECT_EQ(flags[0].parameter, "OPT");
  EXPECT_EQ(flags[0].pattern, "{} -g");
}

TEST_F(ProblemFile, SortsNumbersButKeepsTheFirstAsDefault) {
  const search::Problem problem = folder_.read(host_problem("PREFETCH = [128, 0, 64]"));
  EXPECT_EQ(parameter(problem, "PREFETCH").values, integers({0, 64, 128}));
  EXPECT_EQ(parameter(problem, "PREFETCH").default_or_first(), Value(std::int64_t{128}));
  EXPECT_EQ(parameter(problem, "TILE").default_value, std::nullopt);
}

TEST_F(ProblemFile, CompletesTheBaselineByTheDefaults) {
  const search::Problem problem = folder_.read(host_problem("[baseline]\nTILE = 32.0"));
  EXPECT_EQ(problem.baseline.to_json(), R"({"TILE": 32, "UNROLL": 1})");
  EXPECT_TRUE(folder_.read(host_problem()).baseline.is_baseline());
}

TEST_F(ProblemFile, ReadsEverySettingOfTheStudy) {
  const search::Problem p = folder_.read(host_problem(R"(
[measure]
samples = 7
warm_up_runs = 0
warm_up_seconds = "20ms"
min_sample_seconds = 1e-4
max_seconds = 3
cache = "cold"
[limits]
boot = 1
build = "2m"
prepare = 3.5
verify = 4
measure = 5
trial = 6
memory = "4GiB"
output = 1000
[budget]
time = "1h30m"
simulated = 7
trials = 400
stall = 100
[search]
searcher = "random"
seed = 42
[schedule]
outstanding = 4
builders = 2
rebaseline_trials = 10
rebaseline_seconds = 20
isolation = "per-trial"
hot_spares = 0
cores_per_device = 2
[acceptance]
level = 0.05
min_improvement = 0.01
confidence = "quick"
max_pairs = 16
consensus = "strict"
tail = "reject"
devices = 2
)"));
  EXPECT_EQ(p.sampling.samples, 7);
  EXPECT_EQ(p.sampling.warm_up_runs, 0);
  EXPECT_DOUBLE_EQ(p.sampling.warm_up_seconds, 0.02);
  EXPECT_DOUBLE_EQ(p.sampling.min_sample_seconds, 1e-4);
  EXPECT_DOUBLE_EQ(p.sampling.max_seconds, 3);
  EXPECT_TRUE(p.sampling.cold_cache);
  EXPECT_DOUBLE_EQ(p.limits.boot, 1);
  EXPECT_DOUBLE_EQ(p.limits.build, 120);
  EXPECT_DOUBLE_EQ(p.limits.prepare, 3.5);
  EXPECT_DOUBLE_EQ(p.limits.verify, 4);
  EXPECT_DOUBLE_EQ(p.limits.measure, 5);
  EXPECT_DOUBLE_EQ(p.limits.trial, 6);
  EXPECT_EQ(p.limits.memory_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(p.limits.output_bytes, 1000U);
  EXPECT_DOUBLE_EQ(p.budget.seconds, 5400);
  EXPECT_DOUBLE_EQ(p.budget.simulated_seconds, 7);
  EXPECT_EQ(p.budget.trials, 400U);
  EXPECT_EQ(p.budget.stall, 100U);
  EXPECT_EQ(p.scheduling.searcher, "random");
  EXPECT_EQ(p.scheduling.seed, 42U);
  EXPECT_EQ(p.scheduling.outstanding, 4);
  EXPECT_EQ(p.scheduling.builders, 2);
  EXPECT_EQ(p.scheduling.rebaseline_trials, 10);
  EXPECT_DOUBLE_EQ(p.scheduling.rebaseline_seconds, 20);
  EXPECT_TRUE(p.scheduling.process_per_trial);
  EXPECT_EQ(p.scheduling.hot_spares, 0);
  EXPECT_EQ(p.scheduling.cores_per_device, 2);
  EXPECT_DOUBLE_EQ(p.acceptance.level, 0.05);
  EXPECT_DOUBLE_EQ(p.acceptance.min_improvement, 0.01);
  EXPECT_EQ(p.acceptance.max_pairs, 16);
  EXPECT_EQ(p.acceptance.hold_out_most, 32);
  EXPECT_EQ(p.acceptance.self_test_pairs, 0);
  EXPECT_EQ(p.acceptance.consensus, search::Consensus::kStrict);
  EXPECT_EQ(p.acceptance.tail, search::TailRule::kReject);
  EXPECT_EQ(p.acceptance.devices, 2);
}

TEST_F(ProblemFile, AnEvaluationTakesItsShareOfAShortBudgetWhereNobodySaysMore) {
  const auto sampling = [this](const std::string& text) {
    return folder_.read(host_problem(text)).sampling;
  };
  EXPECT_DOUBLE_EQ(sampling("").max_seconds, 10);
  EXPECT_DOUBLE_EQ(sampling("[budget]\ntrials = 5").max_seconds, 10);
  EXPECT_EQ(sampling("[budget]\ntrials = 5").warm_up_runs, 3);
  EXPECT_DOUBLE_EQ(sampling("[budget]\ntime = 100").max_seconds, 2);
  EXPECT_EQ(sampling("[budget]\ntime = 100").warm_up_runs, 3);
  EXPECT_DOUBLE_EQ(sampling("[budget]\ntime = 15").max_seconds, 0.3);
  EXPECT_EQ(sampling("[budget]\ntime = 15").warm_up_runs, 1);
  const auto said = sampling("[budget]\ntime = 15\n[measure]\nmax_seconds = 4\nwarm_up_runs = 2");
  EXPECT_DOUBLE_EQ(said.max_seconds, 4);
  EXPECT_EQ(said.warm_up_runs, 2);
}

TEST_F(ProblemFile, HasTenMinutesWhereNoBudgetIsGiven) {
  EXPECT_DOUBLE_EQ(folder_.read(host_problem()).budget.seconds, 600);
  const search::Problem limited = folder_.read(host_problem("[budget]\ntrials = 5"));
  EXPECT_DOUBLE_EQ(limited.budget.seconds, 0);
  EXPECT_EQ(limited.budget.trials, 5U);
}

TEST_F(ProblemFile, ReadsACommandPerTrial) {
  const search::Problem problem = folder_.read(command_problem(R"toml(
argv = ["python3", "bench.py", "--tile={TILE}", "{ not }"]
baseline_argv = ["python3", "bench.py"]
environment = { THREADS = "{THREADS}", LEVEL = 3 }
runs = 2
[[command.figure]]
objective = "energy"
source = "regex"
key = "E=([0-9.]+)"
[[command.figure]]
objective = "time"
source = "wall-time"
)toml",
                                                               R"(
[[objective]]
name = "time"
unit = "us"
[[objective]]
name = "energy"
unit = "J"
direction = "maximise"
)"));
  const auto& command = std::get<CommandBackend>(problem.backend);
  EXPECT_EQ(command.mode, CommandBackend::Mode::kPerTrial);
  EXPECT_THAT(command.argv, ElementsAre("python3", "bench.py", "--tile={TILE}", "{ not }"));
  EXPECT_THAT(command.baseline_argv, SizeIs(2));
  EXPECT_THAT(command.environment, ElementsAre(Pair("LEVEL", "3"), Pair("THREADS", "{THREADS}")));
  EXPECT_EQ(command.runs, 2);
  EXPECT_EQ(command.directory, std::filesystem::path(folder_.path("x")).parent_path());
  ASSERT_THAT(command.figures, SizeIs(2));  // in the order of the objectives
  EXPECT_EQ(command.figures[0].source, FigureRule::Source::kWallTime);
  EXPECT_EQ(command.figures[1].source, FigureRule::Source::kRegex);
  EXPECT_EQ(command.figures[1].key, "E=([0-9.]+)");
  EXPECT_EQ(problem.objectives[1],
            (search::Objective{"energy", "J", search::Direction::kMaximise}));
}

TEST_F(ProblemFile, ReadsAServerWhoseBracesAreItsOwn) {
  const search::Problem problem =
      folder_.read(command_problem("mode = 'server'\nargv = ['serve', '{x}']"));
  const auto& command = std::get<CommandBackend>(problem.backend);
  EXPECT_EQ(command.mode, CommandBackend::Mode::kServer);
  EXPECT_FALSE(command.numbered);
  const search::Problem numbered =
      folder_.read(command_problem("mode = 'server'\nargv = ['serve']\nrequests = 'numbered'"));
  EXPECT_TRUE(std::get<CommandBackend>(numbered.backend).numbered);
  ASSERT_THAT(command.figures, SizeIs(1));
  EXPECT_EQ(command.figures[0].source, FigureRule::Source::kJson);
}

TEST_F(ProblemFile, ReadsHowACommandIsBuilt) {
  folder_.write("run.c", "int main(void) { return 0; }");
  const search::Problem problem = folder_.read(command_problem(R"toml(
build = ["cc", "-DTILE={TILE}", "run.c", "-o", "{artifact}/run"]
baseline_build = ["cc", "plain.c", "-o", "{artifact}/run"]
build_environment = { CFLAGS = "-O{THREADS}" }
inputs = ["run.c"]
argv = ["{artifact}/run"]
environment = { A = 1 }
)toml"));
  const auto& command = std::get<CommandBackend>(problem.backend);
  EXPECT_THAT(command.build, ElementsAre("cc", "-DTILE={TILE}", "run.c", "-o", "{artifact}/run"));
  EXPECT_THAT(command.baseline_build, SizeIs(4));
  EXPECT_THAT(command.build_environment, ElementsAre(Pair("CFLAGS", "-O{THREADS}")));
  EXPECT_THAT(command.inputs, ElementsAre(folder_.path("run.c")));
  EXPECT_TRUE(search::needs_build(problem));
  EXPECT_FALSE(search::baseline_configuration(problem)) << "it is built as another program";
}

TEST_F(ProblemFile, ACommandHasAllCoresUnlessItSaysHowMany) {
  const auto cores = [&](const std::string& lines, const std::string& more = "") {
    const auto& scheduling =
        folder_.read(command_problem("argv = ['x']\n" + lines, more)).scheduling;
    return std::pair(scheduling.cores_per_device, scheduling.fill_with_devices);
  };
  EXPECT_EQ(cores(""), std::pair(0, false));
  EXPECT_EQ(cores("cores = 2"), std::pair(2, true));
  EXPECT_EQ(cores("", "[schedule]\ncores_per_device = 2"), std::pair(2, false));
  EXPECT_EQ(folder_.read(host_problem()).scheduling.cores_per_device, 1);
}

TEST_F(ProblemFile, WhatAnEarlierVersionTookIsTakenFromAJournal) {
  const std::string text = "name = 'x'\n[command]\nargv = ['x']\n[parameters]\nUNUSED = [1, 2]\n";
  EXPECT_THAT(folder_.diagnostics(text), SizeIs(1));
  EXPECT_THAT(parse_problem(text, "x.toml", {}, TextOrigin::kJournal).parameters, SizeIs(1));
}

TEST_F(ProblemFile, WhatItNamesNeedNotBeThereToTellOfAStudy) {
  const ScratchFolder elsewhere;
  const std::string path = elsewhere.path("problem.toml");
  const std::string of_file = host_problem(
      "[[host.argument]]\nname = 'c'\ntype = 'float32'\n"
      "size = 'N'\nfill = 'file'\nfile = 'c.npy'\n");
  const std::string command =
      command_problem("argv = ['serve']\ndirectory = 'programs'\ninputs = ['data', 'more']");
  const std::string include = CudaFolder::changed(
      {{"dtype = \"bfloat16\"", "dtype = \"bfloat16\"\ninclude_folders = ['lib']"}});
  const std::string t1 = R"({"ConfigurationSpace": {"TuningParameters":
      [{"Name": "A", "Type": "int", "Values": "[1, 2]", "Default": 1}]},
      "KernelSpecification": {"Language": "C++", "KernelName": "f", "KernelFile": "f.cc",
      "Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 4,
        "AccessType": "ReadWrite",
        "FillType": "Constant", "FillValue": 1}]}})";
  const std::string judged = host_problem("[judged]\nsource = '/gone/judged-1.cc'");
  for (const std::string& text : {of_file, command, include, t1, judged}) {
    EXPECT_THROW(parse_problem(text, path, {}, TextOrigin::kJournal), ProblemFileError) << text;
    EXPECT_NO_THROW(parse_problem(text, path, {}, TextOrigin::kTelling)) << text;
  }
  const auto told = parse_problem(host_problem(), path, {}, TextOrigin::kTelling);
  EXPECT_EQ(std::get<search::HostBackend>(told.backend).kernel.file, elsewhere.path("add.cc"));
  // Mistakes that are none of files are still told.
  EXPECT_THROW(parse_problem(host_problem("[budgte]"), path, {}, TextOrigin::kTelling),
               ProblemFileError);
}

TEST_F(ProblemFile, ACommandRunsOnCoresUnlessItSaysThatItRunsOnGpus) {
  EXPECT_EQ(folder_.read(command_problem("argv = ['serve']")).target, search::Target::kCores);
  EXPECT_EQ(folder_.read(command_problem("argv = ['serve']\ndevice = 'cpu'")).target,
            search::Target::kCores);
  for (const char* mode : {"server", "per-trial"}) {
    const search::Problem problem = folder_.read(
        command_problem("argv = ['serve']\ndevice = 'gpu'\nmode = '" + std::string(mode) + "'"));
    EXPECT_EQ(problem.target, search::Target::kGpus);
    EXPECT_EQ(search::name_of(problem.backend), "command");
  }
  EXPECT_EQ(folder_.read(command_problem("argv = ['serve']"), {{"command.device", "gpu"}}).target,
            search::Target::kGpus);
  EXPECT_EQ(folder_.read(host_problem()).target, search::Target::kCores);
}

TEST_F(ProblemFile, TheDeviceOfACommandIsCpuOrGpuAndWhatItSeesIsOurs) {
  EXPECT_THAT(folder_.diagnostics(command_problem("argv = ['serve']\ndevice = 'gpus'")),
              ElementsAre(AllOf(HasSubstr("command.device"), HasSubstr("'gpu'"))));
  const std::string visible =
      "argv = ['serve']\nenvironment = { CUDA_VISIBLE_DEVICES = 1, P = '{TILE} {THREADS}' }\n"
      "device = ";
  EXPECT_THAT(folder_.diagnostics(command_problem(visible + "'gpu'")),
              ElementsAre(AllOf(HasSubstr("command.environment.CUDA_VISIBLE_DEVICES is set by us"),
                                HasSubstr("--devices"))));
  EXPECT_THAT(folder_.diagnostics(command_problem(visible + "'cpu'")), IsEmpty());
}

TEST_F(ProblemFile, OtherTablesGoBeforeWhatAFileDescribes) {
  folder_.write("gemm.py", "");
  const std::string path = folder_.write("settings.toml",
                                         "[python]\nfile = 'gemm.py'\ncase = 'small'\n"
                                         "[parameters]\nTILE = [4]\n[budget]\ntrials = 7\n");
  std::vector<std::string> asked;
  const Describer describe = [&](const Description& what) {
    asked = {what.file, what.problem, what.which};
    return "name = 'gemm'\n[command]\nmode = 'server'\nprotocol = 2\nbuilds = true\n"
           "argv = ['serve']\n[parameters]\nTILE = [1, 2]\nWAYS = [3]\n[budget]\ntrials = 9\n";
  };
  std::string text;
  const std::vector<Override> overrides = {{"python.case", "large"}, {"budget.trials", "8"}};
  const search::Problem problem = read_problem(path, overrides, &text, describe);
  EXPECT_THAT(asked, ElementsAre(folder_.path("gemm.py"), "", "large"));
  EXPECT_TRUE(search::serves_frames(problem));
  EXPECT_TRUE(search::needs_build(problem));
  EXPECT_THAT(problem.parameters, SizeIs(2));
  EXPECT_EQ(make_space(problem).size(), 1U);
  EXPECT_EQ(problem.budget.trials, 8U);

  const search::Problem again = parse_problem(text, path, overrides, TextOrigin::kJournal);
  EXPECT_EQ(make_space(again).size(), 1U) << "nobody is asked again";
  EXPECT_EQ(again.budget.trials, 8U);

  (void)read_problem(path, {{"python.case", "1"}, {"python.problem", "backward"}}, nullptr,
                     describe);
  EXPECT_THAT(asked, ElementsAre(folder_.path("gemm.py"), "backward", "1"));
}

TEST_F(ProblemFile, WhatAFileDescribesIsReadAsStrictlyAsAFile) {
  const std::string path = folder_.write("gemm.py", "");
  const auto mistakes = [&](const std::string& described) {
    const Describer describe = [&](const Description&) { return described; };
    return inspect_problem(path, {}, describe).mistakes;
  };
  const auto unknown = mistakes(
      "name = 'x'\nnmae = 'y'\n[command]\nargv = ['x', '{A}']\n"
      "[parameters]\nA = [1]\n");
  ASSERT_THAT(unknown, SizeIs(1));
  EXPECT_THAT(to_string(unknown.front()), HasSubstr("gemm.py, as it is described:2:1"));
  EXPECT_THAT(mistakes("Traceback"), SizeIs(1));
  EXPECT_THAT(mistakes("[python]\nfile = 'gemm.py'\n"), testing::Not(IsEmpty()));
}

TEST_F(ProblemFile, KeepsItsTextForResuming) {
  const std::string path = folder_.write("problem.toml", host_problem());
  std::string text;
  EXPECT_EQ(read_problem(path, {}, &text).name, "add");
  EXPECT_EQ(text, host_problem());
}

TEST_F(ProblemFile, TakesSettingsFromOutside) {
  const search::Problem problem =
      folder_.read(host_problem("[budget]\ntrials = 5"), {{"budget.trials", "0"},
                                                          {"budget.time", "10m"},
                                                          {"search.searcher", "random"},
                                                          {"search.seed", "7"},
                                                          {"parameters.TILE", "[64, 128]"},
                                                          {"host.argument.0.fill", "sequence"},
                                                          {"measure.cache", "\"cold\""}});
  EXPECT_EQ(problem.budget.trials, 0U);
  EXPECT_DOUBLE_EQ(problem.budget.seconds, 600);
  EXPECT_EQ(problem.scheduling.searcher, "random");
  EXPECT_EQ(problem.scheduling.seed, 7U);
  EXPECT_EQ(problem.parameters[0].values, integers({64, 128}));
  EXPECT_EQ(problem.parameters[0].name, "TILE");
  EXPECT_EQ(std::get<HostBackend>(problem.backend).arguments[0].fill,
            search::Argument::Fill::kSequence);
  EXPECT_TRUE(problem.sampling.cold_cache);
}

TEST_F(ProblemFile, PlacesMistakesOfSettingsFromOutside) {
  EXPECT_THAT(
      folder_.diagnostics(host_problem(), {{"budget.trails", "4"},
                                           {"measure.samples", "many"},
                                           {"parameters.TILE", "[1, "},
                                           {"name.first", "x"},
                                           {"budget..time", "1m"}}),
      ElementsAre(::testing::StartsWith("--set parameters.TILE=[1,  the value is no TOML: "),
                  "--set name.first=x 'name.first' leads through something that is no table",
                  "--set budget..time=1m the key must be names joined by dots, such as "
                  "budget.trials",
                  "--set measure.samples=many measure.samples must be an integer from 1 to "
                  "1000000, not the text 'many'",
                  "--set budget.trails=4 unknown key 'trails' in [budget]; did you mean "
                  "'trials'?"));
}

TEST_F(ProblemFile, MakesTheSpaceOfParametersAndConstraints) {
  EXPECT_EQ(make_space(folder_.read(host_problem())).size(), 12U);
}

TEST_F(ProblemFile, HasNoSpaceWhereConstraintsExcludeEverything) {
  // The baseline is a source of its own, so that reading finds no fault.
  const search::Problem problem =
      folder_.read(host_problem(), {{"host.baseline", R"({file = "plain.cc", function = "plain"})"},
                                    {"parameters.TILE", "[3, 5]"}});
  try {
    make_space(problem);
    FAIL() << "no error";
  } catch (const search::SpaceError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("1024 % TILE == 0"));
  }
}

}  // namespace
}  // namespace nightshift::problems
