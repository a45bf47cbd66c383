#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problems/problem_file.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "tests/fakes/paths.h"

namespace nightshift::problems {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::IsEmpty;

std::string shipped(const std::string& name) {
  return testing_paths::source("kernels/") + name + "/problem.toml";
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string without_comments(const std::string& source) {
  return std::regex_replace(source, std::regex("//[^\n]*"), "");
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

bool becomes_option(const search::HostBackend& host, const std::string& parameter) {
  return std::any_of(host.flag_parameters.begin(), host.flag_parameters.end(),
                     [&](const auto& flag) { return flag.parameter == parameter; });
}

std::string folder_name(const testing::TestParamInfo<const char*>& tested) {
  return fs::path(tested.param).filename().string();
}

// --- Every shipped problem ---

class ShippedProblem : public testing::TestWithParam<const char*> {
 protected:
  search::Problem problem_ = read_problem(shipped(GetParam()));
  search::ParameterSpace space_ = make_space(problem_);
};

TEST_P(ShippedProblem, HasTheBaselineInItsSpace) {
  EXPECT_TRUE(space_.index_of(search::resolved(problem_, {})));
}

TEST_P(ShippedProblem, HasALimitedBudget) {
  EXPECT_TRUE(problem_.budget.seconds > 0 || problem_.budget.trials > 0);
  EXPECT_LE(problem_.budget.seconds, 300);
}

TEST_P(ShippedProblem, MeasuresTimeInMilliseconds) {
  EXPECT_EQ(problem_.objectives, std::vector<search::Objective>{search::Objective{}});
}

INSTANTIATE_TEST_SUITE_P(Catalogue, ShippedProblem,
                         testing::Values("host/rmsnorm", "host/sgemm", "host/conv2d",
                                         "host/transpose", "command/python_server",
                                         "command/compiled_program", "command/profiled_program"),
                         folder_name);

// --- Host kernels ---

class HostKernel : public ShippedProblem {
 protected:
  const search::HostBackend& host_ = std::get<search::HostBackend>(problem_.backend);
};

TEST_P(HostKernel, HasASpaceWorthSearching) {
  EXPECT_GE(space_.size(), 2'000U);
  EXPECT_LE(space_.size(), 200'000U);
  EXPECT_LT(static_cast<double>(space_.size()), space_.cartesian_size());
}

TEST_P(HostKernel, DefinesTheFunctionsThatItNames) {
  for (const search::HostSource& source : {host_.kernel, host_.baseline, host_.reference}) {
    EXPECT_TRUE(has_word(text_of(source.file), "void " + source.function)) << source.file;
  }
}

TEST_P(HostKernel, UsesEveryMacroThatItIsGiven) {
  const std::string kernel = without_comments(text_of(host_.kernel.file));
  const auto is_used = [&](const std::string& name) {
    return has_word(kernel, name) || becomes_option(host_, name);
  };
  std::vector<std::string> unused;
  for (const search::Parameter& parameter : problem_.parameters) {
    if (!is_used(parameter.name)) unused.push_back(parameter.name);
  }
  for (const auto& [name, value] : host_.cases.front()) {
    if (!is_used(name)) unused.push_back(name);
  }
  EXPECT_THAT(unused, IsEmpty());
}

TEST_P(HostKernel, DefaultsRunOnEveryMachineOfItsArchitecture) {
  const search::Configuration defaults = search::resolved(problem_, {});
  std::vector<std::string> machines;
  for (const char* name : {"ISA", "CPU"}) {
    if (const search::Value* value = defaults.find(name)) {
      machines.push_back(std::get<std::string>(*value));
    }
  }
  EXPECT_EQ(machines.size(), 1U);
  EXPECT_THAT(machines, Each("x86-64"));
}

TEST_P(HostKernel, BaselineIsPlainlyCompiled) {
  EXPECT_EQ(host_.baseline.flags, (std::vector<std::string>{"-std=c++20", "-O2"}));
}

INSTANTIATE_TEST_SUITE_P(Catalogue, HostKernel,
                         testing::Values("host/rmsnorm", "host/sgemm", "host/conv2d"), folder_name);

TEST(SgemmProblem, SharesTheWorkBetweenThreadsWhenAsked) {
  const std::string path = shipped("host/sgemm");
  const search::Problem two =
      read_problem(path, {{"parameters.THREADS", "[1, 2]"}, {"schedule.cores_per_device", "2"}});
  EXPECT_EQ(two.scheduling.cores_per_device, 2);
  EXPECT_EQ(make_space(two).size(), 2 * make_space(read_problem(path)).size());
}

// --- Commands ---

TEST(CommandProblem, StartsFilesThatAreThere) {
  const auto command = [](const char* name) {
    return std::get<search::CommandBackend>(read_problem(shipped(name)).backend);
  };
  const search::CommandBackend served = command("command/python_server");
  ASSERT_GE(served.argv.size(), 2U);
  EXPECT_TRUE(fs::exists(fs::path(served.directory) / served.argv[1]));
  const search::CommandBackend profiled = command("command/profiled_program");
  for (const std::string& input : profiled.inputs) EXPECT_TRUE(fs::exists(input)) << input;
  const search::CommandBackend compiled = command("command/compiled_program");
  ASSERT_FALSE(compiled.inputs.empty());
  for (const std::string& input : compiled.inputs) {
    const std::string source = fs::path(input).filename().string();
    EXPECT_THAT(compiled.build, testing::Contains(source));
    EXPECT_THAT(compiled.baseline_build, testing::Contains(source));
  }
}

TEST(CommandProblem, ServesAPythonScriptAndStartsACompiledProgram) {
  using Mode = search::CommandBackend::Mode;
  const auto mode = [](const char* name) {
    return std::get<search::CommandBackend>(read_problem(shipped(name)).backend).mode;
  };
  EXPECT_EQ(mode("command/python_server"), Mode::kServer);
  EXPECT_EQ(mode("command/compiled_program"), Mode::kPerTrial);
}

TEST(CommandProblem, CountsEveryConfigurationOfTheCompiledPrograms) {
  for (const char* name : {"command/compiled_program", "command/profiled_program"}) {
    const search::Problem problem = read_problem(shipped(name));
    EXPECT_EQ(make_space(problem).size(), problem.budget.trials) << name;
  }
}

// --- The one with a limit on size ---

TEST(SmallRmsnorm, IsTheSameKernelWithinASize) {
  const search::Problem small =
      read_problem(testing_paths::source("kernels/host/rmsnorm/small.toml"));
  const search::Problem whole = read_problem(shipped("host/rmsnorm"));
  const auto& host = std::get<search::HostBackend>(small.backend);
  const auto& other = std::get<search::HostBackend>(whole.backend);
  EXPECT_EQ(host.kernel, other.kernel);
  EXPECT_EQ(host.baseline, other.baseline);
  EXPECT_EQ(host.cases, other.cases);
  EXPECT_THAT(small.parameters, testing::SizeIs(whole.parameters.size() - 1));
  ASSERT_THAT(small.objectives, testing::SizeIs(2));
  EXPECT_EQ(small.objectives[0], whole.objectives[0]);
  EXPECT_EQ(small.objectives[1].name, "binary_size");
  EXPECT_EQ(small.objectives[1].unit, "B");
  EXPECT_TRUE(small.objectives[1].at_most);
  EXPECT_GT(make_space(small).cartesian_size(), 1000);
}

}  // namespace
}  // namespace nightshift::problems
