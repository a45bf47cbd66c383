#include "evaluator/host/build/host_builder.h"
#include "evaluator/process/compiler_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "evaluator/process/launched_child.h"
#include "evaluator/process/program_path.h"
#include "ipc/orphans.h"
#include "search/telling_line.h"
#include "tests/evaluator/host_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class HostBuilderTest : public ::testing::Test {
 protected:
  ipc::BuiltReply build(const search::Problem& problem, const search::Configuration& c = {},
                        ipc::BuildTarget target = ipc::BuildTarget::kCandidate) {
    HostBuilder builder(setting_for(problem, folder_));
    return builder.build({target, c}, progress_);
  }
  ipc::Artifact built(const search::Problem& problem, const search::Configuration& c = {},
                      ipc::BuildTarget target = ipc::BuildTarget::kCandidate) {
    const ipc::BuiltReply reply = build(problem, c, target);
    const auto* failed = std::get_if<search::BuildFailed>(&reply.result);
    EXPECT_EQ(failed, nullptr) << failed->message;
    return failed != nullptr ? ipc::Artifact{} : std::get<ipc::Artifact>(reply.result);
  }
  std::string complaint(const search::Problem& problem, const search::Configuration& c = {}) {
    const ipc::BuiltReply reply = build(problem, c);
    const auto* failed = std::get_if<search::BuildFailed>(&reply.result);
    return failed != nullptr ? failed->message : "it was built";
  }

  TemporaryFolder folder_;
  FakeProgress progress_;
};

search::Configuration step(std::int64_t value) { return configuration({{"STEP", value}}); }

TEST_F(HostBuilderTest, ArtifactIsNamedByTheHashOfItsBytes) {
  const ipc::Artifact artifact = built(doubling_problem(folder_, doubling(kGoodLoop)), step(1));
  EXPECT_EQ(artifact.hash.size(), 32u);
  EXPECT_EQ(std::filesystem::file_size(folder_.path() + "/artifacts/" + artifact.hash),
            artifact.bytes);
}

// A compiler whose first `kills` calls end as the system ends what takes its last memory: itself,
// or the program that does the work, of which the driver tells.
std::string killed_compiler(const TemporaryFolder& folder, int kills, const std::string& end) {
  const std::string path = folder.write(
      "killed-cxx", "#!/bin/sh\necho call >> " + folder.path() + "/calls\n" + "if [ $(wc -l < " +
                        folder.path() + "/calls) -le " + std::to_string(kills) + " ]; then " + end +
                        "; fi\nexec c++ \"$@\"\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST_F(HostBuilderTest, ACompilerThatIsKilledIsStartedAgain) {
  const auto of_driver = [](const std::string& signal) {
    return "echo 'c++: fatal error: " + signal + " signal terminated program cc1plus' >&2; exit 1";
  };
  const std::string of_linker =
      "echo 'collect2: fatal error: ld terminated with signal 15 [Terminated]' >&2; exit 1";
  const std::string ends[] = {
      "kill -9 $$", "kill -TERM $$",     "kill -HUP $$",          "exit 137",         "exit 143",
      of_linker,    of_driver("Killed"), of_driver("Terminated"), of_driver("Hangup")};
  for (const std::string& end : ends) {
    std::filesystem::remove(folder_.path() + "/calls");
    auto problem = doubling_problem(folder_, doubling(kGoodLoop));
    host_of(problem).compiler = killed_compiler(folder_, 1, end);
    EXPECT_EQ(built(problem, step(1)).hash.size(), 32u) << end;
  }
}

TEST_F(HostBuilderTest, ACompilerThatIsKilledEachTimeSaysSo) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).compiler = killed_compiler(folder_, 9, "kill -9 $$");
  EXPECT_THAT(complaint(problem, step(1)),
              ::testing::AllOf(HasSubstr("killed from outside 3 times"), HasSubstr("memory")));
}

TEST_F(HostBuilderTest, ACompilerThatFindsNoMemoryOrNoRoomIsStartedAgain) {
  for (const char* words :
       {"/tmp/x.s: error: No space left on device", "virtual memory exhausted: Cannot allocate",
        "cc1plus: out of memory allocating 65536 bytes after a total of 1216512 bytes"}) {
    std::filesystem::remove(folder_.path() + "/calls");
    const std::string end = "echo '" + std::string(words) + "' >&2; exit 1";
    auto problem = doubling_problem(folder_, doubling(kGoodLoop));
    host_of(problem).compiler = killed_compiler(folder_, 2, end);
    EXPECT_EQ(built(problem, step(1)).hash.size(), 32u) << words;
    std::filesystem::remove(folder_.path() + "/calls");
    host_of(problem).compiler = killed_compiler(folder_, 9, end);
    EXPECT_THAT(complaint(problem, step(1)), HasSubstr("no memory or no room on a disk 3 times"));
  }
}

