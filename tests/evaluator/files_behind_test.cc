#include "evaluator/files_behind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "problems/problem_file.h"
#include "tests/evaluator/evaluator_setup.h"
#include "tests/fakes/paths.h"

namespace nightshift::evaluator {
namespace {

using search::Identity;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using Kind = search::IdentityPart::Kind;

std::vector<std::string> names_of(const Identity& identity, Kind kind) {
  std::vector<std::string> names;
  for (const search::IdentityPart& part : identity) {
    if (part.kind == kind) names.push_back(part.name);
  }
  return names;
}

class FilesBehindCommand : public ::testing::Test {
 protected:
  FilesBehindCommand() {
    executable("bench", "#!/bin/sh\n");
    folder_.write("run.py", "print(1)\n");
    folder_.write("result.json", "{}\n");
    folder_.write("main.c", "#include \"part.h\"\n");
    folder_.write("part.h", "int x;\n");
    command_.directory = folder_.path();
  }
  void executable(const std::string& name, const std::string& text) const {
    std::filesystem::permissions(folder_.write(name, text), std::filesystem::perms::owner_all);
  }
  Identity behind() const {
    search::Problem problem;
    problem.parameters.push_back({});
    problem.parameters.back().name = "N";
    problem.parameters.back().values = {std::int64_t{1}};
    problem.backend = command_;
    return files_behind(problem);
  }
  // Whether writing that file changes what the problem is made of.
  bool matters(const std::string& name) const {
    const Identity before = behind();
    folder_.write(name, folder_.read(name) + "# more\n");
    return search::any_matters(search::changes_between(before, behind()));
  }

