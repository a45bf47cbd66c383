#include "scheduler/devices/kernel_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace nightshift::scheduler {
namespace {

using ::testing::Optional;

class KernelFile : public testing::Test {
 protected:
  KernelFile()
      : path_(std::filesystem::path(testing::TempDir()) /
              ("kernel-file-" + std::to_string(getpid()))) {}
  ~KernelFile() override { std::filesystem::remove(path_); }

  std::string with(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }

 private:
  std::filesystem::path path_;
};

TEST_F(KernelFile, SaysNothingWhereItIsMissing) {
  const std::string none = "/nowhere/at/all";
  EXPECT_EQ(line_in(none), "");
  EXPECT_EQ(number_in(none), std::nullopt);
  EXPECT_EQ(value_in(none, "MemTotal", ':'), "");
  EXPECT_EQ(number_behind(none, "MemTotal:"), std::nullopt);
  const std::string folder = testing::TempDir();
  EXPECT_EQ(line_in(folder), "");
  EXPECT_EQ(number_in(folder), std::nullopt);
}

TEST_F(KernelFile, HasAFirstLine) {
  EXPECT_EQ(line_in(with("performance\n")), "performance");
  EXPECT_EQ(line_in(with("  two words \nand more\n")), "two words");
  EXPECT_EQ(line_in(with("")), "");
}

TEST_F(KernelFile, BeginsWithANumber) {
  EXPECT_THAT(number_in(with("1500000\n")), Optional(1.5e6));
  EXPECT_EQ(number_in(with("max 100000\n")), std::nullopt);
}

TEST_F(KernelFile, HasValuesBehindNames) {
  const std::string memory = with("MemTotalHuge: 1 kB\nMemTotal:   42 kB\nMemTotal: 43 kB\n");
  EXPECT_EQ(value_in(memory, "MemTotal", ':'), "42 kB");
  EXPECT_EQ(value_in(memory, "MemFree", ':'), "");
  EXPECT_EQ(value_in(with("model name\t: A: B\n"), "model name", ':'), "A: B");
  EXPECT_EQ(value_in(with("NAME=\"x\"\n"), "NAME", '='), "\"x\"");
}

TEST_F(KernelFile, HasNumbersBehindWords) {
  const std::string state = with("nr_periods_all 1\nnr_periods 20\nnr_throttled many\n");
  EXPECT_THAT(number_behind(state, "nr_periods"), Optional(20));
  EXPECT_EQ(number_behind(state, "nr_throttled"), std::nullopt);
  EXPECT_EQ(number_behind(state, "nr"), std::nullopt);
}

}  // namespace
}  // namespace nightshift::scheduler
