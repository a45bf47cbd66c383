#include "evaluator/missing_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MissingPrograms : public ::testing::Test {
 protected:
  std::vector<std::string> of(const std::vector<std::string>& argv) const {
    search::CommandBackend command = command_;
    command.argv = argv;
    command.directory = folder_.path();
    search::Problem problem;
    problem.backend = command;
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

}  // namespace
}  // namespace nightshift::evaluator
