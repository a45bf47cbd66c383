#include "scheduler/devices/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scheduler/devices/device.h"
#include "scheduler/devices/environment_facts.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

std::string fact(const Facts& facts, const std::string& name) {
  for (const auto& [key, value] : facts) {
    if (key == name) return value;
  }
  return {};
}

void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

TEST(Environment, NamesTheMachineAndItsSoftware) {
  const Facts facts = capture_environment("", {"c++"});
  EXPECT_EQ(fact(facts, "cpu"), cpu_model());
  EXPECT_EQ(fact(facts, "cores"), std::to_string(usable_cores().size()));
  EXPECT_THAT(fact(facts, "memory"), HasSubstr(" GiB"));
  EXPECT_THAT(fact(facts, "kernel"), HasSubstr("Linux "));
  EXPECT_FALSE(fact(facts, "node").empty());
  EXPECT_FALSE(fact(facts, "nightshift").empty());
  EXPECT_FALSE(fact(facts, "compiler").empty());
  for (const auto& [name, value] : facts) EXPECT_FALSE(value.empty()) << name;
}

TEST(Environment, WhatIsNotThereIsLeftOut) {
  const Facts facts = capture_environment("/nowhere/problem.toml", {"/nowhere/c++"});
  EXPECT_EQ(fact(facts, "compiler"), "");
  EXPECT_EQ(fact(facts, "git commit"), "");
  EXPECT_EQ(os_name("/nowhere"), "");
  EXPECT_EQ(memory_size("/nowhere"), "");
  EXPECT_THAT(gpu_facts("/nowhere"), IsEmpty());
}

TEST(Environment, ReadsTheSystemsOwnFiles) {
  const tests::ScratchFolder scratch;
  write_file(scratch / "os-release", "ID=x\nPRETTY_NAME=\"Some OS 12 (name)\"\n");
  EXPECT_EQ(os_name(scratch / "os-release"), "Some OS 12 (name)");
  write_file(scratch / "meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
  EXPECT_EQ(memory_size(scratch / "meminfo"), "16.0 GiB");
}

TEST(Environment, ReadsTheGpusFromTheDriversFiles) {
  const tests::ScratchFolder scratch;
  const std::string folder = scratch / "nvidia";
  write_file(folder + "/gpus/0000:18:00.0/information",
             "Model: \t\t NVIDIA H200\nIRQ:   	 12\nGPU UUID: \t GPU-aaaa\n");
  write_file(folder + "/gpus/0000:0a:00.0/information",
             "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-bbbb\n");
  write_file(folder + "/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1  Mon\nGCC version: 12\n");
  EXPECT_THAT(
      gpu_facts(folder),
      ElementsAre(Pair("gpu 0", "NVIDIA H200 GPU-bbbb"), Pair("gpu 1", "NVIDIA H200 GPU-aaaa"),
                  Pair("gpu driver", "NVIDIA UNIX x86_64 Kernel Module  570.1  Mon")));
}

TEST(Environment, NamesTheCommitAndWhetherFilesChangedSince) {
  const tests::ScratchFolder scratch;
  const std::string repository = scratch / "repository";
  write_file(repository + "/problem.toml", "name = 1\n");
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-C", repository, "-c", "user.name=n", "-c", "user.email=e@example.org"});
    return output_of("git", arguments, 30);
  };
  if (output_of("git", {"--version"}, 30).empty()) GTEST_SKIP() << "git is not installed";
  git({"init", "--quiet"});
  EXPECT_THAT(git_facts(repository), IsEmpty()) << "none yet";
  git({"add", "."});
  ASSERT_THAT(git({"commit", "-m", "first"}), HasSubstr("first"));
  const Facts clean = capture_environment(repository + "/problem.toml", {});
  EXPECT_THAT(fact(clean, "git commit"), SizeIs(40));
  EXPECT_EQ(fact(clean, "git state"), "");
  write_file(repository + "/problem.toml", "name = 2\n");
  const Facts dirty = git_facts(repository);
  EXPECT_EQ(fact(dirty, "git commit"), fact(clean, "git commit"));
  EXPECT_EQ(fact(dirty, "git state"), "1 file(s) changed since");
}

TEST(Environment, WhatMayChangeIsAskedAgainAfterAWhile) {
  int asked = 0;
  const auto ask = [&asked] { return ++asked; };
  EXPECT_EQ(asked_lately<int>("a", 10, 100, ask), 1);
  EXPECT_EQ(asked_lately<int>("a", 10, 109, ask), 1);
  EXPECT_EQ(asked_lately<int>("b", 10, 109, ask), 2);
  EXPECT_EQ(asked_lately<int>("a", 10, 110, ask), 3);
  EXPECT_EQ(asked_lately<int>("a", 10, 119, ask), 3);
}

TEST(Environment, AProgramThatHangsOrFailsSaysNothing) {
  EXPECT_EQ(output_of("sh", {"-c", "echo early; exec sleep 1000"}, 0.05), "");
  EXPECT_EQ(output_of("sh", {"-c", "echo bad; exit 1"}, 30), "");
  EXPECT_EQ(output_of("sh", {"-c", "echo good"}, 30), "good\n");
  EXPECT_EQ(output_of("no-such-program-here", {}, 30), "");
  EXPECT_EQ(first_line(" one \ntwo\n"), "one");
}

}  // namespace
}  // namespace nightshift::scheduler