// Whoever starts processes looks at the first words, which are of the machine and of no case.
TEST_F(HostBuilderTest, ACompilerThatIsRefusedProcessesIsNoFailureOfACase) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).cases = {{{"N", 1000}}, {{"N", 2000}}};
  host_of(problem).compiler =
      killed_compiler(folder_, 9, "echo 'vfork: Resource temporarily unavailable' >&2; exit 1");
  const std::string words = complaint(problem, step(1));
  EXPECT_TRUE(search::tells_of_no_process(words)) << words;
  host_of(problem).compiler = killed_compiler(folder_, 9, "echo 'error: no' >&2; exit 1");
  EXPECT_THAT(complaint(problem, step(1)), ::testing::StartsWith("case N=1000: "));
}

TEST_F(HostBuilderTest, ACompilerUnderALimitOfMemoryIsStartedAgainOnce) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.limits.memory_bytes = std::uint64_t{8} << 30;
  host_of(problem).compiler = killed_compiler(folder_, 9, "echo 'memory exhausted' >&2; exit 1");
  EXPECT_THAT(complaint(problem, step(1)), HasSubstr("no memory or no room on a disk 2 times"));
}

TEST_F(HostBuilderTest, ACompilerThatDiesOfItsOwnFaultIsNotStartedAgain) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  for (const char* signal : {"SEGV", "XCPU"}) {
    std::filesystem::remove(folder_.path() + "/calls");
    host_of(problem).compiler = killed_compiler(folder_, 1, std::string("kill -") + signal + " $$");
    EXPECT_THAT(complaint(problem, step(1)), HasSubstr(std::string("SIG") + signal));
  }
}

// As the copies of two nodes are, see tools/nodes/node_files.h.
TEST_F(HostBuilderTest, CopiesInTwoFoldersGiveTheSameArtifactOnceTheirFolderIsMappedAway) {
  const auto copy_in = [&](const std::string& root, bool mapped) {
    namespace fs = std::filesystem;
    for (const char* folder : {"/include", "/source"}) {
      fs::create_directories(folder_.path() + "/" + root + folder);
    }
    folder_.write(root + "/include/check.h",
                  "#include <cassert>\ninline void check(long n) { assert(n >= 0); }\n");
    auto problem = doubling_problem(folder_, doubling(kGoodLoop));
    search::HostSource& kernel = host_of(problem).kernel;
    kernel.file =
        folder_.write(root + "/source/doubled.cc",
                      "#include <check.h>\n" + doubling("check(n); " + std::string(kGoodLoop)));
    const std::string here = folder_.path() + "/" + root;
    kernel.flags = {"-UNDEBUG", "-I" + here + "/include"};
    if (mapped) kernel.flags.push_back("-ffile-prefix-map=" + here + "=");
    return built(problem, step(1)).hash;
  };
  EXPECT_NE(copy_in("one", false), copy_in("other", false));
  EXPECT_EQ(copy_in("one", true), copy_in("other", true));
}

TEST_F(HostBuilderTest, ParametersThatDoNotMatterGiveTheSameArtifact) {
  const auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  EXPECT_EQ(built(problem, step(1)), built(problem, step(4)));
}

TEST_F(HostBuilderTest, ParametersThatMatterGiveDifferentArtifacts) {
  const auto problem =
      doubling_problem(folder_, doubling("for (long i = 0; i < n; ++i) y[i] = STEP * x[i];"));
  EXPECT_NE(built(problem, step(2)).hash, built(problem, step(4)).hash);
}

// As of a loop whose bound is an argument.
TEST_F(HostBuilderTest, EqualCodeThatIsCalledOtherwiseIsAnotherArtifact) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).arguments.back().value = search::Expression::parse("N // STEP");
  EXPECT_NE(built(problem, step(1)).hash, built(problem, step(2)).hash);
  EXPECT_EQ(built(problem, step(2)), built(problem, step(2)));
  host_of(problem).arguments.back().value = search::Expression::parse("N if STEP < 3 else 1");
  EXPECT_EQ(built(problem, step(1)), built(problem, step(2)));
  EXPECT_NE(built(problem, step(1)).hash, built(problem, step(4)).hash);
}

TEST_F(HostBuilderTest, EqualCodeWithAnotherSizeOfAVectorIsAnotherArtifact) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).arguments.front().size = search::Expression::parse("N * STEP");
  EXPECT_NE(built(problem, step(1)).hash, built(problem, step(2)).hash);
}

TEST_F(HostBuilderTest, OfSeveralCasesOneThatIsCalledOtherwiseIsEnough) {
  auto problem =
      doubling_problem(folder_, doubling("for (long i = 0; i < n; ++i) y[i] = 2 * x[i];"));
  host_of(problem).names = search::SourceNames::kNone;  // all cases are compiled as one
  host_of(problem).cases = {{{"N", 1000}}, {{"N", 2000}}};
  EXPECT_EQ(built(problem, step(1)), built(problem, step(2)));
  host_of(problem).arguments.back().value =
      search::Expression::parse("N if N < 2000 else N // STEP");
  EXPECT_NE(built(problem, step(1)).hash, built(problem, step(2)).hash);
}

TEST_F(HostBuilderTest, AnArgumentThatHasNoValueIsSaidBeforeAnythingIsCompiled) {
  auto problem = doubling_problem(folder_, "#error it was compiled\n");
  host_of(problem).arguments.back().value = search::Expression::parse("N // (STEP - 1)");
  EXPECT_THAT(complaint(problem, step(1)), HasSubstr("the value of argument 'n'"));
}

