#include "ipc/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

namespace nightshift::ipc {
namespace {

using namespace std::chrono_literals;

class FileLockTest : public ::testing::Test {
 protected:
  FileLockTest() {
    std::string name = (std::filesystem::temp_directory_path() / "nightshift-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    folder_ = name;
    path_ = name + "/lock";
  }
  ~FileLockTest() override { std::filesystem::remove_all(folder_); }

  std::optional<FileLock> taken(const std::string& text = "",
                                std::chrono::milliseconds patience = 0ms) const {
    auto result = FileLock::take(path_, {text, 0600, patience});
    auto* lock = std::get_if<FileLock>(&result);
    return lock == nullptr ? std::nullopt : std::optional(std::move(*lock));
  }
  // Obstacle, errno and text of an attempt that is refused.
  static FileLock::Refused refusal(const std::string& path) {
    auto result = FileLock::take(path, {});
    auto* refused = std::get_if<FileLock::Refused>(&result);
    EXPECT_NE(refused, nullptr);
    return refused == nullptr ? FileLock::Refused{} : *refused;
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(FileLockTest, TheSecondIsToldWhatTheFirstWrote) {
  {
    const auto first = taken("first\n");
    ASSERT_TRUE(first);
    const FileLock::Refused refused = refusal(path_);
    EXPECT_EQ(refused.obstacle, FileLock::Obstacle::kHeld);
    EXPECT_EQ(refused.text, "first\n");
  }
  EXPECT_TRUE(taken());
}

TEST_F(FileLockTest, WithoutATextWhatAnEarlierHolderLeftStays) {
  taken("a long text of an earlier holder\n");
  EXPECT_EQ(taken()->text(), "a long text of an earlier holder\n");
  EXPECT_EQ(taken("short\n")->text(), "short\n");
  auto lock = taken();
  EXPECT_TRUE(lock->write(""));
  EXPECT_EQ(lock->text(), "");
}

TEST_F(FileLockTest, AHolderThatLeavesInTimeIsWaitedFor) {
  auto first = taken();
  std::thread holder([&] { first.reset(); });
  EXPECT_TRUE(taken("", 60s));
  holder.join();
}

TEST_F(FileLockTest, AKilledHolderHoldsNothingAndItsTextIsLeftOver) {
  EXPECT_FALSE(FileLock::is_left_over(path_));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = taken(this_process() + "\n");
    (void)!::write(ready[1], lock ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_FALSE(FileLock::is_left_over(path_));
  EXPECT_THAT(first_line(refusal(path_).text),
              ::testing::StartsWith(std::to_string(child) + " on "));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::is_left_over(path_));
  EXPECT_TRUE(taken());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FileLockTest, WhoLooksSeesTheHolderWhileThereIsOne) {
  EXPECT_EQ(FileLock::holder(path_), std::nullopt) << "no file";
  {
    const auto lock = taken("me\n");
    EXPECT_EQ(FileLock::holder(path_), "me\n");
  }
  EXPECT_EQ(FileLock::holder(path_), std::nullopt) << "its text is still there";
  // Whoever takes it outlasts those who look.
  std::atomic<bool> done = false;
  std::thread looking([&] {
    while (!done) (void)FileLock::holder(path_);
  });
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(taken("", FileLock::kLookPatience * 50)) << i;
  done = true;
  looking.join();
}

TEST_F(FileLockTest, WhatCannotBeOpenedIsRefused) {
  const FileLock::Refused missing = refusal((folder_ / "no" / "lock").string());
  EXPECT_EQ(missing.obstacle, FileLock::Obstacle::kCannotOpen);
  EXPECT_EQ(missing.error, ENOENT);
  std::ofstream(folder_ / "other") << "precious";
  std::filesystem::create_symlink(folder_ / "other", path_);
  EXPECT_EQ(refusal(path_).error, ELOOP);
  EXPECT_FALSE(FileLock::is_left_over(path_));
}

}  // namespace
}  // namespace nightshift::ipc
