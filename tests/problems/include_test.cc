#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "problems/problem_file.h"
#include "tests/problems/cuda_text.h"
#include "tests/problems/encoded.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

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
  EXPECT_EQ(names_of(later), names_of(problem));
  EXPECT_EQ(constraints_of(later), constraints_of(problem));
}

TEST_F(Include, SettingsOfTheStudyGoUnderTheProblemsOwn) {
  folder_.write("study.toml", R"(
[budget]
trials = 70
[limits]
verify = 7
measure = 8
[measure]
samples = 9
)");
  const search::Problem problem = folder_.read(
      with(R"(["./study.toml"])", "[limits]\nmeasure = 6\n"), {{"measure.samples", "5"}});
  EXPECT_EQ(problem.budget.trials, 70U);
  EXPECT_EQ(problem.limits.verify, 7);
  EXPECT_EQ(problem.limits.measure, 6) << "the problem goes before";
  EXPECT_EQ(problem.sampling.samples, 5) << "and --set before both";
}

TEST_F(Include, MistakesAreTold) {
  EXPECT_THAT(
      folder_.diagnostics(with(R"(["gxx"])")),
      ElementsAre(HasSubstr("1:13 include names 'gxx', which is neither a set of options")));
  EXPECT_THAT(folder_.diagnostics(with(R"(["./none.toml"])")),
              ElementsAre(AllOf(HasSubstr("1:13 include names './none.toml'"),
                                HasSubstr("none.toml), which is no file"))));
  EXPECT_THAT(folder_.diagnostics(with(R"("gcc")")),
              ElementsAre("1:11 include must be a list of texts, not the text 'gcc'"));
  for (const char* own : {"host", "command", "search", "python"}) {
    folder_.write("own.toml", "[" + std::string(own) + "]\nfile = 1\n");
    EXPECT_THAT(folder_.diagnostics(with(R"(["own.toml"])")),
                ElementsAre(HasSubstr("'" + std::string(own) + "' is none of them")));
  }
  folder_.write("broken.toml", "[parameters\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["broken.toml"])")),
              ElementsAre(HasSubstr("broken.toml no valid TOML")));
  folder_.write("unknown.toml", "constraints = [\"NOBODY > 1\"]\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["unknown.toml"])")),
              ElementsAre(HasSubstr("unknown name 'NOBODY'")));
}

// A file that serves many problems may be right for some of them.
TEST_F(Include, MistakesOfAFileNameBothPlaces) {
  folder_.write("a.toml", "# one\nconstraints = [\"NOBODY > 1\"]\n");
  folder_.write("b.toml", "[baseline]\nNONE = 1\n");
  folder_.write("c.toml", "[parameters\n");
  folder_.write("d.toml", "[limits]\nverfy = 1\n");
  const auto mistakes = [&](const std::string& include) {
    return folder_.diagnostics(with("[\n\"gcc\",\n  " + include + "]"));
  };
  const std::string by = " (included by " + folder_.path("problem.toml") + ":3:4)";
  EXPECT_THAT(mistakes(R"("a.toml")"),
              ElementsAre(AllOf(StartsWith(folder_.path("a.toml")), EndsWith("'NOBODY'" + by))));
  EXPECT_THAT(mistakes(R"("b.toml")"),
              ElementsAre(AllOf(StartsWith(folder_.path("b.toml")), EndsWith(by))));
  EXPECT_THAT(mistakes(R"("c.toml")"),
              ElementsAre(AllOf(HasSubstr("c.toml no valid TOML"), EndsWith(by))));
  EXPECT_THAT(mistakes(R"("d.toml")"),
              ElementsAre(AllOf(HasSubstr("did you mean 'verify'?"), EndsWith(by))));
}

// --- [cuda.derived] ---

class IncludeDerived : public testing::Test {
 protected:
  std::string with(const std::string& include) const {
    return "include = " + include + "\n" + cuda_problem();
  }
  search::Problem read(const std::string& include) const { return folder_.read(with(include)); }
  CudaFolder folder_;
};

TEST_F(IncludeDerived, NamesMayStandInAFileAndNameThoseOfTheProblem) {
  folder_.write("more.toml", R"(
constraints = ["ROUNDS <= 16"]
[cuda.derived]
ROUNDS = "BATCHES * CLUSTER"
)");
  const search::Problem problem = read(R"(["more.toml"])");
  EXPECT_THAT(constraints_of(problem), testing::Contains(HasSubstr("* CLUSTER) <= 16")));
  EXPECT_EQ(problem.constraints.size(), folder_.read(cuda_problem()).constraints.size() + 1);
}