// --- Paths of options, and what they name ---

class BesideTheProblem : public HostBuilderTest {
 protected:
  // A kernel that calls helped(), which `flags` bring.
  search::Problem with(std::vector<std::string> flags) {
    auto problem = doubling_problem(
        folder_, "#include <declared.h>\n" + doubling("for (long i = 0; i < n; ++i) "
                                                      "y[i] = helped(x[i]);"));
    folder_.make_folder("include");
    folder_.write("include/declared.h", "float helped(float x);\n");
    folder_.write("helper.cc", "float helped(float x) { return 2 * x; }\n");
    host_of(problem).directory = folder_.path();
    flags.emplace_back("-Iinclude");
    host_of(problem).kernel.flags = std::move(flags);
    return problem;
  }
};

TEST_F(BesideTheProblem, AFurtherSourceIsCompiledByItself) {
  built(with({"helper.cc"}), step(1));
  folder_.write("options", "-Iinclude 'helper.cc'\n");
  built(with({"@options"}), step(1));
}

TEST_F(BesideTheProblem, WhatIsIncludedByAnOptionStandsBeforeTheKernel) {
  folder_.write("config.h", "#define CONFIGURED 2\n");
  auto problem = with({"helper.cc", "-include", "config.h"});
  host_of(problem).kernel.file = folder_.write(
      "configured.cc", "static_assert(CONFIGURED == 2, \"\");\n" + doubling(kGoodLoop));
  built(problem, step(1));
}

TEST_F(BesideTheProblem, OptionsOfAParameterGoByTheSameFolder) {
  auto problem = with({});
  problem.parameters.push_back(parameter("HELP", {std::string("helper.cc")}));
  host_of(problem).flag_parameters = {{"HELP", "{}"}};
  built(problem, configuration({{"STEP", std::int64_t{1}}, {"HELP", std::string("helper.cc")}}));
}

TEST_F(BesideTheProblem, WhatIsNotDefinedAnywhereIsSaidByTheBuild) {
  EXPECT_THAT(complaint(with({}), step(1)),
              ::testing::ContainsRegex("^wrapper.cc.*undefined reference to `helped\\(float\\)'"));
  EXPECT_THAT(complaint(with({"gone.o"}), step(1)),
              ::testing::StartsWith("/usr/bin/ld: cannot find gone.o"));
}

TEST_F(BesideTheProblem, NothingIsWrittenThere) {
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      names.insert(file.path().filename().string());
    }
    return names;
  };
  built(with({"helper.cc"}), step(1));  // makes the test's own folders
  const auto problem = with({"helper.cc", "-save-temps", "-fstack-usage"});
  const auto before = files();
  built(problem, step(1));
  EXPECT_EQ(files(), before);
}

TEST_F(HostBuilderTest, OptionsThatKeepTheCompilerFromLinkingAreSaid) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  for (const char* option : {"-c", "-S", "-E", "--version"}) {
    host_of(problem).kernel.flags = {option};
    EXPECT_THAT(complaint(problem), HasSubstr("linked no shared object")) << option;
  }
  host_of(problem).kernel.flags = {"-o", "other.so"};
  built(problem);
}

TEST_F(HostBuilderTest, SameSourceElsewhereGivesTheSameArtifactEvenWithItsOwnName) {
  const std::string kernel = "const char* volatile place = __FILE__;\n" + doubling(kGoodLoop);
  const std::string here = built(doubling_problem(folder_, kernel)).hash;
  TemporaryFolder elsewhere;
  HostBuilder builder(setting_for(doubling_problem(elsewhere, kernel), elsewhere));
  const auto reply = builder.build({ipc::BuildTarget::kCandidate, {}}, progress_);
  EXPECT_EQ(std::get<ipc::Artifact>(reply.result).hash, here);
}

TEST_F(HostBuilderTest, TextWithQuotesAndBlanksReachesTheMacroAsItIs) {
  auto problem =
      doubling_problem(folder_, "static_assert(sizeof(LABEL) == 6, \"\");\n" + doubling(kGoodLoop));
  problem.parameters = {parameter("LABEL", {std::string("\"a b$c\"")})};
  built(problem);
}

TEST_F(HostBuilderTest, EmptyTextIsAnEmptyMacro) {
  auto problem = doubling_problem(folder_, "NOTHING " + doubling(kGoodLoop));
  problem.parameters = {parameter("NOTHING", {std::string()})};
  built(problem);
}

TEST_F(HostBuilderTest, MacrosMayHaveTheNamesThatTemplatesUse) {
  auto problem = doubling_problem(folder_, "#include <array>\n" + doubling(kGoodLoop));
  host_of(problem).cases.front() = {{"N", 10}, {"T", 1}, {"R", 2}, {"P", 3}, {"I", 4}};
  built(problem);
}

