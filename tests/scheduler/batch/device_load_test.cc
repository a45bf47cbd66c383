#include "scheduler/batch/device_load.h"

#include <gtest/gtest.h>

namespace nightshift::scheduler {
namespace {

using namespace std::chrono_literals;

constexpr Clock::TimePoint kBegin{};

// Two devices: study 0 owns both, study 1 the second one as well.
struct Shared {
  std::vector<DeviceStanding> devices = std::vector<DeviceStanding>(2);
  std::vector<StudyStanding> studies = std::vector<StudyStanding>(3);
  DeviceLoad load{2, kBegin};

  Shared() {
    devices[0].owners = {0};
    devices[1].owners = {0, 1};
  }
  void until(Clock::TimePoint now, const DeviceLoad::AtWork& at_work,
             const DeviceLoad::AtWork& in_the_way = {std::nullopt, std::nullopt},
             const std::vector<DeviceLoad::Need>& needs = {}) {
    load.until(now, at_work, in_the_way, needs, devices, studies);
  }
};

TEST(DeviceLoad, ADeviceIsBusyWhileAnyoneMeasuresThere) {
  Shared shared;
  shared.until(kBegin + 2s, {0, std::nullopt});
  shared.until(kBegin + 5s, {2, 1});
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(0), 5);
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(1), 3);
  EXPECT_DOUBLE_EQ(shared.load.busy_share(1, 5), 0.6);
}

TEST(DeviceLoad, ALeaseBeginsAnewAndTheWholeGoesOn) {
  Shared shared;
  shared.until(kBegin + 2s, {0, 0});
  shared.load.begin_lease(1);
  EXPECT_DOUBLE_EQ(shared.load.busy_share(1, 0), 1) << "a lease that has not lasted is no idle one";
  EXPECT_DOUBLE_EQ(shared.load.busy_share(1, 2), 0);
  shared.until(kBegin + 3s, {std::nullopt, 1});
  EXPECT_DOUBLE_EQ(shared.load.busy_share(1, 2), 0.5);
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(1), 3);
}

TEST(DeviceLoad, OwnersShareWhatOthersMeasureByTheDevicesThatTheyHave) {
  Shared shared;
  shared.until(kBegin + 4s, {2, 1});  // a guest on the first, the second owner on the second
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 4) << "half of its devices for 4 s, twice";
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 0);
  EXPECT_DOUBLE_EQ(shared.studies[2].shared, 0) << "a guest owns nothing";
  shared.until(kBegin + 6s, {0, 0});
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 4);
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 2);
}

TEST(DeviceLoad, WhoMeasuresOnTheCoresOfADeviceHasTheTimeOfItsOwners) {
  Shared shared;
  shared.until(kBegin + 4s, {2, std::nullopt}, {std::nullopt, 2});
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 4) << "half of its devices for 4 s, twice";
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 4) << "its only device";
  EXPECT_DOUBLE_EQ(shared.studies[2].shared, 0);
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(1), 0);
  shared.until(kBegin + 6s, {1, std::nullopt}, {std::nullopt, 1});
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 4) << "its own evaluation is in nobody's way";
}

Device device(const std::string& node, const std::vector<int>& cores) {
  Device made;
  made.node = node;
  made.cores = cores;
  return made;
}

TEST(DeviceLoad, DevicesOfOneMachineAreInEachOthersWayByTheirCores) {
  const std::vector<Device> devices = {device("a", {0, 1}), device("a", {1}), device("a", {2}),
                                       device("b", {1}), device("b", {})};
  const std::optional<std::size_t> nobody;
  EXPECT_EQ(DeviceLoad::in_the_way({7, nobody, nobody, nobody, nobody}, devices),
            (DeviceLoad::AtWork{nobody, 7, nobody, nobody, nobody}));
  EXPECT_EQ(DeviceLoad::in_the_way({nobody, 3, nobody, nobody, 5}, devices),
            (DeviceLoad::AtWork{3, nobody, nobody, 5, nobody}))
      << "what is pinned nowhere is in all ways";
  EXPECT_EQ(DeviceLoad::in_the_way({4, 4, nobody, nobody, nobody}, devices), DeviceLoad::AtWork(5))
      << "both measure: it shares cores with none but itself";
}

TEST(DeviceLoad, TimeWithoutADeviceIsNotAStudysOwn) {
  Shared shared;
  for (StudyStanding& study : shared.studies) study.state = StudyStanding::State::kRunning;
  shared.studies[1].state = StudyStanding::State::kEnded;
  shared.devices[1].owners = {0};
  shared.until(kBegin + 4s, {0, 0});
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 0);
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 0);
  EXPECT_DOUBLE_EQ(shared.studies[2].shared, 4);
}