TEST_F(IncludeDerived, WhatTheProblemSaysOfANameGoesBefore) {
  folder_.write("more.toml", "[cuda.derived]\nWORK = \"THREADS * 1000\"\n");
  EXPECT_EQ(constraints_of(read(R"(["more.toml"])")), constraints_of(folder_.read(cuda_problem())));
}

TEST_F(IncludeDerived, ANameOfTwoFilesIsAMistakeUnlessTheProblemSaysIt) {
  folder_.write("a.toml", "[cuda.derived]\nWORK = \"THREADS\"\nHALF = \"THREADS // 2\"\n");
  folder_.write("b.toml", "[cuda.derived]\n  HALF = \"UNROLL // 2\"\nWORK = \"UNROLL\"\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["a.toml", "b.toml"])")),
              ElementsAre(AllOf(
                  StartsWith(folder_.path("b.toml")),
                  HasSubstr("derived name 'HALF' stands in " + folder_.path("a.toml") + ":3:1"),
                  EndsWith("(included by " + folder_.path("problem.toml") + ":1:23)"))));
}

TEST_F(IncludeDerived, NothingElseOfCudaIsIncluded) {
  folder_.write("more.toml", "[cuda]\nsource = \"other.cu\"\n[cuda.derived]\nX = 1\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["more.toml"])")),
              ElementsAre(HasSubstr("'cuda.source' is none of them")));
  folder_.write("flat.toml", "cuda = 1\n");
  EXPECT_THAT(folder_.diagnostics(with(R"(["flat.toml"])")),
              ElementsAre(HasSubstr("'cuda' is none of them")));
  folder_.write("derived.toml", "[cuda.derived]\nX = 1\n");
  EXPECT_THAT(folder_.diagnostics("include = [\"derived.toml\"]\n" + host_problem()),
              ElementsAre(HasSubstr("[cuda.derived] is included by a problem without [cuda]")));
}

TEST_F(IncludeDerived, AStudyKeepsTheProblemToTheByte) {
  folder_.write("more.toml", R"(
constraints = ["ROUNDS <= 16"]
[cuda.derived]
ROUNDS = "BATCHES * CLUSTER"
[parameters]
ZEBRA = { values = ["a\"b", "it's", "\t"], when = "CLUSTER == 2" }
APE = [0.1, 1e-7, 1e300]
[baseline]
APE = 1e300
)");
  const std::string path = folder_.write("whole.toml", with(R"(["more.toml"])"));
  std::string text;
  const search::Problem problem = read_problem(path, {}, &text);
  EXPECT_EQ(encoded(parse_problem(text, path, {}, TextOrigin::kJournal)), encoded(problem)) << text;
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

TEST_F(Include, ABaselineThatIsOptimisedByItselfIsNot) {
  const auto notes = [&](const std::string& set, const std::string& build) {
    std::string text = built(build);
    text.replace(text.find("\"gcc\""), 5, set);
    return folder_.read(text).notes;
  };
  const std::string words = R"("{flags}", "main.cu", "-o", "{artifact}/main"])";
  EXPECT_THAT(notes("\"nvcc\"", "[\"nvcc\", " + words), ElementsAre()) << "ptxas is at its highest";
  for (const char* compiler : {"icpx", "/opt/rocm/bin/hipcc", "nvc++"}) {
    EXPECT_THAT(notes("\"gcc\"", "[\"" + std::string(compiler) + "\", " + words), ElementsAre());
  }
  EXPECT_THAT(notes("\"gcc\"", "[\"sh\", \"-c\", \"icx $*\", \"icx\", " + words), ElementsAre());
  for (const char* handed_on : {R"("-Xptxas", "-O3")", R"("-Xptxas=-O3")", R"("-Wl,-O1")"}) {
    EXPECT_THAT(notes("\"gcc\"", "[\"cc\", " + std::string(handed_on) + ", " + words),
                ElementsAre(HasSubstr(kLevel)))
        << handed_on << " is no level of the compiler";
  }
  for (const char* of_host : {R"("-Xcompiler", "-O2")", R"("-Xcompiler=-O2")"}) {
    EXPECT_THAT(notes("\"gcc\"", "[\"nvcc\", " + std::string(of_host) + ", " + words),
                ElementsAre());
  }
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
