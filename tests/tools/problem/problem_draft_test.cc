#include "tools/problem/problem_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/problems/problem_text.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr const char* kCuda = R"cuda(
#define TILE 16
__global__ void first(float* x) {}
template <typename T, int BM>
__global__ void scale(const T* x, T* y, void* scratch, float factor, int n) {}
int main() {}
)cuda";
constexpr const char* kHost = R"(
#include <cmath>
void scale(const float* x, double* y, long n) {}
int main() { return 0; }
)";

class ProblemDrafts : public ::testing::Test {
 protected:
  std::string draft(const std::string& file, const std::string& text,
                    const std::string& function = "") const {
    folder_.write(file, text);
    return problem_draft(read_draft_source(folder_.path(file), *draft_kind(file)), function);
  }
  // With texts put in place of others, the first of each.
  static std::string filled(std::string text,
                            const std::vector<std::pair<std::string, std::string>>& changes) {
    for (const auto& [from, to] : changes) {
      const std::size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
      if (at != std::string::npos) text.replace(at, from.size(), to);
    }
    return text;
  }
  const problems::ProblemFolder folder_;
};

TEST_F(ProblemDrafts, OfAKernelIsAProblemWhenItsPlacesAreFilled) {
  const std::string text = draft("k.cu", kCuda, "scale");
  EXPECT_THAT(text, AllOf(HasSubstr("--function takes another one: first"),
                          HasSubstr("kernel = \"scale<float, BM>\""), HasSubstr("TILE = 16")));
  EXPECT_THAT(folder_.diagnostics(text), Contains(HasSubstr("FILL")));
  EXPECT_THAT(folder_.diagnostics(filled(text, {{"n = \"FILL\"", "n = 64"},
                                                {"size = \"FILL\"", "size = \"n\""},
                                                {"size = \"FILL\"", "size = \"n\""},
                                                {"access = \"FILL\"", "access = \"out\""},
                                                {"type = \"FILL\"", "type = \"float32\""},
                                                {"size = \"FILL\"", "size = \"n\""},
                                                {"access = \"FILL\"", "access = \"work\""},
                                                {"value = \"FILL\"", "value = 2"},
                                                {"grid = \"FILL\"", "grid = \"n // BM\""},
                                                {"BM = \"FILL\"", "BM = [1, 2]"}})),
              IsEmpty());
}

TEST_F(ProblemDrafts, OfAFunctionOfAHostAsWell) {
  const std::string text = draft("scale2.cc", kHost);
  EXPECT_THAT(folder_.diagnostics(text), Not(IsEmpty()));
  EXPECT_THAT(folder_.diagnostics(filled(text, {{"n = \"FILL\"", "n = 64"},
                                                {"size = \"FILL\"", "size = \"n\""},
                                                {"size = \"FILL\"", "size = \"n\""},
                                                {"access = \"FILL\"", "access = \"out\""}})),
              IsEmpty());
}

TEST_F(ProblemDrafts, AFunctionThatIsNotThereIsAnsweredWithThoseThatAre) {
  EXPECT_THAT([&] { draft("k.cu", kCuda, "scales"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("has no function scales"),
                                              HasSubstr("scale<typename T, int BM>("))));
  EXPECT_THAT([&] { draft("k.cu", "int main() {}\n"); },
              ThrowsMessage<UsageError>(HasSubstr("has no function to tune")));
  EXPECT_THAT([&] { read_draft_source(folder_.path("none.cu"), DraftKind::kCuda); },
              ThrowsMessage<UsageError>(HasSubstr("cannot read")));
}

TEST_F(ProblemDrafts, ASourceIsToldByItsName) {
  EXPECT_EQ(draft_kind("a/k.cuh"), DraftKind::kCuda);
  EXPECT_EQ(draft_kind("k.cpp"), DraftKind::kHost);
  EXPECT_EQ(draft_kind("problem.toml"), std::nullopt);
  EXPECT_EQ(draft_kind("kernel.py"), std::nullopt);
}

TEST_F(ProblemDrafts, WhatIsNotReadIsListedWithItsPlace) {
  folder_.write("odd.cu", "__global__ void a() {}\nvoid f() {\n");
  EXPECT_THAT(functions_text(read_draft_source(folder_.path("odd.cu"), DraftKind::kCuda)),
              AllOf(HasSubstr("1 kernel\n"), HasSubstr("a()"), HasSubstr("not read from line 2")));
}

TEST_F(ProblemDrafts, PassOverHelpersOfTheSource) {
  const std::string source =
      "static inline int least(int a) { return a; }\nfloat sum(const float* x) { return *x; }\n"
      "void scale(const float* x, float* y) {}\n";
  EXPECT_THAT(draft("k.c", source), HasSubstr("function = \"scale\""));
  EXPECT_THAT(draft("k.c", "static int f(const float* x, float* y) { return 0; }\n"),
              HasSubstr("function = \"f\""));
}

TEST_F(ProblemDrafts, RefuseAFunctionThatReturnsItsAnswer) {
  EXPECT_THAT([&] { (void)draft("k.c", "float sum(const float* x, int n) { return *x; }"); },
              ThrowsMessage<UsageError>(HasSubstr("returns the answer of sum, which is not looked "
                                                  "at: tune a function that writes it")));
}

}  // namespace
}  // namespace nightshift::tools
