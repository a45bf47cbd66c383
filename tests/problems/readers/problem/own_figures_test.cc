#include "problems/readers/problem/own_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using search::FigureRule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string objectives_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "[[objective]]\nname = '" + name + "'\n";
  return text;
}

class OwnFigures : public ::testing::Test {
 protected:
  std::vector<std::string> host(const std::string& objectives) const {
    return folder_.diagnostics(host_problem(objectives));
  }
  // Of a program with a build whose only figure has that source.
  std::vector<std::string> command(const std::string& source, const std::string& objective,
                                   const std::string& more = "") const {
    return folder_.diagnostics(command_problem(
        "argv = ['x']\n" + more + "[[command.figure]]\nsource = '" + source + "'", objective));
  }
  const ProblemFolder folder_;
};

TEST_F(OwnFigures, OfAHostKernelHaveTheirUnits) {
  const search::Problem problem = folder_.read(
      host_problem(objectives_of({"time", "instructions", "cycles", "cache_misses", "branch_misses",
                                  "energy", "binary_size", "build_time", "error"})));
  std::string told;
  for (const search::Objective& o : problem.objectives) told += o.name + " " + o.unit + "; ";
  EXPECT_EQ(told,
            "time ms; instructions ; cycles ; cache_misses ; branch_misses ; energy mJ; "
            "binary_size B; build_time s; error ; ");
}

TEST_F(OwnFigures, OfAHostKernelMayHaveOtherUnitsAndLimits) {
  const search::Problem problem = folder_.read(
      host_problem("[[objective]]\nunit = 'us'\n[[objective]]\nname = 'binary_size'\nunit = 'KiB'\n"
                   "at_most = 12\n"));
  EXPECT_EQ(problem.objectives[0].unit, "us");
  EXPECT_EQ(problem.objectives[1].unit, "KiB");
  EXPECT_EQ(problem.objectives[1].at_most, 12);
}

TEST_F(OwnFigures, MistakesOfAHostKernelNameWhatThereIs) {
  EXPECT_THAT(host(objectives_of({"time", "instuctions"})),
              ElementsAre("24:1 objective 'instuctions' is no figure of a host kernel; it has "
                          "'time', 'instructions', 'cycles', 'cache_misses', 'branch_misses', "
                          "'energy', 'binary_size', 'build_time' or 'error'; did you mean "
                          "'instructions'?"));
  EXPECT_THAT(host("[[objective]]\nname = 'binary_size'\nunit = 's'"),
              ElementsAre("22:1 the unit of 'binary_size' must be 'B' or 'KiB', not 's'"));
  EXPECT_THAT(host("[[objective]]\nname = 'cycles'\nunit = 'Hz'"),
              ElementsAre("22:1 the unit of 'cycles' must be '', as it has none, not 'Hz'"));
  EXPECT_THAT(host("[[objective]]\nname = 'cycles'\ndirection = 'maximise'"),
              ElementsAre("22:1 objective 'cycles' is a cost, which is minimised"));
}

TEST_F(OwnFigures, OfAProgramAreASourceAndItsUnitIsTheirFirst) {
  const search::Problem problem = folder_.read(
      command_problem("argv = ['{artifact}/x']\nbuild = ['cc', '-o', '{artifact}/x']\n"
                      "[[command.figure]]\nobjective = 'work'\nsource = 'instructions'\n"
                      "[[command.figure]]\nobjective = 'size'\nsource = 'binary_size'\n"
                      "[[command.figure]]\nobjective = 'energy'\nsource = 'energy'",
                      objectives_of({"work", "size", "energy"}) + "unit = 'J'\n"));
  const auto& figures = std::get<search::CommandBackend>(problem.backend).figures;
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].source, FigureRule::Source::kMeasured);
  EXPECT_EQ(figures[0].key, "instructions");
  EXPECT_EQ(figures[1].key, "binary_size");
  EXPECT_EQ(problem.objectives[0].unit, "");
  EXPECT_EQ(problem.objectives[1].unit, "B");
  EXPECT_EQ(problem.objectives[2].unit, "J");
}

TEST_F(OwnFigures, MistakesOfAProgramNameTheSource) {
  const std::string plain = "[[objective]]\nname = 'x'\n";
  EXPECT_THAT(command("binary_size", plain),
              ElementsAre(HasSubstr("command.figure.source is 'binary_size', which needs "
                                    "something that is built: say how in command.build")));
  EXPECT_THAT(command("energy", plain + "unit = 's'"),
              ElementsAre(HasSubstr("is 'energy', so that the unit of 'x' must be 'mJ' or 'J'")));
  EXPECT_THAT(command("cycles", plain + "direction = 'maximise'"),
              ElementsAre(HasSubstr("is a cost, which is minimised")));
  EXPECT_THAT(command("cycles", plain, "mode = 'server'\n"),
              ElementsAre(HasSubstr("a server has to answer with it")));
  EXPECT_THAT(command("cycles'\nkey = 'x", plain),
              ElementsAre(HasSubstr("command.figure.key has no meaning for what is measured")));
  EXPECT_THAT(command("error", plain), ElementsAre(HasSubstr("must be 'json', 'regex'")))
      << "which is of kernels alone";
}

TEST_F(OwnFigures, PeakMemoryIsOfRunsAndOfPlainServers) {
  const std::string memory = "[[objective]]\nname = 'memory'\n";
  for (const char* mode : {"per-trial", "server"}) {
    const search::Problem problem =
        folder_.read(command_problem("argv = ['x']\nmode = '" + std::string(mode) +
                                         "'\n[[command.figure]]\nsource = 'peak_memory'",
                                     memory));
    EXPECT_EQ(problem.objectives[0].unit, "MiB");
  }
  EXPECT_THAT(command("peak_memory", memory + "unit = 'GiB'"), IsEmpty());
  EXPECT_THAT(command("peak_memory", memory + "unit = 'GB'"),
              ElementsAre(HasSubstr("must be 'MiB', 'KiB', 'GiB' or 'B'")));
  EXPECT_THAT(command("peak_memory", memory, "mode = 'server'\nprotocol = 2\n"),
              ElementsAre(HasSubstr("is not measured of a server of protocol 2")));
  EXPECT_THAT(host(objectives_of({"peak_memory"})),
              ElementsAre(HasSubstr("'peak_memory' is no figure of a host kernel")));
}

TEST_F(OwnFigures, WhatAProgramPrintsKeepsItsName) {
  const search::Problem problem =
      folder_.read(command_problem("argv = ['x']", "[[objective]]\nname = 'energy'\n"));
  EXPECT_EQ(problem.objectives[0].unit, "");
  EXPECT_EQ(std::get<search::CommandBackend>(problem.backend).figures[0].source,
            FigureRule::Source::kJson);
}

}  // namespace
}  // namespace nightshift::problems
