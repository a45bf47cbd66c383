#include "tools/serve/served_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/file_text.h"
#include "problems/problem_file.h"
#include "tests/problems/scratch_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHost = R"(name = "a b"
[host]
kernel = { file = "own.cc", function = "f" }
sizes = { N = 8 }
[[host.argument]]
name = "x"
type = "float32"
size = "N"
access = "inout"
[parameters]
A = [1, 2]
[acceptance]
level = 0.02
)";
constexpr const char* kCommand = R"(name = "p"
[command]
argv = ["./run", "{A}"]
[[command.figure]]
objective = "time"
source = "wall-time"
[parameters]
A = [1, 2]
)";

class ServedProblemTest : public ::testing::Test {
 protected:
  ServedProblem served(const char* text) {
    scratch_.write("own.cc", "void f(float*) {}\n");
    scratch_.write("run", "#!/bin/sh\n");
    problems::BatchEntry entry;
    entry.problem = scratch_.write("problem.toml", text);
    return ServedProblem(entry);
  }
  std::string folder(const std::string& name) {
    std::filesystem::create_directories(scratch_.path(name));
    return scratch_.path(name);
  }
  static std::string of(const std::vector<problems::Override>& all, const std::string& key) {
    const auto found = std::ranges::find(all, key, [](const auto& one) { return one.first; });
    return found == all.end() ? "" : found->second;
  }

  problems::ScratchFolder scratch_;
};

TEST_F(ServedProblemTest, InputsThatNoSeedDrawsAreToldWhenItBegins) {
  std::string text = kHost;
  ::testing::internal::CaptureStderr();
  (void)served(text.c_str());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  text.replace(text.find("access"), 0, "fill = \"sequence\"\n");
  ::testing::internal::CaptureStderr();
  (void)served(text.c_str());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("no input of a b is drawn from a seed, so that a candidate can have the "
                        "answer written down: give an argument fill"));
}

TEST_F(ServedProblemTest, ASourceMeetsItsOpponentAsTwoConfigurations) {
  const ServedProblem problem = served(kHost);
  EXPECT_EQ(problem.name(), "a-b");
  EXPECT_EQ(problem.level(), 0.02);
  CandidateFiles files;
  files = {{"", "void f(float* x) { x[0] = 1; }\n"}};
  problem.check(files);
  Proposal proposal;
  proposal.number = 5;
  proposal.level = 1e-4;
  proposal.source = problem.keep_sources(folder("5"), files);
  EXPECT_THAT(base::read_whole_file(proposal.source), HasSubstr("x[0] = 1"));
  const auto set = problem.contest(proposal, "", folder("5"));
  EXPECT_EQ(of(set, "judged.opponent"), "0");
  EXPECT_EQ(of(set, "judged.candidate"), "5");
  EXPECT_EQ(of(set, "measure.trust"), "\"none\"");
  EXPECT_EQ(of(set, "acceptance.duels"), "true");
  EXPECT_EQ(of(set, "acceptance.level"), "0.0001");
  const search::Problem read = problems::read_problem(problem.entry().problem, set);
  EXPECT_EQ(read.budget.trials, 1U);
  EXPECT_EQ(read.parameters.size(), 2U);
}

TEST_F(ServedProblemTest, WhatIncludesASourceIsOfTheLanguageThatItIsCompiledAs) {
  const auto ending_of = [&](const std::string& file, const char* own) {
    scratch_.write(file, own);
    std::string text = kHost;
    text.replace(text.find("own.cc"), 6, file);
    const ServedProblem problem = served(text.c_str());
    Proposal proposal;
    proposal.number = 1;
    proposal.source = problem.keep_sources(folder("1"), {{"", "x"}});
    const std::string source = of(problem.contest(proposal, "", folder("1")), "judged.source");
    return std::filesystem::path(source.substr(1, source.size() - 2)).extension().string();
  };
  EXPECT_EQ(ending_of("c.c", "void f(float* x) {}\n"), ".c");
  EXPECT_EQ(ending_of("cpp.c", "extern \"C\" void f(float* x) {}\n"), ".cc");
  EXPECT_EQ(ending_of("k.cpp", "void f(float* x) {}\n"), ".cc");
  EXPECT_EQ(ending_of("k.F90", ""), ".f90");
  EXPECT_EQ(ending_of("k.s", ""), ".S");
}

TEST_F(ServedProblemTest, AStageGoesAsFarAsItIsAsked) {
  const ServedProblem problem = served(kHost);
  CandidateFiles files;
  files = {{"", "x"}};
  Proposal proposal;
  proposal.number = 1;
  proposal.source = problem.keep_sources(folder("1"), files);
  proposal.stage = Stage::kCheck;
  EXPECT_EQ(of(problem.contest(proposal, "", folder("1")), "acceptance.duels"), "false");
  proposal.stage = Stage::kConfirm;
  proposal.most_time = 3;
  const auto set = problem.contest(proposal, "", folder("1"));
  EXPECT_EQ(of(set, "acceptance.hold_out_most"), "0");
  EXPECT_EQ(of(set, "budget.time"), "3");
}

TEST_F(ServedProblemTest, AProgramIsCopiedWithTheCandidatesFiles) {
  const ServedProblem problem = served(kCommand);
  CandidateFiles files;
  files = {{"", "#!/bin/sh\n"}};
  EXPECT_THROW(problem.check(files), UsageError);
  files = {{"run", "#!/bin/sh\nexit 0\n"}};
  problem.check(files);
  Proposal proposal;
  proposal.number = 2;
  proposal.level = 1e-3;
  proposal.source = problem.keep_sources(folder("night/2"), files);
  EXPECT_THAT(base::read_whole_file(proposal.source + "/run"), HasSubstr("exit 0"));
  const auto set = problem.contest(proposal, "", folder("night/2"));
  EXPECT_EQ(of(set, "measure.trust"), "");
  const search::Problem read = problems::read_problem(problem.entry().problem, set);
  EXPECT_EQ(std::get<search::CommandBackend>(read.backend).argv.front(), "sh");
}

TEST_F(ServedProblemTest, OfAProgramThatNamesThemNoOtherFilesAreReplaced) {
  std::string text = kCommand;
  text.insert(text.find("argv"), "candidates = ['run', 'src/*.c']\n");
  const ServedProblem problem = served(text.c_str());
  problem.check({{"run", ""}, {"./src/new.c", ""}});
  for (const char* file : {"measure.sh", "src/deep/new.c", "src/new.h", "lib/../measure.sh"}) {
    try {
      problem.check({{"run", ""}, {file, ""}});
      ADD_FAILURE() << file;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(file), HasSubstr("run, src/*.c")));
    }
  }
}

TEST_F(ServedProblemTest, WhatHasNoSourceIsRefused) {
  EXPECT_THROW(served(R"(name = "s"
[command]
mode = "server"
argv = ["./run"]
[parameters]
A = [1, 2]
)"),
               UsageError);
}

}  // namespace
}  // namespace nightshift::tools
