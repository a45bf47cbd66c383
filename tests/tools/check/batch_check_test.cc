#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scheduler/sample_study.h"
#include "tools/check/check_report.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class BatchCheckTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  static std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }

  const tests::ScratchFolder scratch_;
};

TEST_F(BatchCheckTest, EachFileHasItsOwnMistakesUnderItsName) {
  const std::string problem = write("scale.toml", "nmae = \"scale\"\n");
  const std::string file = write("night.toml",
                                 "[[study]]\nproblem = \"scale.toml\"\nwieght = 2\n"
                                 "[[study]]\nname = \"again\"\nproblem = \"scale.toml\"\n");
  const std::string told = batch_mistakes(file);
  EXPECT_THAT(told, StartsWith("the batch has "));
  const std::size_t of_batch = told.find("\n" + file + "\n");
  const std::size_t of_problem = told.find("\n" + problem + "\n");
  ASSERT_NE(of_batch, std::string::npos) << told;
  ASSERT_NE(of_problem, std::string::npos) << told;
  EXPECT_THAT(told.substr(of_batch, of_problem - of_batch),
              AllOf(HasSubstr("'wieght'"), Not(HasSubstr("'nmae'"))));
  EXPECT_THAT(told.substr(of_problem), AllOf(HasSubstr("'nmae'"), Not(HasSubstr("'wieght'"))));
  EXPECT_EQ(times(told, "'nmae'"), 1U) << "both studies are of one file";
}

TEST_F(BatchCheckTest, AFileThatIsNotThereIsAMistakeOfItsOwn) {
  const std::string file = write("night.toml", "[[study]]\nproblem = \"gone.toml\"\n");
  EXPECT_THAT(batch_mistakes(file), AllOf(HasSubstr("1 mistake:"), HasSubstr("gone.toml\n")));
}

TEST_F(BatchCheckTest, WhatThisMachineLacksAndWhatDoesNotCompileIsTold) {
  write("missing.toml",
        "name = \"a\"\n[command]\nargv = [\"./nothere\", \"{W}\"]\n[parameters]\nW = [1, 2]\n");
  write("k.cc", "void k(int n, float* y) { for (int i = 0; i < n; ++i) y[i] = U + undeclared; }\n");
  write("broken.toml",
        "name = \"b\"\n[host]\nkernel = { file = \"k.cc\", function = \"k\" }\n"
        "sizes = { N = 100 }\n"
        "[[host.argument]]\nname = \"n\"\ntype = \"int32\"\nvalue = \"N\"\n"
        "[[host.argument]]\nname = \"y\"\ntype = \"float32\"\nsize = \"N\"\naccess = \"out\"\n"
        "[parameters]\nU = [1, 2]\n");
  const auto said = [&](const std::string& studies, bool builds, bool expected) {
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(check_batch(write("night.toml", studies), false, builds), expected) << studies;
    return ::testing::internal::GetCapturedStdout();
  };
  const std::string missing = "[[study]]\nproblem = \"missing.toml\"\n";
  const std::string broken = "[[study]]\nproblem = \"broken.toml\"\n";
  EXPECT_THAT(
      said(missing, true, false),
      AllOf(HasSubstr("with no mistake; this machine lacks 1 thing"), HasSubstr("nothere")));
  EXPECT_THAT(said(missing, false, true), HasSubstr("nothere"));
  const std::string twice = broken + "name = \"again\"\n" + "budget = \"1t\"\n" + broken + missing;
  const std::string told = said(twice, true, false);
  EXPECT_THAT(told, AllOf(HasSubstr("a batch of 3 studies, with no mistake; this machine lacks 1 "
                                    "thing; 1 baseline would fail"),
                          HasSubstr("undeclared")));
  EXPECT_EQ(times(told, "does not compile"), 1U);
  EXPECT_THAT(said(broken, false, true), Not(HasSubstr("undeclared")));
}

TEST_F(BatchCheckTest, AStudyWithoutABackendIsAMistake) {
  write("space.toml", "name = \"bowl\"\n[parameters]\nx = [1, 2]\n");
  const std::string file = write("night.toml", "[[study]]\nproblem = \"space.toml\"\n");
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(check_batch(file, false, true));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("there is no backend"));
}

}  // namespace
}  // namespace nightshift::tools
