#include "tools/nodes/node_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scheduler/sample_study.h"

namespace nightshift::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(NodeFiles, CopiesOfAHostKernelAreBuiltAsIfTheyLayWhereTheyCameFrom) {
  const tests::ScratchFolder node;
  const std::string root = node / "files";
  std::filesystem::create_directories(root + "/home/me/include");
  std::ofstream(root + "/home/me/kernel.cc") << "void f() {}\n";
  search::HostBackend host;
  host.kernel = {"/home/me/kernel.cc", "f", {"-O3", "-I/home/me/include"}};
  host.baseline = {"/home/me/elsewhere.cc", "f", {}};
  search::Problem problem;
  problem.backend = host;
  const search::Problem moved = at_home(problem, {"/home/me/kernel.cc"}, root);
  const auto& there = std::get<search::HostBackend>(moved.backend);
  EXPECT_EQ(there.kernel.file, root + "/home/me/kernel.cc");
  EXPECT_THAT(there.kernel.flags,
              ElementsAre("-O3", "-I" + root + "/home/me/include", "-I/home/me/include",
                          "-ffile-prefix-map=" + root + "="));
  EXPECT_EQ(there.baseline.file, "/home/me/elsewhere.cc") << "there is no copy of it";
  EXPECT_THAT(there.baseline.flags, Contains("-ffile-prefix-map=" + root + "="));
}

TEST(NodeFiles, WhatOptionsNameIsTakenFromTheCopies) {
  const tests::ScratchFolder node;
  const std::string root = node / "files";
  std::filesystem::create_directories(root + "/home/me/lib");
  for (const char* name : {"/home/me/kernel.cc", "/home/me/helper.o", "/home/me/lib/libx.a"}) {
    std::ofstream(root + name) << "";
  }
  search::HostBackend host;
  host.kernel = {
      "/home/me/kernel.cc",
      "f",
      {"/home/me/helper.o", "relative.o", "-L/home/me/lib", "-lx", "-DF=/home/me/helper.o"}};
  host.directory = "/home/me";
  search::Problem problem;
  problem.backend = host;
  const search::Problem moved = at_home(problem, {"/home/me/kernel.cc"}, root);
  const auto& there = std::get<search::HostBackend>(moved.backend);
  EXPECT_EQ(there.directory, root + "/home/me");
  EXPECT_THAT(there.kernel.flags,
              ElementsAre(root + "/home/me/helper.o", "relative.o", "-L" + root + "/home/me/lib",
                          "-L/home/me/lib", "-lx", "-DF=/home/me/helper.o",
                          "-ffile-prefix-map=" + root + "="));
}

TEST(NodeFiles, OfCopiesThatStandAloneNoFolderOfThisMachineIsAskedBeside) {
  const tests::ScratchFolder copies;
  const std::string root = copies / "tree";
  std::filesystem::create_directories(root + "/home/me/include");
  std::ofstream(root + "/home/me/kernel.cc") << "void f() {}\n";
  search::HostBackend host;
  host.kernel = {root + "/home/me/kernel.cc",
                 "f",
                 {"-I/home/me/include", "-I/opt/other", "-isystem", "/home/me/include"}};
  search::Problem problem;
  problem.backend = host;
  const search::Problem moved = at_copies(problem, root);
  const auto& there = std::get<search::HostBackend>(moved.backend);
  EXPECT_EQ(there.kernel.file, root + "/home/me/kernel.cc") << "it is a copy already";
  EXPECT_THAT(there.kernel.flags,
              ElementsAre("-I" + root + "/home/me/include", "-I/opt/other", "-isystem",
                          root + "/home/me/include", "-ffile-prefix-map=" + root + "="));
}

TEST(NodeFiles, AProgramThatLiesAmongTheCopiesStaysThere) {
  const tests::ScratchFolder copies;
  const std::string root = copies / "tree";
  search::CommandBackend command;
  command.argv = {"./run.sh"};
  for (const std::string& directory : {std::string("/home/me"), root + "/home/me"}) {
    command.directory = directory;
    search::Problem problem;
    problem.backend = command;
    const search::Problem moved = at_copies(problem, root);
    EXPECT_EQ(std::get<search::CommandBackend>(moved.backend).directory, root + "/home/me");
    EXPECT_TRUE(std::filesystem::is_directory(root + "/home/me"));
  }
}

}  // namespace
}  // namespace nightshift::tools
