#include "problems/batch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::string> names_of(const BatchFile& batch) {
  std::vector<std::string> names;
  for (const BatchEntry& study : batch.studies) names.push_back(study.name);
  return names;
}

struct BatchFolder : ScratchFolder {
  BatchFile read(const std::string& text) const { return read_batch({write("night.toml", text)}); }
  std::vector<std::string> diagnostics(const std::string& text) const {
    std::vector<std::string> lines;
    try {
      read(text);
    } catch (const ProblemFileError& error) {
      for (const Diagnostic& d : error.diagnostics()) {
        lines.push_back(std::to_string(d.line) + " " + d.message);
      }
    }
    return lines;
  }
};

TEST(BatchFile, HasStudiesWithTheirDefaults) {
  const BatchFolder folder;
  const BatchFile batch = folder.read(R"(
[defaults]
budget = "10m"
weight = 2
set = { acceptance.confidence = "quick" }
[[study]]
problem = "gemm/problem.toml"
[[study]]
problem = "b.toml"
name = "second"
budget = "400t"
weight = 0.5
devices = 2
devices_most = 4
after = ["gemm"]
)");
  EXPECT_EQ(batch.name, "night");
  ASSERT_THAT(names_of(batch), ElementsAre("gemm", "second"));
  const BatchEntry& first = batch.studies[0];
  EXPECT_EQ(first.problem, folder.path("gemm/problem.toml"));
  EXPECT_EQ(first.weight, 2);
  EXPECT_EQ(first.devices_least, 1);
  EXPECT_THAT(first.overrides, ElementsAre(Pair("budget.time", "600"), Pair("budget.trials", "0"),
                                           Pair("acceptance.confidence", "'quick'")));
  const BatchEntry& second = batch.studies[1];
  EXPECT_EQ(second.weight, 0.5);
  EXPECT_EQ(second.devices_least, 2);
  EXPECT_EQ(second.devices_most, 4);
  EXPECT_THAT(second.after, ElementsAre("gemm"));
  EXPECT_THAT(second.overrides.back(), Pair("budget.time", "0"));
}

TEST(BatchFile, AListMakesAStudyOfEachValueAndSeveralListsTheirProduct) {
  const BatchFolder folder;
  const BatchFile batch = folder.read(R"(
[[study]]
problem = "gemm.toml"
each = { host.sizes.N = [512, 1024], host.sizes.T = ["half", "float 32"] }
[[study]]
problem = "last.toml"
after = ["gemm"]
)");
  EXPECT_THAT(names_of(batch), ElementsAre("gemm-N512-Thalf", "gemm-N512-Tfloat_32",
                                           "gemm-N1024-Thalf", "gemm-N1024-Tfloat_32", "last"));
  EXPECT_THAT(batch.studies[1].overrides,
              ElementsAre(Pair("host.sizes.N", "512"), Pair("host.sizes.T", "'float 32'")));
  EXPECT_EQ(batch.studies[4].after.size(), 4U);
}

TEST(BatchFile, SeveralProblemsAndFoldersAreABatch) {
  const BatchFolder folder;
  std::filesystem::create_directories(folder.path("kernels/a"));
  std::filesystem::create_directories(folder.path("kernels/b"));
  const std::string problem = "name = \"x\"\n[parameters]\n";
  folder.write("kernels/a/problem.toml", problem);
  folder.write("kernels/b/problem.toml", problem);
  folder.write("kernels/b/other.toml", problem);
  const std::string lone = folder.write("lone.toml", problem);
  EXPECT_THAT(names_of(read_batch({folder.path("kernels"), lone})), ElementsAre("a", "b", "lone"));
  EXPECT_THAT(names_of(read_batch({lone, lone})), ElementsAre("lone", "lone-2"));
}