TEST_F(HostBuilderTest, FlagParametersAreOptionsAndNoMacros) {
  auto problem = doubling_problem(folder_,
                                  "#ifdef OPT\n#error OPT is a macro\n#endif\n"
                                  "static_assert(WIDE == 7 && __OPTIMIZE__, \"\");\n" +
                                      doubling(kGoodLoop));
  problem.parameters = {parameter("OPT", {std::string("-O3 -DWIDE=7")})};
  host_of(problem).flag_parameters = {{"OPT", "{}"}};
  built(problem);
}

// The source of a matrix product as it lies about: sizes and tiles are its own parameters.
constexpr const char* kTemplate =
    "namespace ns {\ntemplate <int STEP, class T>\n"
    "void doubled(const T* x, T* y, long N) {\n"
    "  for (long i = 0; i < N; ++i) y[i] = STEP * x[i];\n}\n}\n";

TEST_F(HostBuilderTest, TemplateArgumentsAreTheValuesOfNames) {
  auto problem = doubling_problem(folder_, kTemplate);
  host_of(problem).names = search::SourceNames::kNone;
  host_of(problem).kernel.function = "ns::doubled<STEP, float>";
  EXPECT_NE(built(problem, step(2)).hash, built(problem, step(4)).hash);
  EXPECT_EQ(built(problem, step(2)), built(problem, step(2)));
}

TEST_F(HostBuilderTest, AMacroThatBreaksADeclarationIsNamedAsTheCause) {
  auto problem = doubling_problem(folder_, kTemplate);
  host_of(problem).kernel.function = "ns::doubled<STEP, float>";
  EXPECT_THAT(complaint(problem, step(2)),
              ::testing::AllOf(::testing::StartsWith("error: STEP is a macro with the value '2'"),
                               HasSubstr("doubled.cc:2"), HasSubstr("error")));
}

TEST_F(HostBuilderTest, AMistakeOfTheSourceAloneHasNoSuchCause) {
  const auto problem = doubling_problem(folder_, doubling("nonsense;"));
  EXPECT_THAT(complaint(problem, step(2)), Not(HasSubstr("is a macro")));
}

TEST_F(HostBuilderTest, ConstantsAreShadowedByParametersAndSeenElsewhere) {
  auto problem =
      doubling_problem(folder_,
                       "#ifdef STEP\n#error a macro\n#endif\nstatic float kept[STEP];\n"
                       "void doubled(const float* x, float* y, long N) {\n"
                       "  for (long i = 0; i < N; ++i) y[i] = STEP * x[i] + kept[0];\n}\n");
  host_of(problem).names = search::SourceNames::kConstants;
  EXPECT_NE(built(problem, step(2)).hash, built(problem, step(4)).hash);
}

class OtherLanguages : public HostBuilderTest {
 protected:
  search::Problem with(const std::string& name, const std::string& source) {
    auto problem = doubling_problem(folder_, doubling(kGoodLoop));
    host_of(problem).kernel.file = folder_.write(name, source);
    return problem;
  }
};

// No C++: implicit conversion, a word of C++ as a name.
constexpr const char* kInC =
    "#include <stdlib.h>\nvoid doubled(const float* restrict x, float* y, long n) {\n"
    "  float* new = malloc(sizeof *new);\n  *new = STEP;\n"
    "  for (long i = 0; i < n; ++i) y[i] = *new * x[i];\n  free(new);\n}\n";

TEST_F(OtherLanguages, CIsBuiltAsC) {
  auto problem = with("doubled.c", kInC);
  EXPECT_NE(built(problem, step(2)).hash, built(problem, step(4)).hash);
  host_of(problem).names = search::SourceNames::kConstants;
  built(problem, step(2));
  host_of(problem).compiler = "clang++";
  built(problem, step(2));
}

TEST_F(OtherLanguages, ACallThatDoesNotFitIsAMistakeInCAsWell) {
  EXPECT_THAT(
      complaint(with("doubled.c", "void doubled(const double* x, float* y, long n) {}"), step(1)),
      HasSubstr("argument 1 'x' is a vector of float32 in the problem file, but doubled takes "
                "const double * there"));
  EXPECT_THAT(
      complaint(with("doubled.c", "void doubled(const __typeof__(1.0)* x, float* y, long n) {}"),
                step(1)),
      HasSubstr("incompatible"));
  EXPECT_THAT(complaint(with("doubled.c", "void doubled(const float* x) {}"), step(1)),
              HasSubstr("too many arguments"));
}

// As textbooks and PolyBench have them: the memory is that of a vector.
TEST_F(OtherLanguages, ArraysOfArraysAreTakenAsTheirElements) {
  const std::string body = " { y[0][1] = STEP * x[1][0]; (void)n; }\n";
  const auto told = [&](const std::string& file, const std::string& x, const std::string& y) {
    return complaint(with(file, "void doubled(" + x + ", " + y + ", long n)" + body), step(1));
  };
  for (const char* file : {"doubled.c", "doubled.cc"}) {
    EXPECT_EQ(told(file, "const float x[20][50]", "float y[20][50]"), "it was built") << file;
    EXPECT_EQ(told(file, "const float (*x)[50]", "float (*y)[50]"), "it was built") << file;
    EXPECT_THAT(told(file, "const double x[20][50]", "float y[20][50]"),
                HasSubstr("argument 1 'x' is a vector of float32 in the problem file, but doubled "
                          "takes "))
        << file;
  }
  EXPECT_EQ(complaint(with("doubled.c",
                           "void doubled(const float x[4][5][50], float (*y)[5][50], "
                           "long n) { y[0][0][0] = STEP * x[0][0][0]; (void)n; }\n"),
                      step(1)),
            "it was built");
  EXPECT_THAT(complaint(with("doubled.c",
                             "typedef float rows[20][50];\n"
                             "void doubled(const float* x, rows y, long n)"
                             " { y[0][1] = STEP * x[1]; (void)n; }\n"),
                        step(1)),
              HasSubstr("Let a function of that form call doubled"));
}

