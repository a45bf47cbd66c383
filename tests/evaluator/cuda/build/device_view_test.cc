#include "evaluator/cuda/build/device_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluator/cuda/build/stub_headers.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DeviceViews : public ::testing::Test {
 protected:
  DeviceView view(const std::string& text) const {
    return device_view(text, folder_.path() + "/k.cu", {"-I" + folder_.path() + "/include"},
                       {folder_.path() + "/toolkit"});
  }
  static std::string header(const DeviceView& view, const std::string& name) {
    for (const auto& [known, text] : view.headers) {
      if (known == name) return text;
    }
    return "no header";
  }
  const TemporaryFolder folder_;
};

TEST_F(DeviceViews, LinesStayWhereTheyAre) {
  const DeviceView seen = view("int main() {\n  return 0;\n}\n__global__ void k() {}\n");
  EXPECT_THAT(seen.text, HasSubstr("#line 1\n"));
  const std::string text = seen.text.substr(seen.text.find("#line 1\n") + 8);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, Not(HasSubstr("main")));
  EXPECT_THAT(text, HasSubstr("__global__ void k() {}"));
}

TEST_F(DeviceViews, HeadersOfTheUserAreReadAsWellWhereverTheyLie) {
  folder_.make_folder("include");
  folder_.write("a.h", "#include <b.h>\nvoid host();\n__device__ int f();\n");
  folder_.write("include/b.h", "std::string name;\nconst int N = 4;\n");
  const DeviceView seen = view("#include \"a.h\"\n");
  EXPECT_THAT(header(seen, "a.h"), HasSubstr("__device__ int f();"));
  EXPECT_THAT(header(seen, "a.h"), Not(HasSubstr("host")));
  EXPECT_THAT(header(seen, "b.h"), HasSubstr("const int N = 4;"));
  EXPECT_THAT(header(seen, "b.h"), Not(HasSubstr("name")));
}

TEST_F(DeviceViews, MarksOfOneFileCountInOthers) {
  folder_.write("marks.h", "#define GPU static __device__\n");
  const DeviceView seen = view("#include \"marks.h\"\nGPU int f() { return 1; }\nint g() {}\n");
  EXPECT_THAT(seen.text, HasSubstr("GPU int f() { return 1; }"));
  EXPECT_THAT(seen.text, Not(HasSubstr("g()")));
}

TEST_F(DeviceViews, WhatIsNowhereIsAStubAndWhatTheToolkitHasIsNot) {
  folder_.make_folder("toolkit");
  folder_.write("toolkit/mma.h", "");
  const DeviceView seen =
      view("#include <mma.h>\n#include <sys/time.h>\n#include <torch/extension.h>\n");
  EXPECT_EQ(header(seen, "mma.h"), "no header");
  EXPECT_EQ(header(seen, "sys/time.h"), "");
  EXPECT_THAT(header(seen, "torch/extension.h"), HasSubstr("using Half = __half;"));
  EXPECT_THAT(header(seen, kStubPrelude), HasSubstr("typedef unsigned int uint;"));
}

TEST_F(DeviceViews, AFileThatCannotBeReadStaysAsItIsAndIsNamed) {
  folder_.write("odd.h", "void f() {\n#ifdef A\n{\n#else\n{\n#endif\n}\n}\n");
  const DeviceView seen = view("#include \"odd.h\"\nint main() {}\n");
  EXPECT_THAT(header(seen, "odd.h"), HasSubstr("void f() {"));
  EXPECT_THAT(seen.unread, HasSubstr("odd.h: line "));
  EXPECT_THAT(seen.text, Not(HasSubstr("main")));
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