TEST(BatchFile, AFolderWithABatchsFileIsThatBatch) {
  const BatchFolder folder;
  std::filesystem::create_directories(folder.path("captured/gemm"));
  folder.write("captured/gemm/problem.toml", "name = \"x\"\n");
  folder.write("captured/batch.toml",
               "name = \"found\"\n[[study]]\nproblem = \"gemm/problem.toml\"\nname = \"mine\"\n");
  const BatchFile batch = read_batch({folder.path("captured")});
  EXPECT_EQ(batch.name, "found");
  EXPECT_THAT(names_of(batch), ElementsAre("mine"));
  EXPECT_EQ(batch.studies[0].problem, folder.path("captured/gemm/problem.toml"));
}

TEST(BatchFile, EveryMistakeIsToldInOneGo) {
  const BatchFolder folder;
  EXPECT_THAT(folder.diagnostics(R"([[study]]
problem = "a.toml"
wieght = 2
[[study]]
name = "b"
[[study]]
problem = "c.toml"
budget = "often"
devices = 4
devices_most = 2
each = { host.sizes.N = 5 }
)"),
              ElementsAre(HasSubstr("3 unknown key 'wieght' in [study]; did you mean 'weight'?"),
                          HasSubstr("problem"), HasSubstr("a time such as 90s, 10m"),
                          HasSubstr("less than devices"), HasSubstr("must be a list")));
}

TEST(BatchFile, AFileThatIsNotThereIsSaidToBe) {
  const BatchFolder folder;
  try {
    read_batch({folder.path("nowhere.toml")});
    FAIL();
  } catch (const ProblemFileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere.toml: there is no such file"));
  }
}

TEST(BatchFile, NamesAreOnesOwnAndNobodyWaitsForHimself) {
  const BatchFolder folder;
  for (const char* name : {"scratch", "hooks.log", "batch.sqlite", "batch.lock"}) {
    EXPECT_THAT(folder.diagnostics("[[study]]\nproblem = \"a.toml\"\nname = \"" +
                                   std::string(name) + "\"\n"),
                ElementsAre(HasSubstr("since the batch keeps a file of that name")));
  }
  EXPECT_THAT(
      folder.diagnostics("[[study]]\nproblem = \"a.toml\"\n[[study]]\nproblem = \"a.toml\"\n"),
      ElementsAre(HasSubstr("two studies called 'a'")));
  EXPECT_THAT(
      folder.diagnostics("[[study]]\nproblem = \"gemm.toml\"\nafter = [\"gmem\"]\n"),
      ElementsAre(HasSubstr("'gmem', which is no study of this batch; did you mean 'gemm'?")));
  EXPECT_THAT(folder.diagnostics("[[study]]\nproblem = \"a.toml\"\nafter = [\"b\"]\n"
                                 "[[study]]\nproblem = \"b.toml\"\nafter = [\"a\"]\n"),
              ElementsAre(HasSubstr("comes after itself")));
  EXPECT_THAT(folder.diagnostics("study = []\n"), ElementsAre(HasSubstr("there are no studies")));
}

TEST(BatchFile, HasHooksAndTermsOfItsStudies) {
  const BatchFolder folder;
  const BatchFile batch = folder.read(R"(
name = "tonight"
[defaults]
warm_start = false
[[study]]
problem = "a.toml"
deadline = "1h30m"
patience = 0
[[study]]
problem = "b.toml"
warm_start = true
[hooks]
on_end = "mail me"
)");
  EXPECT_EQ(batch.name, "tonight");
  EXPECT_EQ(batch.hooks.on_end, "mail me");
  EXPECT_EQ(batch.hooks.on_failure, "");
  EXPECT_EQ(batch.studies[0].deadline, 5400);
  EXPECT_EQ(batch.studies[0].patience, 0);
  EXPECT_FALSE(batch.studies[0].warm_start);
  EXPECT_FALSE(batch.studies[1].deadline);
  EXPECT_EQ(batch.studies[1].patience, 4);
  EXPECT_TRUE(batch.studies[1].warm_start);
}