TEST_F(OtherLanguages, ArraysWhoseExtentsAreArgumentsAreTakenInC) {
  auto problem = with("doubled.c",
                      "void doubled(long n, const float x[n][n], float y[n][n]) "
                      "{ y[0][1] = STEP * x[1][0]; }\n");
  auto& arguments = host_of(problem).arguments;
  std::rotate(arguments.begin(), arguments.begin() + 2, arguments.end());
  EXPECT_EQ(complaint(problem, step(1)), "it was built");
}

// Of integers as of floats. Of some types C has several names.
TEST_F(OtherLanguages, VectorsOfIntegersAreCheckedInCAsWell) {
  const auto told = [&](const std::string& taken, search::ElementType type) {
    auto problem =
        with("doubled.c", "#include <stdbool.h>\n#include <stdint.h>\nvoid doubled(" + taken +
                              " x, float* y, long n) { (void)x; (void)y; (void)n; }\n");
    host_of(problem).arguments[0].type = type;
    return complaint(problem, step(1));
  };
  using search::ElementType;
  for (const char* taken : {"char*", "const signed char*", "const int8_t* restrict"}) {
    EXPECT_EQ(told(taken, ElementType::kInt8), "it was built") << taken;
  }
  for (const char* taken : {"bool*", "const _Bool*", "const unsigned char*", "uint8_t*"}) {
    EXPECT_EQ(told(taken, ElementType::kUint8), "it was built") << taken;
  }
  for (const char* taken : {"long*", "const long long*", "volatile int64_t*"}) {
    EXPECT_EQ(told(taken, ElementType::kInt64), "it was built") << taken;
  }
  EXPECT_THAT(told("const int*", ElementType::kInt8),
              HasSubstr("argument 1 'x' is a vector of int8 in the problem file, but doubled takes "
                        "const int * there"));
  EXPECT_THAT(told("bool*", ElementType::kInt32), HasSubstr("but doubled takes bool * there"));
  EXPECT_THAT(told("unsigned*", ElementType::kInt32),
              HasSubstr("but doubled takes unsigned * there"));
  EXPECT_THAT(told("__typeof__(1)*", ElementType::kInt16), HasSubstr("incompatible"));
  EXPECT_THAT(told("__typeof__(1u)*", ElementType::kInt32), HasSubstr("signedness"));
}

TEST_F(OtherLanguages, AValueThatTheFunctionsTypeDoesNotHoldIsNamedInCAsWell) {
  for (const char* compiler : {"c++", "clang++"}) {
    const auto told = [&](const std::string& taken, const std::string& value) {
      auto problem =
          with("doubled.c", "void doubled(const float* x, float* y, " + taken + " n) {}\n");
      host_of(problem).compiler = compiler;
      host_of(problem).arguments[2].value = search::Expression::parse(value);
      return complaint(problem, step(1));
    };
    EXPECT_THAT(told("unsigned char", "N"),
                HasSubstr("of the values n = 1000 (int64) one does not"));
    EXPECT_THAT(told("int", "5000000000"), HasSubstr("n = 5000000000 (int64)"));
    EXPECT_THAT(told("unsigned", "-1"), HasSubstr("n = -1 (int64)"));
    EXPECT_EQ(told("unsigned", "4294967295"), "it was built");
    EXPECT_EQ(told("short", "N"), "it was built");
    EXPECT_EQ(told("double", "-N"), "it was built");
  }
}

TEST_F(OtherLanguages, AFileOfCThatIsInFactCppStaysSo) {
  built(with("doubled.c", "#include <vector>\nextern \"C\" " + doubling(kGoodLoop)), step(1));
}

TEST_F(OtherLanguages, FortranIsBuiltByItsCompiler) {
  const std::string body =
      "  use iso_c_binding\n  integer(c_long), value :: n\n  real(c_float) :: x(n), y(n)\n"
      "  y = STEP * x\nend subroutine\n";
  if (find_program("gfortran")) {
    const auto problem =
        with("doubled.f90", "subroutine doubled(x, y, n) bind(C, name=\"doubled\")\n" + body);
    EXPECT_NE(built(problem, step(2)).hash, built(problem, step(4)).hash);
    EXPECT_THAT(complaint(with("doubled.f90", "subroutine doubled(x, y, n)\n" + body), step(1)),
                HasSubstr("bind(C, name=\"doubled\")"));
  }
  auto elsewhere = with("doubled.f90", "subroutine doubled(x, y, n) bind(c)\n" + body);
  host_of(elsewhere).compiler = "nofort";
  EXPECT_THAT(complaint(elsewhere, step(1)), HasSubstr("is Fortran, and there is no nofort"));
}

