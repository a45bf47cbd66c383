#include "scheduler/study/study_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Four devices of two kinds, all of which were measured.
class Devices : public ::testing::Test {
 protected:
  Devices() : devices(problem) {
    for (const char* key : {"d0", "d1", "d2", "d3"}) {
      devices.add(key, key[1] < '2' ? "fast" : "slow", false);
    }
  }
  void measure(DeviceIndex device) {
    devices.care().baseline_started(device);
    devices.care().baseline_succeeded(device, Clock::TimePoint(), 1);
  }

  search::Problem problem;
  StudyDevices devices;
};

TEST_F(Devices, AreAwaitedUntilEachOwnedOneHasItsBaseline) {
  for (DeviceIndex d = 0; d < 3; ++d) measure(d);
  EXPECT_TRUE(devices.any_awaited());
  EXPECT_THAT(devices.ready(), ElementsAre("d0", "d1", "d2"));
  devices.care().set_access(3, DeviceAccess::kNone);
  EXPECT_FALSE(devices.any_awaited());
}

TEST_F(Devices, ThatAreOwnedConfirmAndGuestsAreAddedUpToTheUsualNumber) {
  devices.care().set_access(1, DeviceAccess::kNone);
  devices.care().set_access(2, DeviceAccess::kNone);
  devices.care().set_access(3, DeviceAccess::kNone);
  EXPECT_THAT(devices.for_confirmations(0), ElementsAre("d0"));
  EXPECT_THAT(devices.for_confirmations(2), ElementsAre("d0", "d1", "d2"));
  devices.care().set_away(1);
  EXPECT_THAT(devices.for_confirmations(2), ElementsAre("d0", "d2", "d3"));
  devices.care().set_access(0, DeviceAccess::kNone);
  EXPECT_THAT(devices.for_confirmations(2), IsEmpty()) << "guests alone confirm nothing";
}

TEST_F(Devices, StandBesideThoseOfTheirKind) {
  EXPECT_THAT(devices.by_kind({"d0", "d2", "d3"}),
              ElementsAre(Pair("fast", ElementsAre("d0")), Pair("slow", ElementsAre("d2", "d3"))));
}

TEST(StudyDevices, AreEnoughWhereSoManyAreInServiceAsAcceptanceNeeds) {
  search::Problem problem;
  problem.acceptance.devices_least = 2;
  StudyDevices devices(problem);
  devices.add("d0", "", false);
  EXPECT_FALSE(devices.are_enough());
  devices.add("d1", "", false);
  EXPECT_TRUE(devices.are_enough());
  devices.care().retire(0);
  EXPECT_FALSE(devices.are_enough());
}

}  // namespace
}  // namespace nightshift::scheduler
