#include "scheduler/devices/device_use.h"

#include <gtest/gtest.h>

#include "scheduler/devices/device_lock.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

constexpr const char* kBefore =
    "cpu  100 0 0 100 0 0 0 0 0 0\n"
    "cpu0 50 10 20 100 5 1 2 3 0 0\n"
    "cpu12 1 2 3 4 5 6 7 8 9 10\n"
    "intr 1 2 3\n";

TEST(DeviceUse, ReadsTheTimeOfEachCore) {
  const auto times = DeviceUse::core_times(kBefore);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times.at(0).busy, 50 + 10 + 20 + 1 + 2 + 3);
  EXPECT_EQ(times.at(0).all, 50 + 10 + 20 + 100 + 5 + 1 + 2 + 3);
  EXPECT_EQ(times.at(12).busy, 1 + 2 + 3 + 6 + 7 + 8);
}

TEST(DeviceUse, BearsWhatIsNoTableOfCores) {
  EXPECT_TRUE(DeviceUse::core_times("").empty());
  EXPECT_TRUE(DeviceUse::core_times("cpux 1 2\ncpu-1 3 4\n\n\ncpu").empty());
  EXPECT_EQ(DeviceUse::core_times("cpu3 7\n").at(3).all, 7);
}

TEST(DeviceUse, TellsWhoHoldsALock) {
  const Device core{"here", "cpu:4711", "a core", {4711}};
  DeviceUse use({core}, "/nowhere/evaluator");
  EXPECT_EQ(use.look(), "");
  const DeviceLock lock(core_lock_name(4711), lock_place(), "a test");
  EXPECT_NE(use.look().find("another nightshift measures on cpu:4711"), std::string::npos);
}

// Looks that come one after the other, a second apart.
struct Looks {
  std::vector<std::string> users;
  std::vector<std::string> said;
  std::size_t next = 0;
  DevicePatience patience(double seconds) {
    return {seconds, [this] { return next < users.size() ? users[next++] : ""; },
            [this](const std::string& user) { said.push_back(user); }, [] { return 1.0; }};
  }
};

TEST(DeviceUse, IsWaitedForAndEachUserIsToldOnce) {
  Looks looks{{"a has it", "a has it", "b has it", "a has it"}, {}};
  wait_until_free(looks.patience(60));
  EXPECT_EQ(looks.said, (std::vector<std::string>{"a has it", "b has it", "a has it"}));
}

TEST(DeviceUse, IsNotWaitedForLongerThanWasSaid) {
  Looks looks{std::vector<std::string>(10, "a has it"), {}};
  try {
    wait_until_free(looks.patience(3));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "a has it: it was waited for in vain");
  }
  EXPECT_EQ(looks.next, 3U);
}

}  // namespace
}  // namespace nightshift::scheduler