// As of `judge` and `serve`: the text that is looked at is the candidate's.
class SourcesOfCandidates : public HostBuilderTest {
 protected:
  std::string told(const std::string& ending, const std::string& candidate) {
    const std::string own = folder_.write("own" + ending, "not this one\n");
    const std::string its = folder_.write("its" + ending, candidate);
    auto problem = doubling_problem(folder_, "");
    host_of(problem).kernel.file =
        folder_.write("judged" + ending, "#if NIGHTSHIFT_CANDIDATE == 1\n#include \"" + its +
                                             "\"\n#else\n#include \"" + own + "\"\n#endif\n");
    host_of(problem).flag_parameters = {{"NIGHTSHIFT_CANDIDATE", "-DNIGHTSHIFT_CANDIDATE={}"}};
    problem.parameters.push_back(parameter("NIGHTSHIFT_CANDIDATE", {std::int64_t{1}}));
    return complaint(problem, configuration({{"STEP", std::int64_t{1}},
                                             {"NIGHTSHIFT_CANDIDATE", std::int64_t{1}}}));
  }
};

TEST_F(SourcesOfCandidates, InCTakeArraysOfArraysAndAreChecked) {
  EXPECT_EQ(told(".c", kInC), "it was built");
  const std::string body = " { y[0][1] = STEP * x[1][0]; (void)n; }\n";
  EXPECT_EQ(told(".c", "void doubled(const float x[20][50], float (*y)[50], long n)" + body),
            "it was built");
  EXPECT_THAT(told(".c", "void doubled(const double x[20][50], float y[20][50], long n)" + body),
              HasSubstr("argument 1 'x' is a vector of float32 in the problem file, but doubled "
                        "takes "));
  EXPECT_THAT(told(".c", "int x"), Not(AnyOf(HasSubstr("of the values"), HasSubstr("a vector"))));
}

TEST_F(SourcesOfCandidates, InCppThatAreTemplatesAreToldToNameTheirArguments) {
  EXPECT_THAT(told(".cc", "template <class T, int Q> void doubled(const T*, T*, long) {}\n"),
              HasSubstr("in its.cc:1 is a template: write its arguments"));
}

TEST_F(SourcesOfCandidates, InFortranAreAskedForTheirOwnBinding) {
  if (!find_program("gfortran")) GTEST_SKIP() << "there is no gfortran";
  const std::string columns(6, ' ');
  const auto source = [&](const std::string& binding) {
    return columns + "subroutine doubled(x, y, n)" + binding + "\n" + columns +
           "use iso_c_binding\n" + columns + "integer(c_long), value :: n\n" + columns +
           "real(c_float) :: x(n), y(n)\n" + columns + "y = STEP * x\n" + columns +
           "end subroutine\n";
  };
  for (const char* ending : {".f90", ".f"}) {
    EXPECT_EQ(told(ending, source(" bind(C, name=\"doubled\")")), "it was built") << ending;
    EXPECT_THAT(told(ending, source("")),
                ::testing::StartsWith("its" + std::string(ending) + ": write bind(C"));
  }
}

TEST(CompilerArguments, FlagsOfTheSourceComeBeforeFlagParametersAndAnEmptyOneIsLeftOut) {
  search::HostBackend host;
  host.kernel = {"/k/kernel.cc", "f", {"-O1"}};
  host.flag_parameters = {{"OPT", "-O{} -DLEVEL={}"}, {"NONE", "-m{}"}};
  const auto arguments = compiler_arguments(
      host, host.kernel, configuration({{"OPT", std::string("3")}, {"NONE", std::string()}}), "/s");
  const auto at = [&](const char* word) {
    return std::find(arguments.begin(), arguments.end(), word) - arguments.begin();
  };
  EXPECT_LT(at("-O2"), at("-O1"));
  EXPECT_LT(at("-O1"), at("-O3"));
  EXPECT_THAT(arguments, Contains("-DLEVEL=3"));
  EXPECT_THAT(arguments, Not(Contains("-m")));
}

TEST(CompilerArguments, FlagParametersDoNotConcernTheReference) {
  search::HostBackend host;
  host.kernel = {"/k/kernel.cc", "f", {}};
  host.reference = {"/k/reference.cc", "g", {}};
  host.flag_parameters = {{"OPT", "{}"}};
  const auto arguments = compiler_arguments(host, host.reference,
                                            configuration({{"OPT", std::string("-Ofast")}}), "/s");
  EXPECT_THAT(arguments, Not(Contains("-Ofast")));
}

TEST_F(HostBuilderTest, EmptyConfigurationBuildsTheBaselineSourceWhereThereIsOne) {
  auto problem = doubling_problem(folder_, "#error not this one\n");
  host_of(problem).baseline = {
      folder_.write("plain.cc",
                    "void plain(const float* x, float* y, long n) { y[0] = x[n - 1]; }"),
      "plain",
      {}};
  built(problem);
  EXPECT_THAT(complaint(problem, step(1)), HasSubstr("not this one"));
}