TEST(DeviceLoad, WhoNeedsADeviceWhereAnotherMeasuresLosesTheTimeWhole) {
  Shared shared;
  shared.devices[1].owners = {1};
  const std::vector<DeviceLoad::Need> needs = {{0, {0, 1}}};
  shared.until(kBegin + 3s, {std::nullopt, 1}, {std::nullopt, std::nullopt}, needs);
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 3) << "a guest there";
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 0);
  shared.until(kBegin + 4s, {1, 1}, {std::nullopt, std::nullopt}, needs);
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 4) << "once, however many devices it waits for";
  shared.until(kBegin + 5s, {std::nullopt, std::nullopt}, {std::nullopt, 1}, needs);
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 5) << "on cores of the device";
  shared.until(kBegin + 7s, {0, std::nullopt}, {std::nullopt, 0}, needs);
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 5) << "its own evaluation is in nobody's way";
}

// Two studies with a device each, which confirm on the other's.
TEST(DeviceLoad, WhatAStudyHasAsAGuestIsSetOffAgainstWhatOthersHaveOfIts) {
  Shared shared;
  shared.devices[0].owners = {0};
  shared.devices[1].owners = {1};
  shared.until(kBegin + 4s, {1, 1});
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 4);
  shared.until(kBegin + 7s, {0, 0});
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 3);
  EXPECT_DOUBLE_EQ(shared.studies[1].made_up, 0) << "it had 4 s of the other's";
  shared.until(kBegin + 9s, {0, 0});
  EXPECT_DOUBLE_EQ(shared.studies[1].made_up, 1);
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 4) << "a limit that was given is not taken back";
  shared.until(kBegin + 14s, {1, 1});
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 9);
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 4) << "it had 5 s of the other's by then";
}

TEST(DeviceLoad, WhoLeftADeviceIdleLosesNothingToTheNextOwner) {
  Shared shared;
  shared.devices[0].owners = {1, 2};
  shared.devices[1].owners = {0};
  shared.devices[0].was_left_idle = true;
  shared.until(kBegin + 2s, {2, 0});
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 0);
  shared.until(kBegin + 5s, {1, 0});
  EXPECT_DOUBLE_EQ(shared.studies[2].shared, 3) << "which has what is left of it";
  shared.until(kBegin + 9s, {0, std::nullopt});
  EXPECT_DOUBLE_EQ(shared.studies[1].shared, 4) << "a guest is another matter";
}

TEST(DeviceLoad, WaitsAreMadeUpForWhateverAStudyHadAsAGuest) {
  Shared shared;
  shared.devices[0].owners = {0};
  shared.devices[1].owners = {1};
  shared.until(kBegin + 5s, {0, 0});
  shared.until(kBegin + 8s, {std::nullopt, 1}, {std::nullopt, std::nullopt}, {{0, {1}}});
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 3);
}

TEST(DeviceLoad, AnOwnerOfTwoDevicesHasHalfOfItsTimeOnAThird) {
  Shared shared;
  shared.load.add_device();
  shared.devices = std::vector<DeviceStanding>(3);
  shared.devices[0].owners = shared.devices[1].owners = {0};
  shared.devices[2].owners = {1};
  const DeviceLoad::AtWork nobody(3);
  shared.until(kBegin + 4s, {std::nullopt, std::nullopt, 0}, nobody);
  shared.until(kBegin + 9s, {1, std::nullopt, std::nullopt}, nobody);
  EXPECT_DOUBLE_EQ(shared.studies[0].shared, 2.5);
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 0.5);
}

TEST(DeviceLoad, WhatWasMadeUpForInEarlierRunsIsAddedTo) {
  Shared shared;
  shared.studies[0].made_up = 5;
  shared.until(kBegin + 3s, {1, std::nullopt}, {std::nullopt, std::nullopt}, {{0, {0}}});
  EXPECT_DOUBLE_EQ(shared.studies[0].made_up, 8);
  EXPECT_DOUBLE_EQ(shared.studies[1].made_up, 0);
}

TEST(DeviceLoad, ADeviceThatJoinsHasDoneNothing) {
  Shared shared;
  shared.until(kBegin + 1s, {0, 0});
  shared.load.add_device();
  shared.devices.emplace_back().owners = {1};
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(2), 0);
  shared.until(kBegin + 2s, {std::nullopt, std::nullopt, 1});
  EXPECT_DOUBLE_EQ(shared.load.busy_seconds(2), 1);
}

}  // namespace
}  // namespace nightshift::scheduler
