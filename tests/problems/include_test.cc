#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "problems/problem_file.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::vector<std::string> names_of(const search::Problem& problem) {
  std::vector<std::string> names;
  for (const search::Parameter& p : problem.parameters) names.push_back(p.name);
  return names;
}

std::vector<std::string> constraints_of(const search::Problem& problem) {
  std::vector<std::string> texts;
  for (const search::Expression& e : problem.constraints) texts.push_back(e.text());
  return texts;
}

class Include : public testing::Test {
 protected:
  Include() {
    folder_.write("more.toml", R"(
constraints = ["DEPTH != 2 or TILE == 16"]
[parameters]
DEPTH = { values = [1, 2, 3], default = 2 }
OPT = { values = ["", "-O3", "-Os"], flag = "{}" }
[baseline]
DEPTH = 3
)");
  }
  std::string with(const std::string& include, const std::string& rest = "") const {
    return "include = " + include + "\n" + host_problem(rest);
  }
  ProblemFolder folder_;
};

TEST_F(Include, PutsParametersBaselineAndConstraintsOfAFileUnderItsOwn) {
  const search::Problem plain = folder_.read(host_problem());
  const search::Problem problem = folder_.read(with(R"(["more.toml"])"));
  EXPECT_THAT(names_of(problem), ElementsAre("TILE", "UNROLL", "DEPTH", "OPT"));
  EXPECT_EQ(problem.baseline.to_json(), R"({"TILE": 16, "UNROLL": 1, "DEPTH": 3, "OPT": ""})");
  EXPECT_EQ(problem.constraints.size(), plain.constraints.size() + 1);
  EXPECT_THAT(constraints_of(problem), IsSupersetOf(constraints_of(plain)));
}

TEST_F(Include, WhatTheProblemSaysOfAParameterGoesBefore) {
  const search::Problem problem =
      folder_.read(with(R"(["more.toml"])", "OPT = { values = [\"-O2\"] }\n[baseline]\nDEPTH = 1"));
  const auto opt = std::ranges::find(problem.parameters, "OPT", &search::Parameter::name);
  EXPECT_THAT(opt->values, ElementsAre(search::Value(std::string("-O2"))));
  EXPECT_EQ(search::flag_parameters(problem).front().pattern, "{}");  // still an option
  EXPECT_THAT(problem.baseline.to_json(), HasSubstr("\"DEPTH\": 1"));
}

TEST_F(Include, SetsThatComeWithNightshiftAreNamedByAWord) {
  for (const char* set : {"gcc", "clang"}) {
    const search::Problem problem = folder_.read(with("[\"" + std::string(set) + "\"]"));
    EXPECT_GT(problem.parameters.size(), 12U) << set;
    EXPECT_EQ(search::flag_parameters(problem).size(), problem.parameters.size() - 2) << set;
    for (const search::Parameter& p : problem.parameters) {
      if (p.name == "TILE" || p.name == "UNROLL") continue;
      EXPECT_EQ(p.default_or_first(), search::Value(std::string())) << p.name;  // no option
    }
  }
}

TEST_F(Include, IsPartOfWhatAStudyKeeps) {
  const std::string path = folder_.write("whole.toml", with(R"(["more.toml"])"));
  std::string text;
  const search::Problem problem = read_problem(path, {{"include.0", "\"more.toml\""}}, &text);
  folder_.write("more.toml", "[parameters]\nOTHER = [1, 2]\n");
  const search::Problem later =
      parse_problem(text, path, {{"include", "[\"gcc\"]"}}, TextOrigin::kJournal);
  EXPECT_THAT(names_of(later), testing::UnorderedElementsAreArray(names_of(problem)));
  EXPECT_EQ(constraints_of(later), constraints_of(problem));
}

TEST_F(Include, MistakesAreTold) {
  EXPECT_THAT(
      folder_.diagnostics(with(R"(["gxx"])")),
      ElementsAre(HasSubstr("1:13 include names 'gxx', which is neither a set of options")));
  EXPECT_THAT(folder_.diagnostics(with(R"(["./none.toml"])")),
              ElementsAre(HasSubstr("none.toml, which is no file")));
  EXPECT_THAT(folder_.diagnostics(with(R"("gcc")")),
              ElementsAre("1:11 include must be a list of texts, not the text 'gcc'"));
  folder_.write("host.toml", "[host]\nkernel = 1\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["host.toml"])")),
              ElementsAre(HasSubstr("'host' is none of them")));
  folder_.write("broken.toml", "[parameters\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["broken.toml"])")),
              ElementsAre(HasSubstr("broken.toml no valid TOML")));
  folder_.write("unknown.toml", "constraints = [\"NOBODY > 1\"]\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["unknown.toml"])")),
              ElementsAre(HasSubstr("unknown name 'NOBODY'")));
}

// --- What the baseline is without a level ---

constexpr const char* kLevel = "nothing gives the baseline an optimisation level";

std::string built(const std::string& build, const std::string& more = "",
                  const std::string& parameters = "X = [1, 2]") {
  return R"(name = "program"
include = ["gcc"]
[command]
argv = ["{artifact}/main", "{X}"]
build = )" +
         build + "\n" + more + "\n[parameters]\n" + parameters + "\n";
}

TEST_F(Include, AProgramWhoseBaselineHasNoLevelIsRemarked) {
  const auto notes = [&](const std::string& text) { return folder_.read(text).notes; };
  const std::string plain = R"(["cc", "{flags}", "main.c", "-o", "{artifact}/main"])";
  EXPECT_THAT(notes(built(plain)),
              ElementsAre(testing::AllOf(HasSubstr(kLevel),
                                         HasSubstr("[baseline] GCC_LEVEL = \"-O2\" compares"))));
  EXPECT_THAT(notes(built(plain) + "[baseline]\nGCC_LEVEL = \"-O2\"\n"), ElementsAre());
  EXPECT_THAT(notes(built(plain, "", "X = [1]\nGCC_LEVEL = { values = [\"-O3\", \"-Os\"] }")),
              ElementsAre());
  for (const char* build :
       {R"(["cc", "-O2", "{flags}", "main.c", "-o", "{artifact}/main"])",
        R"(["make", "CFLAGS=-g -O1", "OUT={artifact}", "{flags}"])",
        R"(["sh", "-c", "cc -Ofast $0 -o {artifact}/main main.c", "{flags}"])"}) {
    EXPECT_THAT(notes(built(build)), ElementsAre()) << build;
  }
  EXPECT_THAT(notes(built(plain, R"(build_environment = { CFLAGS = "-O2" })")), ElementsAre());
  EXPECT_THAT(notes(built(plain, R"(baseline_argv = ["main"])")), ElementsAre()) << "is not built";
  EXPECT_THAT(notes(built(plain, R"(baseline_build = ["cc", "main.c", "-o", "{artifact}/main"])")),
              ElementsAre(HasSubstr(kLevel)));
}

TEST_F(Include, SoIsAFunctionWithoutFlags) {
  EXPECT_THAT(folder_.read(with(R"(["gcc"])")).notes, ElementsAre()) << "it has -O3";
  std::string bare = with(R"(["gcc"])");
  bare.replace(bare.find("\"-O3\""), 5, "\"-g\"");
  EXPECT_THAT(folder_.read(bare).notes, ElementsAre(HasSubstr(kLevel)));
  std::string no_levels = host_problem();
  no_levels.replace(no_levels.find("\"-O3\""), 5, "\"-g\"");
  EXPECT_THAT(folder_.read(no_levels).notes, ElementsAre()) << "levels are no part of the search";
}

}  // namespace
}  // namespace nightshift::problems
