#include "problems/readers/problem/argument_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kHead = "name = \"scale\"\n";

// A kernel that takes a vector and a number, and the file that names their types.
class ArgumentTypes : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  static std::string file(const std::string& vector, const std::string& number,
                          const std::string& more = "") {
    return std::string(kHead) + "[cuda]\nsource = \"k.cu\"\nsizes = { N = 64 }\n" + more +
           "argument = [{ name = \"x\", size = \"N\", type = \"" + vector +
           "\" }, { name = \"a\", value = 2, type = \"" + number +
           "\" }, { name = \"y\", size = \"N\", type = \"float32\", access = \"out\" }]\n"
           "[[cuda.launch]]\nkernel = \"f\"\ngrid = 1\nblock = 64\narguments = [\"x\", \"a\", "
           "\"y\"]\n[parameters]\nUNROLL = [1, 2]\n";
  }
  // The mistakes where the source takes them as it says.
  Lines mistakes(const std::string& vector, const std::string& number, const std::string& source,
                 const std::string& before = "", const std::string& more = "") const {
    folder_.write("k.cu", before + "extern \"C\" __global__ void f(" + source + ", float* y) {}\n");
    return folder_.diagnostics(file(vector, number, more));
  }
  bool is_mistake(const std::string& vector, const std::string& source) const {
    return !mistakes(vector, "float32", source + "* x, float a").empty();
  }
  const ProblemFolder folder_;
};

TEST_F(ArgumentTypes, ThatTheKernelTakesAreNone) {
  EXPECT_THAT(mistakes("float32", "int32", "const float* x, int a"), IsEmpty());
}

TEST_F(ArgumentTypes, OfOtherNumbersAreTold) {
  EXPECT_THAT(
      mistakes("float32", "int32", "const float* x, float a"),
      ElementsAre(AllOf(HasSubstr("argument 'a' is a scalar of type int32 in the problem file, but "
                                  "f takes 'float a' (k.cu:1), which is a scalar of type float32"),
                        HasSubstr("the order of the launch's arguments"))));
  EXPECT_THAT(
      mistakes("float16", "float32", "const __nv_bfloat16* x, float a"),
      ElementsAre(HasSubstr("argument 'x' is a vector of float16 in the problem file, but f "
                            "takes 'const __nv_bfloat16 * x'")));
  for (const auto& [number, source] : {std::pair("float32", "int a"), {"int32", "double a"}}) {
    EXPECT_THAT(mistakes("float32", number, std::string("float* x, ") + source),
                ElementsAre(HasSubstr("argument 'a'")));
  }
}

TEST_F(ArgumentTypes, InAnotherOrderAreTold) {
  EXPECT_THAT(mistakes("float32", "float32", "float a, const float* x"),
              ElementsAre(HasSubstr("argument 'x' is a vector of float32"),
                          HasSubstr("argument 'a' is a scalar of type float32")));
}

TEST_F(ArgumentTypes, MayBeNamesForBits) {
  for (const auto& [type, source] : {std::pair("float8_e4m3", "unsigned char"),
                                     {"float8_e5m2", "uint8_t"},
                                     {"float16", "unsigned short"},
                                     {"bfloat16", "short"},
                                     {"float16", "__half"},
                                     {"float16", "half"},
                                     {"bfloat16", "nv_bfloat16"},
                                     {"int8", "int"},
                                     {"float16", "unsigned"},
                                     {"float32", "unsigned long long"},
                                     {"int32", "unsigned"},
                                     {"float32", "char"}}) {
    EXPECT_FALSE(is_mistake(type, source)) << type << ", " << source;
  }
  for (const auto& [type, source] : {std::pair("int32", "float"),
                                     {"float32", "double"},
                                     {"float32", "int"},
                                     {"int64", "int"},
                                     {"int32", "long long"},
                                     {"uint16", "half"},
                                     {"float16", "float"}}) {
    EXPECT_TRUE(is_mistake(type, source)) << type << ", " << source;
  }
}

TEST_F(ArgumentTypes, ThatNobodyCanReadAreNotJudged) {
  for (const char* source : {"const float4* x, float a", "const real* x, float a",
                             "const void* x, float a", "const T* RESTRICT x, float a"}) {
    EXPECT_THAT(mistakes("int32", "float32", source), IsEmpty()) << source;
  }
  const std::string either = "#ifdef WIDE\ntypedef double T;\n#else\ntypedef float T;\n#endif\n";
  EXPECT_THAT(mistakes("int32", "float32", "const T* x, float a", either), IsEmpty());
}

TEST_F(ArgumentTypes, OfANameGoByTheSource) {
  EXPECT_THAT(mistakes("int32", "float32", "const T* x, float a", "using T = float;\n"),
              ElementsAre(HasSubstr("argument 'x' is a vector of int32")));
}

TEST_F(ArgumentTypes, OfANameThatIsToldFromOutsideAreNotJudged) {
  const std::string real = "#ifndef REAL\n#define REAL float\n#endif\n";
  EXPECT_THAT(mistakes("float64", "float32", "const REAL* x, float a", real,
                       "flags = [\"-DREAL=double\"]\n"),
              IsEmpty());
  EXPECT_THAT(mistakes("float64", "float32", "const REAL* x, float a", real),
              ElementsAre(HasSubstr("vector of float64")));
}

TEST_F(ArgumentTypes, OfTheReferenceAreTold) {
  folder_.write("r.cu", "extern \"C\" __global__ void r(const float* x, float* y) {}\n");
  const std::string reference =
      "[cuda.reference]\nsource = \"r.cu\"\n[[cuda.reference.launch]]\nkernel = \"r\"\ngrid = 1\n"
      "block = 64\narguments = [\"x\", \"y\"]\n";
  folder_.write("k.cu", "extern \"C\" __global__ void f(const float* x, float a, float* y) {}\n");
  EXPECT_THAT(
      folder_.diagnostics(file("float32", "float32") + reference),
      ElementsAre(AllOf(HasSubstr("argument 'y' is a vector of float64 for [cuda.reference], which "
                                  "writes doubles where the kernel writes floats, but r takes "
                                  "'float * y' (r.cu:1)"),
                        HasSubstr("write 'double' in the reference"))));
}

TEST_F(ArgumentTypes, OfALaunchThatNeverIsAreNotJudged) {
  folder_.write("k.cu", "extern \"C\" __global__ void f(const half* x, float a, float* y) {}\n");
  std::string text = file("float32", "float32");
  EXPECT_THAT(folder_.diagnostics(text), ::testing::SizeIs(1));
  text.replace(text.find("grid = 1"), 8, "grid = 1\nwhen = \"N > 64\"");
  EXPECT_THAT(folder_.diagnostics(text), IsEmpty());
}

}  // namespace
}  // namespace nightshift::problems