TEST_F(HostBuilderTest, EmptyConfigurationWithoutBaselineSourceBuildsTheResolvedKernel) {
  auto problem =
      doubling_problem(folder_, "static_assert(STEP == 4, \"\");\n" + doubling(kGoodLoop));
  problem.baseline = step(4);
  built(problem);
}

TEST_F(HostBuilderTest, CompileErrorComesBackFromTheFirstErrorOn) {
  const std::string words = complaint(
      doubling_problem(folder_, "#warning something else\n" + doubling("y[0] = no_such_name;")));
  EXPECT_THAT(words, HasSubstr("no_such_name"));
  EXPECT_THAT(words, Not(HasSubstr("something else")));
}

TEST_F(HostBuilderTest, OtherNumberOfArgumentsIsSaidReadably) {
  EXPECT_THAT(complaint(doubling_problem(folder_, "void doubled(const float*, float*) {}")),
              HasSubstr("the problem file lists 3 arguments, but doubled takes another number"));
}

TEST_F(HostBuilderTest, OtherElementTypeIsSaidWithTheArgumentsName) {
  EXPECT_THAT(
      complaint(doubling_problem(folder_, "void doubled(const double*, float*, long) {}")),
      HasSubstr("argument 1 'x' is a vector of float32 in the problem file, but doubled takes"));
}

TEST_F(HostBuilderTest, OfOverloadsTheOneIsCalledThatTakesTheListedTypes) {
  const std::string others =
      "void doubled(const double* x, double* y, long n);\nvoid doubled(float);\n"
      "template <class T> void doubled(const T* x, T* y, int n);\n";
  built(doubling_problem(folder_, others + doubling(kGoodLoop)));
}

TEST_F(HostBuilderTest, OfOverloadsTheOneIsCalledThatAloneHasAsManyPointers) {
  built(
      doubling_problem(folder_,
                       "void doubled(float);\nvoid doubled(float, float*, long);\n"
                       "int doubled(const float* x, float* y, unsigned short n) { return 0; }\n"));
}

TEST_F(HostBuilderTest, ATemplateIsCalledWithTheListedTypes) {
  built(doubling_problem(folder_, "template <class T> void doubled(const T* x, T* y, long n) {}"));
  built(doubling_problem(folder_, "template <class T> void doubled(T* x, T* y, long n) {}"));
}

TEST_F(HostBuilderTest, OverloadsThatAreNotToBeToldApartAreNamedWithTheListedTypes) {
  const std::string two =
      "int doubled(const float* x, float* y, short n) { return 0; }\n"
      "int doubled(const float* x, float* y, int n) { return 0; }\n";
  EXPECT_THAT(complaint(doubling_problem(folder_, two)),
              HasSubstr("doubled is overloaded or a template, and not one of it alone takes "
                        "(const float*, float*, long)"));
}

TEST_F(HostBuilderTest, ScalarsAreConvertedToWhatTheFunctionTakes) {
  built(doubling_problem(folder_, "void doubled(const float*, float*, const unsigned short&) {}"));
  built(doubling_problem(folder_, "void doubled(const float*, float*, float) {}"));
}

// 1000 is no unsigned char: it would be 232.
TEST_F(HostBuilderTest, AValueThatTheFunctionsTypeDoesNotHoldIsNamed) {
  const auto told = [&](const std::string& type, const std::string& value) {
    auto problem = doubling_problem(folder_, "void doubled(const float*, float*, " + type + ") {}");
    host_of(problem).arguments[2].value = search::Expression::parse(value);
    return complaint(problem);
  };
  EXPECT_THAT(
      told("unsigned char", "N"),
      AllOf(HasSubstr("of the values n = 1000 (int64) one does not fit into the type in which "
                      "doubled takes it"),
            HasSubstr("doubled takes 'n' in a type that does not hold its value")));
  EXPECT_THAT(told("int", "5000000000"), HasSubstr("n = 5000000000 (int64)"));
  EXPECT_THAT(told("unsigned", "-1"), HasSubstr("n = -1 (int64)"));
  EXPECT_EQ(told("unsigned", "4294967295"), "it was built");
  EXPECT_EQ(told("int", "-2147483648"), "it was built");
  EXPECT_EQ(told("float", "5000000000"), "it was built");
  EXPECT_EQ(told("signed char", "-N // 8"), "it was built");
}

TEST_F(HostBuilderTest, AFloatThatTheFunctionsTypeDoesNotHoldIsNamed) {
  const auto told = [&](const std::string& type, const std::string& value) {
    auto problem = doubling_problem(folder_, "void doubled(const float*, float*, " + type + ") {}");
    host_of(problem).arguments[2].type = search::ElementType::kFloat64;
    host_of(problem).arguments[2].value = search::Expression::parse(value);
    return complaint(problem);
  };
  EXPECT_THAT(told("int", "0.5"), HasSubstr("n = 0.5 (float64)"));
  EXPECT_THAT(told("float", "1e40"), HasSubstr("n = 1e+40 (float64)"));
  EXPECT_EQ(told("float", "0.1"), "it was built");
  EXPECT_EQ(told("int", "3.0"), "it was built");
}

