#include "scheduler/devices/device_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class DeviceLockTest : public ::testing::Test {
 protected:
  DeviceLockTest() {
    std::string name = (std::filesystem::temp_directory_path() / "nightshift-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    folder_ = name;
  }
  ~DeviceLockTest() override { std::filesystem::remove_all(folder_); }

  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const DeviceError& e) {
      return e.what();
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

// Devices of one batch: a program on all cores, and a kernel on one of them.
TEST_F(DeviceLockTest, ACoreThatTwoDevicesOfOneRunShareIsLockedOnce) {
  ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  const std::vector<Device> devices{{"node", "cpu:0-1", "cpu", {0, 1}},
                                    {"node", "cpu:1", "cpu", {1}}};
  EXPECT_EQ(lock_devices(devices, "batch").size(), 2U);
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(DeviceLockTest, TheSecondIsToldWhoTheFirstIs) {
  const std::string folder = (folder_ / "locks").string();
  {
    const DeviceLock first("GPU-1", {folder});
    const DeviceLock other("GPU-2", {folder});
    const std::string error = error_of([&] { DeviceLock("GPU-1", {folder}); });
    EXPECT_THAT(error, AllOf(HasSubstr("measures on GPU-1 (process " + std::to_string(::getpid())),
                             HasSubstr("--devices")));
  }
  EXPECT_EQ(error_of([&] { DeviceLock("GPU-1", {folder}); }), "no error");
}

TEST_F(DeviceLockTest, CoresHaveOneEachAndWhoLooksIsToldWhatItIsFor) {
  ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  const Device one{"n", "cpu:1", "", {1}};
  const Device two{"n", "cpu:0-1", "", {0, 1}};
  const Device recorded{"n", "recorded:x", "", {}};
  EXPECT_EQ(holder_of(one), std::nullopt);
  {
    const auto locks = lock_devices({one, recorded}, "sgemm\nof two lines");
    EXPECT_EQ(locks.size(), 1U);
    EXPECT_EQ(holder_of(one), ipc::this_process() + ", sgemm");
    EXPECT_EQ(holder_of(two), holder_of(one));
    EXPECT_EQ(holder_of(recorded), std::nullopt);
    const std::string error = error_of([&] { (void)lock_devices({two}, ""); });
    EXPECT_THAT(error, AllOf(HasSubstr("measures on core 1 (process"), HasSubstr("sgemm)")));
    // What was taken of the second is free again.
    EXPECT_EQ(holder_of({"n", "cpu:0", "", {0}}), std::nullopt);
  }
  EXPECT_EQ(holder_of(one), std::nullopt);
  EXPECT_EQ(error_of([&] { (void)lock_devices({two}, ""); }), "no error");
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(DeviceLockTest, AKilledHolderHoldsNothing) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const DeviceLock lock("GPU-1", {folder_.string()});
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(error_of([&] { DeviceLock("GPU-1", {folder_.string()}); }),
              HasSubstr("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(error_of([&] { DeviceLock("GPU-1", {folder_.string()}); }), "no error");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DeviceLockTest, InASharedFolderUsersSeeEachOther) {
  const LockPlace all{folder_.string(), true};
  const DeviceLock first("GPU-1", all, "rmsnorm");
  const std::filesystem::path file = folder_ / "nightshift-GPU-1.lock";
  using std::filesystem::perms;
  constexpr perms kByAll = perms::owner_read | perms::owner_write | perms::group_read |
                           perms::group_write | perms::others_read | perms::others_write;
  EXPECT_EQ(std::filesystem::status(file).permissions(), kByAll);
  EXPECT_THAT(
      error_of([&] { DeviceLock("GPU-1", all); }),
      AllOf(HasSubstr(std::to_string(::getpid())), HasSubstr(" of "), HasSubstr("rmsnorm")));
}

TEST_F(DeviceLockTest, AFileThatWeMayOnlyReadLocksAllTheSame) {
  const LockPlace all{folder_.string(), true};
  const std::filesystem::path file = folder_ / "nightshift-GPU-1.lock";
  std::ofstream(file) << "4711 on here of alice\x1b[2J\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  const DeviceLock first("GPU-1", all);
  EXPECT_THAT(error_of([&] { DeviceLock("GPU-1", all); }), HasSubstr("measures on GPU-1"));
}

TEST_F(DeviceLockTest, WhatSomebodyPutInPlaceOfASharedLockIsRefusedAndNotWritten) {
  const LockPlace all{folder_.string(), true};
  const std::filesystem::path victim = folder_ / "victim";
  std::ofstream(victim) << "precious";
  const std::filesystem::path file = folder_ / "nightshift-GPU-1.lock";
  const auto refused = [&] {
    const std::string error = error_of([&] { DeviceLock("GPU-1", all); });
    std::filesystem::remove(file);
    return error;
  };
  std::filesystem::create_symlink(victim, file);
  EXPECT_THAT(refused(), HasSubstr("cannot be opened"));
  std::filesystem::create_symlink(folder_ / "nothing", file);
  EXPECT_THAT(refused(), HasSubstr("cannot be opened"));
  std::filesystem::create_hard_link(victim, file);
  EXPECT_THAT(refused(), HasSubstr("cannot be opened"));
  ASSERT_EQ(::mkfifo(file.c_str(), 0666), 0);
  EXPECT_THAT(refused(), HasSubstr("cannot be opened"));
  std::filesystem::create_directory(file);
  EXPECT_THAT(refused(), HasSubstr("cannot be opened"));
  EXPECT_EQ(std::filesystem::file_size(victim), 8U);
}

TEST_F(DeviceLockTest, AFolderThatIsChosenKeepsRunsApartAndThatOfALoginDoesNot) {
  ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  EXPECT_EQ(lock_place().folder, folder_.string() + "/nightshift");
  EXPECT_FALSE(lock_place().shared);
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_TRUE(lock_place().shared);
  EXPECT_THAT(lock_place().folder, ::testing::AnyOf("/run/lock", "/tmp"));
}

TEST_F(DeviceLockTest, AFolderThatOthersCouldHaveMadeIsRefused) {
  std::filesystem::create_directory_symlink(folder_, folder_ / "link");
  EXPECT_THAT(error_of([&] { DeviceLock("GPU-1", {(folder_ / "link").string()}); }),
              HasSubstr("no folder of ours alone"));
  std::filesystem::create_directory(folder_ / "open");
  std::filesystem::permissions(folder_ / "open", std::filesystem::perms::all);
  EXPECT_THAT(error_of([&] { DeviceLock("GPU-1", {(folder_ / "open").string()}); }),
              HasSubstr("no folder of ours alone"));
}

// --- Who waits ---

class DevicePlaceTest : public DeviceLockTest {
 protected:
  DevicePlace waits(std::vector<int> cores, const std::string& purpose) const {
    return DevicePlace({{"node", "cpu", "cpu", std::move(cores)}}, place_, purpose);
  }
  std::string first(std::vector<int> cores) const {
    return who_waits_for({{"node", "cpu", "cpu", std::move(cores)}}, place_);
  }

  const LockPlace place_{(folder_ / "locks").string()};
};

TEST_F(DevicePlaceTest, ThoseWhoWaitHaveTheirTurnInTheOrderOfArrival) {
  std::optional<DevicePlace> first = waits({1}, "first"), second = waits({1}, "second");
  const DevicePlace third = waits({1}, "third");
  EXPECT_EQ(first->ahead(), "");
  EXPECT_THAT(second->ahead(), HasSubstr(", first"));
  EXPECT_THAT(third.ahead(), HasSubstr(", first"));
  first.reset();  // it has the device, or waits no more
  EXPECT_EQ(second->ahead(), "");
  EXPECT_THAT(third.ahead(), HasSubstr(", second"));
  first = waits({1}, "once more");
  EXPECT_THAT(first->ahead(), HasSubstr(", second")) << "its place was given up";
  second.reset();
  EXPECT_EQ(third.ahead(), "");
}

TEST_F(DevicePlaceTest, OnlyThoseAreAheadWhoWaitForTheSame) {
  const DevicePlace one = waits({1, 2}, "one"), other = waits({3}, "other");
  const DevicePlace both = waits({2, 3}, "both");
  EXPECT_EQ(other.ahead(), "");
  EXPECT_THAT(both.ahead(), HasSubstr(", one"));
}

TEST_F(DevicePlaceTest, WhoDoesNotWaitIsToldWhoDoes) {
  EXPECT_EQ(first({1}), "");
  const DevicePlace waiting = waits({1}, "sgemm\nof two lines");
  EXPECT_EQ(first({1}), ipc::this_process() + ", sgemm");
  EXPECT_EQ(first({2}), "");
}

TEST_F(DevicePlaceTest, AKilledOneHasNoPlaceAnyMore) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const DevicePlace place = waits({1}, "killed");
    (void)!::write(ready[1], "x", 1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(first({1}), HasSubstr("killed"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(first({1}), "");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DevicePlaceTest, WhereAllPlacesAreTakenNobodyIsKeptOut) {
  std::vector<DevicePlace> all;
  for (int i = 0; i < 70; ++i) all.push_back(waits({1}, "many"));
  EXPECT_THAT(all.back().ahead(), HasSubstr("many"));
  all.erase(all.begin(), all.begin() + 64);
  EXPECT_EQ(all.back().ahead(), "");
}

}  // namespace
}  // namespace nightshift::scheduler