  TemporaryFolder folder_;
  search::CommandBackend command_;
};

TEST_F(FilesBehindCommand, TheProgramAndAScriptCountWhatItMayWriteDoesNot) {
  command_.argv = {"./bench", "run.py", "{N}", "result.json"};
  EXPECT_TRUE(matters("bench"));
  EXPECT_TRUE(matters("run.py"));
  EXPECT_FALSE(matters("result.json"));
  EXPECT_FALSE(matters("main.c"));
}

// Its hash is remembered while it is as it was; it may change without another size.
TEST_F(FilesBehindCommand, ALargeProgramCountsByItsContentWheneverItIsAsked) {
  command_.argv = {"./large"};
  const std::string text(std::size_t{2} << 20, 'x');
  std::vector<Identity> seen;
  for (const char last : {'a', 'b', 'a'}) {
    executable("large", text + last);
    seen.push_back(behind());
    EXPECT_EQ(behind(), seen.back());
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST_F(FilesBehindCommand, AProgramIsFoundAsAShellFindsIt) {
  command_.argv = {"sh", "-c", "exit"};
  EXPECT_THAT(names_of(behind(), Kind::kProgram), testing::ElementsAre("sh"));
  command_.argv = {"no-such-program-anywhere"};
  EXPECT_THAT(behind(), IsEmpty());
}

TEST_F(FilesBehindCommand, TheProgramOfTheBaselineCounts) {
  executable("plain", "#!/bin/sh\n");
  command_.argv = {"./bench", "{N}"};
  command_.baseline_argv = {"./plain"};
  EXPECT_TRUE(matters("plain"));
  EXPECT_TRUE(matters("bench"));
}

TEST_F(FilesBehindCommand, WhatABuildReadsCountsWithItsIncludes) {
  command_.argv = {"{artifact}/main"};
  command_.build = {"cc", "main.c", "-o", "{artifact}/main"};
  EXPECT_TRUE(matters("part.h"));
  EXPECT_TRUE(matters("main.c"));
  EXPECT_FALSE(matters("bench"));
  EXPECT_THAT(names_of(behind(), Kind::kProgram), testing::ElementsAre("cc"));
}

TEST_F(FilesBehindCommand, InputsCountFilesAndFolders) {
  folder_.make_folder("more");
  folder_.write("more/data", "1");
  command_.argv = {"./bench", "{N}"};
  command_.inputs = {folder_.path() + "/result.json", folder_.path() + "/more"};
  EXPECT_TRUE(matters("result.json"));
  EXPECT_TRUE(matters("more/data"));
  std::filesystem::remove(folder_.path() + "/result.json");
  EXPECT_THAT(names_of(behind(), Kind::kInput), Not(Contains(folder_.path() + "/result.json")));
}

TEST_F(FilesBehindCommand, WhatDiffersBetweenConfigurationsIsLeftOut) {
  command_.argv = {"./bench", "{M}"};  // no such parameter: nothing throws
  EXPECT_THAT(names_of(behind(), Kind::kProgram), testing::ElementsAre("./bench"));
}

TEST_F(FilesBehindCommand, TheirPathsAreThoseOfProgramsSourcesAndWhatWouldBeIncluded) {
  folder_.make_folder("first");
  command_.argv = {"./bench", "{N}"};
  command_.build = {"cc", "-I" + folder_.path() + "/first", "main.c", "-o", "{artifact}/main"};
  command_.inputs = {folder_.path() + "/result.json"};
  search::Problem problem;
  problem.backend = command_;
  const std::vector<std::string> paths = paths_behind(problem);
  for (const char* name : {"bench", "main.c", "part.h", "result.json", "first/part.h"}) {
    EXPECT_THAT(paths, Contains(folder_.path() + "/" + name));
  }
  EXPECT_THAT(paths, Not(Contains(folder_.path() + "/run.py")));
}

TEST(FilesBehind, OfAHostKernelAreItsSourcesAndTheCompiler) {
  const search::Problem problem =
      problems::read_problem(testing_paths::source("kernels/host/rmsnorm/problem.toml"));
  const Identity identity = files_behind(problem);
  EXPECT_EQ(names_of(identity, Kind::kSource).size(), 3U);
  EXPECT_EQ(names_of(identity, Kind::kCompilerProgram).size(), 1U);
}

class FilesBehindHost : public FilesBehindCommand {
 protected:
  FilesBehindHost() {
    folder_.make_folder("lib");
    for (const char* name : {"kernel.cc", "helper.cc", "helper.o", "lib/libx.a", "config.h"}) {
      folder_.write(name, "");
    }
    folder_.write("helper.cc", "#include \"part.h\"\n");
  }
  // Whether writing the file changes what a kernel with these flags is made of, and is watched.
  bool matters(const std::string& name, const std::vector<std::string>& flags,
               const std::string& parameter = "") const {
    search::HostBackend host;
    host.kernel = {folder_.path() + "/kernel.cc", "f", flags};
    host.directory = folder_.path();
    host.flag_parameters = {{"WITH", "{}"}};
    search::Problem problem;
    problem.parameters.push_back({});
    problem.parameters.back().name = "WITH";
    problem.parameters.back().values = {std::string("-O3"), parameter};
    problem.backend = host;
    EXPECT_THAT(paths_behind(problem), Contains(folder_.path() + "/" + name));
    const Identity before = files_behind(problem);
    folder_.write(name, folder_.read(name) + "// more\n");
    return search::any_matters(search::changes_between(before, files_behind(problem)));
  }
};

TEST_F(FilesBehindHost, WhatOptionsNameCountsWithWhatItIncludes) {
  EXPECT_TRUE(matters("helper.o", {"helper.o"}));
  EXPECT_TRUE(matters("lib/libx.a", {"-Llib", "-lx"}));
  EXPECT_TRUE(matters("helper.cc", {"helper.cc"}));
  EXPECT_TRUE(matters("part.h", {"helper.cc"}));
  EXPECT_TRUE(matters("config.h", {"-include", "config.h"}));
}

TEST_F(FilesBehindHost, WhatAValueOfAParameterNamesCounts) {
  EXPECT_TRUE(matters("helper.o", {}, "helper.o"));
  EXPECT_TRUE(matters("config.h", {}, "-include config.h"));
}

TEST(FilesBehind, OfACudaKernelAreItsSourcesWithTheirIncludes) {
  const search::Problem problem =
      problems::read_problem(testing_paths::source("kernels/cuda/rmsnorm/problem.toml"));
  const Identity identity = files_behind(problem);
  const auto& cuda = std::get<search::CudaBackend>(problem.backend);
  EXPECT_THAT(names_of(identity, Kind::kSource), Contains(cuda.kernel.file));
  EXPECT_GT(names_of(identity, Kind::kFile).size(), names_of(identity, Kind::kSource).size());
}

}  // namespace
}  // namespace nightshift::evaluator
