#include "tools/judge/judged_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>

#include "problems/problem_file.h"
#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class JudgedProblem : public ::testing::Test {
 protected:
  // Of a kernel in a file of that name, with more keys of [host].
  Field judged_field(const std::string& own, const std::string& candidate,
                     const std::string& keys = "") {
    own_ = scratch_.write(own, "");
    candidate_ = scratch_.write(candidate, "");
    const std::string file = scratch_.write("problem.toml", R"(name = "a"
[host]
kernel = { file = ")" + own + R"(", function = "f", flags = ["-O1"] }
sizes = { N = 8 }
)" + keys + R"(
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "inout"
[parameters]
A = [1, 2]
OPT = { values = ["-O2", "-O3 -funroll-loops"], flag = "{}" }
[baseline]
OPT = "-O3 -funroll-loops"
)");
    std::filesystem::create_directories(scratch_.path("judged"));
    return judged(problems::read_problem(file, {}), candidate_, scratch_.path("judged"));
  }
  static const search::HostBackend& host(const Field& field) {
    return std::get<search::HostBackend>(field.problem.backend);
  }

  problems::ScratchFolder scratch_;
  std::string own_, candidate_;
};

TEST_F(JudgedProblem, OfOneLanguageIsASourceInIt) {
  const std::pair<const char*, const char*> endings[] = {
      {".c", ".c"}, {".cc", ".cc"}, {".cpp", ".cc"}, {".f90", ".f90"}, {".f", ".f"}, {".s", ".S"}};
  for (const auto& [own, judged] : endings) {
    const std::string ending(own);
    const Field field = judged_field("own" + ending, "faster" + ending);
    EXPECT_THAT(host(field).kernel.file, EndsWith(std::string("/judged") + judged)) << own;
    EXPECT_THAT(host(field).baseline.file, IsEmpty()) << own;
    EXPECT_EQ(field.contenders.size(), 2u);
  }
}

TEST_F(JudgedProblem, OfTwoLanguagesTheKernelIsBuiltByItselfAsItWas) {
  for (const char* candidate : {"faster.cc", "faster.f90", "faster.S"}) {
    const Field field = judged_field("own.c", candidate);
    const search::HostSource& baseline = host(field).baseline;
    EXPECT_EQ(baseline.file, own_);
    EXPECT_EQ(baseline.function, "f");
    EXPECT_THAT(baseline.flags, ElementsAre("-O1", "-O3", "-funroll-loops"));
    const std::string ending = std::filesystem::path(candidate).extension().string();
    EXPECT_THAT(host(field).kernel.file, EndsWith("/judged" + ending));
    EXPECT_TRUE(field.contenders[0].configuration.is_baseline());
    EXPECT_FALSE(field.contenders[1].configuration.is_baseline());
  }
  EXPECT_EQ(host(judged_field("own.f90", "faster.f")).baseline.file, own_) << "fixed columns";
}

TEST_F(JudgedProblem, ABaselineOfItsOwnStays) {
  scratch_.write("plain.c", "");
  const Field field =
      judged_field("own.c", "faster.cc", "baseline = { file = \"plain.c\", function = \"g\" }");
  EXPECT_EQ(host(field).baseline.file, scratch_.path("plain.c"));
  EXPECT_EQ(host(field).baseline.function, "g");
  EXPECT_THAT(host(field).baseline.flags, IsEmpty());
}

TEST_F(JudgedProblem, WhatIsOfNoLanguageOrNotThereIsRefused) {
  try {
    judged_field("own.c", "faster.rs");
    ADD_FAILURE() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("faster.rs is neither C++, C, Fortran nor assembler"));
  }
  const Field field = judged_field("own.c", "faster.c");
  EXPECT_THROW(judged(field.problem, scratch_.path("gone.c"), scratch_.path("judged")), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