TEST_F(HostBuilderTest, NoexceptFunctionsInNamespacesAreCalled) {
  auto problem = doubling_problem(
      folder_, "namespace k { int doubled(const float*, float*, long) noexcept { return 1; } }");
  host_of(problem).kernel.function = "k::doubled";
  built(problem);
}

TEST_F(HostBuilderTest, UnknownFunctionIsNamed) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).kernel.function = "trebled";
  EXPECT_THAT(complaint(problem), ::testing::StartsWith("error: doubled.cc has no function "
                                                        "'trebled'; it has doubled\n"));
}

TEST_F(HostBuilderTest, AFunctionOfAnotherNamespaceIsNamedWithTheOneThatIsThere) {
  auto problem = doubling_problem(folder_, "namespace k {\n" + doubling(kGoodLoop) + "}\n");
  for (const char* name : {"doubled", "k::trebled", "j::doubled"}) {
    host_of(problem).kernel.function = name;
    EXPECT_THAT(complaint(problem), HasSubstr("it has k::doubled\n")) << name;
  }
}

TEST_F(HostBuilderTest, AMistakeInTheFunctionIsNoMissingFunction) {
  for (const char* mistake : {"y[0] = trebled(x[0]);", "y[0] = ;"}) {
    const auto problem = doubling_problem(folder_, doubling(mistake));
    EXPECT_THAT(complaint(problem), Not(HasSubstr("has no function"))) << mistake;
  }
  EXPECT_THAT(complaint(doubling_problem(folder_, "no kernel\n")),
              Not(HasSubstr("has no function")));
}

TEST_F(HostBuilderTest, MissingSourceFileIsNamed) {
  auto problem = doubling_problem(folder_, "");
  host_of(problem).kernel.file = folder_.path() + "/gone.cc";
  EXPECT_THAT(complaint(problem), HasSubstr("gone.cc"));
}

TEST_F(HostBuilderTest, MissingCompilerIsNamed) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).compiler = "no-such-compiler";
  EXPECT_THAT(complaint(problem), HasSubstr("cannot start 'no-such-compiler'"));
}

TEST_F(HostBuilderTest, CompilerThatHangsIsStoppedWithEverythingItStarted) {
  ipc::become_subreaper();
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).compiler =
      folder_.write("slow-compiler", "#!/bin/sh\nsetsid sleep 1000 &\nexec sleep 1000\n");
  std::filesystem::permissions(host_of(problem).compiler, std::filesystem::perms::owner_all);
  problem.limits.build = 0.3;
  EXPECT_THAT(complaint(problem), HasSubstr("longer than limits.build, 0.3 s"));
  EXPECT_EQ(progress_.beats, 0u) << "it only slept";
  EXPECT_EQ(ipc::sweep_orphans({}), 0u);
}

TEST_F(HostBuilderTest, ACompilerThatWorksForTooLongShowsThatItWorked) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  host_of(problem).compiler = folder_.write("busy-compiler", "#!/bin/sh\nwhile :; do :; done\n");
  std::filesystem::permissions(host_of(problem).compiler, std::filesystem::perms::owner_all);
  problem.limits.build = 2;
  EXPECT_THAT(complaint(problem), HasSubstr("longer than limits.build, 2.0 s"));
  EXPECT_GT(progress_.beats, 0u);
}

TEST_F(HostBuilderTest, CompilerShortOfMemoryIsABuildFailure) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  problem.limits.memory_bytes = 30 << 20;
  EXPECT_THAT(complaint(problem), Not(HasSubstr("it was built")));
}

TEST_F(HostBuilderTest, NothingIsLeftInTheArtifactFolderAfterAFailure) {
  complaint(doubling_problem(folder_, "#error no"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() + "/artifacts"));
}

TEST_F(HostBuilderTest, ReferenceTakesFloatingVectorsAsDouble) {
  auto problem = doubling_problem(folder_, doubling(kGoodLoop));
  built(problem, {}, ipc::BuildTarget::kReference);
  host_of(problem).reference = host_of(problem).kernel;
  HostBuilder builder(setting_for(problem, folder_));
  const auto reply = builder.build({ipc::BuildTarget::kReference, {}}, progress_);
  EXPECT_THAT(std::get<search::BuildFailed>(reply.result).message,
              HasSubstr("which the reference takes as double"));
}

TEST(FirstErrors, KeepWhatFollowsTheFirstErrorUpToFourKilobytes) {
  const std::string head = "In file included from wrapper.cc:\nkernel.cc:3: warning: hm\n";
  const std::string error = "kernel.cc:4:1: error: 'x' was not declared\n    4 | x\n";
  EXPECT_EQ(first_errors(head + error), "kernel.cc:4:1: error: 'x' was not declared\n    4 | x");
  EXPECT_EQ(first_errors("no sign of trouble"), "no sign of trouble");
  EXPECT_LE(first_errors(head + error + std::string(10000, 'y')).size(), kLastWordsBytes);
  EXPECT_THAT(first_errors(""), IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