// A name becomes a folder in the batch's.
TEST(BatchFile, NamesStayInTheirFolder) {
  const BatchFolder folder;
  const auto of = [&](const std::string& name) {
    return folder.diagnostics("[[study]]\nproblem = \"a.toml\"\nname = \"" + name + "\"\n");
  };
  for (const char* name : {"../up", "a/b", ".", "..", ".hidden", "/tmp/x"}) {
    EXPECT_THAT(of(name), ElementsAre(HasSubstr("becomes a folder"))) << name;
  }
  EXPECT_THAT(of("plain name-1.5"), IsEmpty());
  EXPECT_THAT(folder.diagnostics("name = \"../night\"\n[[study]]\nproblem = \"a.toml\"\n"),
              ElementsAre(HasSubstr("becomes a folder")));
  EXPECT_THAT(folder.diagnostics("[[study]]\nproblem = \"a.toml\"\ndeadline = \"soon\"\n"),
              ElementsAre(HasSubstr("must be a duration")));
}

TEST(BatchFile, WhatIsRightOfABrokenOneIsReadWithItsMistakes) {
  const BatchFolder folder;
  const std::string file = folder.write("night.toml",
                                        "[[study]]\nproblem = \"a.toml\"\n[[study]]\n"
                                        "problem = \"b.toml\"\nwieght = 2\n");
  std::vector<Diagnostic> mistakes;
  const BatchFile batch = inspect_batch({file}, mistakes);
  EXPECT_THAT(names_of(batch), ElementsAre("a", "b"));
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_THAT(mistakes[0].message, HasSubstr("'wieght'"));
}

TEST(BatchFile, IsToldFromAProblem) {
  const BatchFolder folder;
  EXPECT_TRUE(is_batch_file(folder.write("night.toml", "[[study]]\nproblem = \"a.toml\"\n")));
  EXPECT_TRUE(is_batch_file(folder.write("later.toml", "[defaults]\nbudget = \"10m\"\n")));
  EXPECT_FALSE(is_batch_file(folder.write("problem.toml", "name = \"a\"\n[host]\n")));
  EXPECT_FALSE(is_batch_file(folder.write("broken.toml", "name = \n")));
  EXPECT_FALSE(is_batch_file("/no/such/file.toml"));
}

// It is counted before it is made: all of it would not fit into any memory.
TEST(BatchFile, AProductOfTooManyStudiesIsRefusedByItsNumber) {
  const BatchFolder folder;
  std::string each, more;
  for (int i = 0; i < 60; ++i) {
    const std::string list = "host.sizes.N" + std::to_string(i) + " = [1, 2, 3, 4, 5, 6, 7, 8], ";
    (i < 12 ? each : more) += list;
  }
  const auto of = [](const std::string& lists) {
    return "each = { " + lists + "host.sizes.K = [1] }\n";
  };
  const std::string study = "[[study]]\nproblem = \"a.toml\"\n";
  EXPECT_THAT(
      folder.diagnostics(study + of(each)),
      ElementsAre(::testing::AllOf(HasSubstr("3 study 'a' would become 68719476736 studies"),
                                   HasSubstr("at most 10000"))));
  EXPECT_THAT(folder.diagnostics(study + of(each + more)),
              ElementsAre(HasSubstr("3 study 'a' would become more than 2^128 studies")));
  EXPECT_THAT(folder.diagnostics("[defaults]\n" + of(each) + study + study +
                                 "name = \"b\"\n[[study]]\nproblem = \"c.toml\"\n"
                                 "each = { host.sizes.N = [1] }\nafter = [\"b\"]\n"),
              ::testing::SizeIs(3))
      << "each that has them, and nothing of who comes after";
}

TEST(BatchFile, StudiesOfAllEntriesAreCountedTogether) {
  const BatchFolder folder;
  std::string hundred = "1";
  for (int i = 2; i <= 100; ++i) hundred += ", " + std::to_string(i);
  const std::string lists = "each = { a.M = [" + hundred + "], a.N = [" + hundred + "] }\n";
  const std::string most = "[[study]]\nproblem = \"a.toml\"\n" + lists;
  EXPECT_EQ(folder.read(most).studies.size(), 10'000U);
  EXPECT_THAT(folder.diagnostics(most + "[[study]]\nproblem = \"b.toml\"\n"),
              ElementsAre(HasSubstr("4 study 'b' would become 1 study beside 10000 others")));
}

}  // namespace
}  // namespace nightshift::problems
