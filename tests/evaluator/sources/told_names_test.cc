#include "evaluator/sources/told_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const search::ToldNames kTold = {{"M", std::int64_t{1024}}, {"BM", std::int64_t{64}}};

std::string declared(std::string_view source) {
  std::string text;
  for (const Declaration& one : declarations_of(kTold, source)) {
    text += std::to_string(one.line) + " " + one.words + ";";
  }
  return text;
}

TEST(DeclarationsOf, FindsParametersOfFunctionsAndTemplates) {
  EXPECT_EQ(declared("\nvoid gemm(int M, int n) {}"), "2 int M;");
  EXPECT_EQ(declared("template <const uint BM>\nvoid f(unsigned m,\n size_t M) {}"),
            "1 uint BM;3 size_t M;");
  EXPECT_EQ(declared("void f(const float* M, double& BM) {}"), "1 float* M;1 double& BM;");
  EXPECT_EQ(declared("template <int BM = 8> struct s;"), "1 int BM;");
}

TEST(DeclarationsOf, FindsVariablesFunctionsAndTypes) {
  EXPECT_EQ(declared("const uint BM = 128;"), "1 uint BM;");
  EXPECT_EQ(declared("static int M(int x) { return x; }"), "1 int M;");
  EXPECT_EQ(declared("namespace M { }"), "1 namespace M;");
  EXPECT_EQ(declared("float M[4];"), "1 float M;");
}

TEST(DeclarationsOf, LeavesUsesAlone) {
  for (const char* use :
       {"int x = M;", "for (int i = 0; i < M; ++i) {}", "return M;", "float s[BM][M];",
        "f(a * M, b & BM);", "if (i == M) {}", "x = a ? M : BM;", "sizeof M;", "g<M>(BM);",
        "// int M;\n", "/* int M, \n int BM; */", "\"int M;\"", "#define T int M;\n",
        "#if M > 2 && \\\n int M;\n"}) {
    EXPECT_EQ(declared(use), "") << use;
  }
}

TEST(DeclarationsOf, KeepsItsLinesBehindWhatItSkips) {
  EXPECT_EQ(declared("/* a\n b */ // c\n#define X \\\n 1\n\"t\\\"\"\nint M;"), "6 int M;");
  EXPECT_EQ(declared(""), "");
  EXPECT_EQ(declared("int M"), "");
  EXPECT_EQ(declared("/* never closed int M;"), "");
  EXPECT_EQ(declared("'"), "");
}

TEST(MacroClash, NamesTheMacroItsValueThePlaceAndTheWayOut) {
  const TemporaryFolder folder;
  folder.write("shape.h", "#pragma once\nvoid tile(int BM);\n");
  const std::string file = folder.write("gemm.cc", "#include \"shape.h\"\nint n = M;\n");
  EXPECT_THAT(macro_clash(kTold, file, {}, "", "host"),
              AllOf(StartsWith("error: BM is a macro with the value '64'"), HasSubstr("shape.h:2"),
                    HasSubstr("'int BM'"), HasSubstr("names = \"constants\" into [host]")));
}

TEST(MacroClash, SaysNothingOfASourceThatDeclaresNoneOrIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THAT(macro_clash(kTold, folder.write("a.cc", "int n = M;"), {}, "", "host"), IsEmpty());
  EXPECT_THAT(macro_clash(kTold, "/nowhere/a.cc", {}, "", "host"), IsEmpty());
}

TEST(MacroClash, OfAHeaderOfTheSystemTheCompilersWordsTell) {
  TemporaryFolder folder;
  const std::string file = folder.write("a.cc", "#include <execution>\nint n = M;");
  const auto told = [&](std::string_view complaint) {
    return macro_clash(kTold, file, {}, "", "host", complaint);
  };
  const std::string gcc = "<command-line>: error: expected '>' before numeric constant\n";
  EXPECT_THAT(told(gcc), HasSubstr("a name in a header that the source includes"));
  EXPECT_THAT(told(gcc), HasSubstr(kTold.front().first));
  EXPECT_THAT(told(gcc + "a.cc:2:9: note: in expansion of macro 'M'"), IsEmpty());
  const std::string clang =
      "header.h:153:46: error: expected ',' or '>'\n"
      "<command line>:1:11: note: expanded from here\n#define M 4096\n";
  EXPECT_THAT(told("/usr/include/" + clang), StartsWith("error: M is a macro"));
  EXPECT_THAT(told("a.cc:2:9: error: no\n" + clang), IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
