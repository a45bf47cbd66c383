#include "evaluator/sources/told_names.h"

#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

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

TEST(FortranDeclarationsOf, FindsWhatStandsBehindTheColons) {
  const auto declared_in = [](std::string_view source) {
    std::string text;
    for (const Declaration& one : fortran_declarations_of(kTold, source)) {
      text += std::to_string(one.line) + " " + one.words + ";";
    }
    return text;
  };
  EXPECT_EQ(declared_in("subroutine f(x)\n integer :: j, M\n"), "2 integer :: M;");
  EXPECT_EQ(declared_in("real(c_float), intent(in) :: x(M), BM"), "1 real :: BM;");
  EXPECT_EQ(declared_in("integer, parameter :: k = M, BM = 2"), "1 integer :: BM;");
  for (const char* use : {"real :: x(M)", "integer :: a = M", "! integer :: M", "x = 'a :: M'",
                          "do i = 1, M", "real, dimension(M) :: x", ""}) {
    EXPECT_EQ(declared_in(use), "") << use;
  }
}

}  // namespace
}  // namespace nightshift::evaluator
