#include "evaluator/missing_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "evaluator/counters/own_objectives.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MissingPrograms : public ::testing::Test {
 protected:
  std::vector<std::string> of(const std::vector<std::string>& argv,
                              std::vector<search::Parameter> parameters = {}) const {
    search::CommandBackend command = command_;
    command.argv = argv;
    command.directory = folder_.path();
    search::Problem problem;
    problem.backend = command;
    problem.parameters = std::move(parameters);
    return missing_programs(problem);
  }

  TemporaryFolder folder_;
  search::CommandBackend command_;
};

TEST_F(MissingPrograms, AProgramIsOnPathOrWhereItIsNamed) {
  EXPECT_THAT(of({"sh", "-c", "true"}), IsEmpty());
  EXPECT_THAT(of({"/bin/sh"}), IsEmpty());
  EXPECT_THAT(of({"no-such-program"}),
              ElementsAre(AllOf(HasSubstr("command.argv"), HasSubstr("on PATH"))));
  EXPECT_THAT(of({"./gone"}), ElementsAre(HasSubstr("there is no program " + folder_.path())));
}

TEST_F(MissingPrograms, AFileThatMayNotBeStartedIsToldApart) {
  folder_.write("run", "#!/bin/sh\n");
  EXPECT_THAT(of({"./run"}), ElementsAre(HasSubstr("chmod +x")));
  EXPECT_THAT(of({"run"}), ElementsAre(HasSubstr("write './run'")));
  std::filesystem::permissions(folder_.path() + "/run", std::filesystem::perms::owner_all);
  EXPECT_THAT(of({"./run"}), IsEmpty());
}

TEST_F(MissingPrograms, TheScriptOfAnInterpreterIsLookedFor) {
  EXPECT_THAT(of({"sh", "gone.sh"}), ElementsAre(HasSubstr("there is no script")));
  folder_.write("here.sh", "");
  EXPECT_THAT(of({"sh", "here.sh"}), IsEmpty());
  EXPECT_THAT(of({"sh", "{X}.sh"}), IsEmpty());
  EXPECT_THAT(of({"cat", "gone.sh"}), IsEmpty());  // may be what it makes
}

TEST_F(MissingPrograms, WhatLaunchersStartIsLookedFor) {
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"env", "X=1", "no-such-program"},
           {"nice", "-n", "5", "no-such-program"},
           {"env", "X=1", "timeout", "5", "nice", "no-such-program"}}) {
    EXPECT_THAT(of(argv), ElementsAre(HasSubstr("there is no program 'no-such-program' on PATH")));
  }
  EXPECT_THAT(of({"env", "X=1", "sh", "gone.sh"}), ElementsAre(HasSubstr("there is no script")));
  EXPECT_THAT(of({"env", "X=1", "sh", "-c", "true"}), IsEmpty());
  EXPECT_THAT(of({"env", "{artifact}/main"}), IsEmpty());
  EXPECT_THAT(of({"env", "PATH=/elsewhere", "no-such-program"}), IsEmpty());
}

TEST_F(MissingPrograms, AScriptNeedsItsInterpreter) {
  const auto script = [&](const std::string& text) {
    folder_.write("run", text);
    std::filesystem::permissions(folder_.path() + "/run", std::filesystem::perms::owner_all);
    return of({"env", "./run"});
  };
  EXPECT_THAT(script("#!/nope/python\n"), ElementsAre(HasSubstr("started by /nope/python")));
  EXPECT_THAT(script("#!/bin/sh\r\n"), ElementsAre(HasSubstr("carriage return")));
  EXPECT_THAT(script("#!/bin/sh\n"), IsEmpty());
}

TEST_F(MissingPrograms, AParameterMayNameTheProgram) {
  const auto named = [](const std::vector<search::Value>& values) {
    return std::vector<search::Parameter>{{"P", search::ParameterType::kString, values, {}, {}}};
  };
  EXPECT_THAT(of({"{P}", "-c", "true"}, named({std::string("no-such-program"), std::string("sh")})),
              ElementsAre(HasSubstr("'no-such-program' on PATH")))
      << "the baseline's";
  EXPECT_THAT(of({"{P}", "-c", "true"}, named({std::string("sh"), std::string("no-such-program")})),
              IsEmpty());
  command_.baseline_argv = {"sh"};
  EXPECT_THAT(of({"{P}", "-c", "true"}, named({std::string("no-such-program")})), IsEmpty());
}

TEST_F(MissingPrograms, ACompilerNeedsItsSources) {
  const auto built = [&](const std::vector<std::string>& words) {
    command_.build = words;
    return of({"{artifact}/main"});
  };
  folder_.write("here.cc", "");
  EXPECT_THAT(built({"c++", "-O2", "gone.cc", "-o", "{artifact}/main"}),
              ElementsAre(HasSubstr("command.build: there is no source " + folder_.path())));
  EXPECT_THAT(built({"nice", "c++", "-O2", "gone.cc"}), ElementsAre(HasSubstr("no source")));
  EXPECT_THAT(built({"c++", "-O2", "here.cc", "-o", "made.c"}), IsEmpty());
  EXPECT_THAT(built({"c++", "{X}.cc"}), IsEmpty());
  EXPECT_THAT(built({"sh", "-c", "true", "gone.cc"}), IsEmpty()) << "may be what it makes";
}

TEST_F(MissingPrograms, WhatIsDecidedLaterIsNotLookedAt) {
  EXPECT_THAT(of({"{artifact}/main"}), IsEmpty());
  command_.environment = {{"PATH", "/elsewhere"}};
  EXPECT_THAT(of({"no-such-program"}), IsEmpty());
}

TEST_F(MissingPrograms, EveryProgramOfABuildIsLookedFor) {
  command_.build = {"no-such-compiler", "-o", "{artifact}/main"};
  command_.baseline_build = {"no-such-compiler-either"};
  EXPECT_THAT(of({"{artifact}/main"}),
              ElementsAre(HasSubstr("command.build: "), HasSubstr("command.baseline_build: ")));
}

TEST_F(MissingPrograms, AKernelNeedsItsCompilerAndThatOfEachLanguage) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  EXPECT_THAT(missing_programs(problem), IsEmpty());
  host_of(problem).compiler = "no-such-c++";
  EXPECT_THAT(missing_programs(problem), ElementsAre(HasSubstr("host.compiler: there is no")));
  host_of(problem).compiler = "no-such-fort";
  host_of(problem).kernel.file = folder_.write("doubled.f90", "");
  EXPECT_THAT(missing_programs(problem),
              ElementsAre(HasSubstr("is Fortran, and there is no no-such-fort"),
                          HasSubstr("host.compiler")));
}

TEST_F(MissingPrograms, LastComesWhatThisMachineCannotMeasure) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.objectives = {{"time", "ms"}, {"cycles", ""}, {"energy", "J"}};
  const auto expected = unmeasurable(problem);
  EXPECT_EQ(missing_programs(problem), expected);
  host_of(problem).compiler = "no-such-c++";
  const auto missing = missing_programs(problem);
  ASSERT_EQ(missing.size(), expected.size() + 1);
  EXPECT_THAT(missing.front(), HasSubstr("host.compiler"));
}

}  // namespace
}  // namespace nightshift::evaluator
