#include "tools/compare/contender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "problems/problem_file.h"
#include "tests/problems/scratch_folder.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProblem = R"(
name = "demo"
constraints = ["TILE * UNROLL <= 64"]
[command]
argv = ["run", "{TILE} {UNROLL} {PREFETCH} {RATE} {FLAGS}"]
[parameters]
TILE = [8, 16, 32]
UNROLL = [1, 2, 4, 8]
PREFETCH = { values = [0, 256], when = "UNROLL > 1" }
RATE = [0.5, 1.0]
FLAGS = ["", "-O1,-g", "-O2"]
[baseline]
TILE = 16
UNROLL = 2
PREFETCH = 256
)";

struct Contenders : ::testing::Test {
  search::Configuration read(const std::string& text) const {
    return read_contender(text, problem, space);
  }
  std::string mistake(const std::string& text) const {
    try {
      read(text);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
  search::Problem problem = problems::parse_problem(kProblem, "demo.toml");
  search::ParameterSpace space = problems::make_space(problem);
};

TEST_F(Contenders, TheBaselineIsTheEmptyConfiguration) {
  EXPECT_TRUE(read("baseline").is_baseline());
}

TEST_F(Contenders, WhatIsNotNamedIsAsInTheBaseline) {
  EXPECT_EQ(format_configuration(read("UNROLL=4,RATE=1")),
            "TILE=16 UNROLL=4 PREFETCH=256 RATE=1.0 FLAGS=''");
}

TEST_F(Contenders, AParameterThatIsSwitchedOffGoesBackToItsDefault) {
  EXPECT_EQ(format_configuration(read("UNROLL=1")),
            "TILE=16 UNROLL=1 PREFETCH=0 RATE=0.5 FLAGS=''");
  EXPECT_THAT(mistake("UNROLL=1,PREFETCH=256"), HasSubstr("sets PREFETCH, which is held at 0"));
}

TEST_F(Contenders, ValuesMayHoldCommasAndBeEmpty) {
  EXPECT_EQ(format_configuration(read("FLAGS=-O1,-g,TILE=8")),
            "TILE=8 UNROLL=2 PREFETCH=256 RATE=0.5 FLAGS=-O1,-g");
  EXPECT_EQ(format_configuration(read("FLAGS=,TILE=8")),
            "TILE=8 UNROLL=2 PREFETCH=256 RATE=0.5 FLAGS=''");
  EXPECT_THAT(
      assignments_of("FLAGS=a,b=c,TLIE=8,TILE=1", problem.parameters),
      ElementsAre(Assignment{"FLAGS", "a,b=c"}, Assignment{"TLIE", "8"}, Assignment{"TILE", "1"}));
}

TEST_F(Contenders, ATextMayBeLongerThanAFilesNameCanBe) {
  EXPECT_THAT(mistake("TILE=" + std::string(5000, '9')), HasSubstr("'TILE' has no value"));
}

TEST_F(Contenders, AllMistakesAreNamed) {
  EXPECT_THAT(mistake("TILE=5,UNROL=2"),
              AllOf(HasSubstr("'TILE' has no value 5 (it has 8, 16, 32)"),
                    HasSubstr("'UNROL' is no parameter of demo; did you mean 'UNROLL'?")));
  EXPECT_THAT(mistake("TILE=32,UNROLL=8"), HasSubstr("violates the constraint"));
  EXPECT_THAT(mistake("fast"), HasSubstr("is no configuration: expected baseline"));
  EXPECT_THAT(mistake(""), HasSubstr("is no configuration"));
}

TEST_F(Contenders, AFileMayBeAnExportOrABareObject) {
  const problems::ScratchFolder folder;
  const std::string exported = folder.write(
      "best.json", R"({"problem": "demo", "configuration": {"TILE": 8, "UNROLL": 8.0}})");
  EXPECT_EQ(format_configuration(read(exported)), "TILE=8 UNROLL=8 PREFETCH=256 RATE=0.5 FLAGS=''");
  EXPECT_EQ(read(folder.write("bare.json", R"({"TILE": 8, "UNROLL": 8})")), read(exported));
  EXPECT_TRUE(read(folder.write("empty.json", "{}")).is_baseline());
  EXPECT_THAT(mistake(folder.write("list.json", "[1]")), HasSubstr("is no JSON object"));
  EXPECT_THAT(mistake(folder.write("cut.json", "{\"TILE\": ")), HasSubstr("is no JSON object"));
  EXPECT_THAT(mistake(folder.write("deep.json", R"({"TILE": [8]})")),
              HasSubstr("must be one value"));
}

}  // namespace
}  // namespace nightshift::tools
