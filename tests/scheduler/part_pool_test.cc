#include "scheduler/part_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_shared_pool.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::scheduler {
namespace {

using ::testing::ElementsAre;

// Two of three devices, the last one first.
class PartPoolTest : public ::testing::Test {
 protected:
  PartPoolTest() {
    shared.answer = [](const Job&) { return std::pair(JobEnded{}, 1.0); };
    part.emplace(shared, PoolStudy{}, std::vector<DeviceIndex>{2, 0});
  }
  static Job job(std::uint64_t trial, DeviceIndex device) {
    Job made;
    made.trial = search::TrialId{trial};
    made.device = device;
    made.request = ipc::EvaluateRequest{};
    return made;
  }
  // The next that is something.
  PoolEvent next() {
    for (int i = 0; i < 10; ++i) {
      PoolEvent event = part->wait(std::nullopt);
      if (!std::holds_alternative<Nothing>(event)) return event;
    }
    return Nothing{};
  }

  fakes::FakeClock clock;
  fakes::FakeSharedPool shared{clock, 3, 1};
  std::optional<PartPool> part;
};

TEST_F(PartPoolTest, ItsDevicesHaveItsOwnNumbers) {
  std::vector<std::string> names;
  for (const Device& device : part->devices()) names.push_back(device.uuid);
  EXPECT_THAT(names, ElementsAre("fake:2", "fake:0"));
  EXPECT_EQ(shared.opened, 2);
  part->start(job(7, 0));
  EXPECT_FALSE(part->can_measure(0));
  EXPECT_TRUE(part->can_measure(1));
  EXPECT_EQ(shared.measured.at(0).job.device, 2U);
  const PoolEvent event = next();
  ASSERT_TRUE(std::holds_alternative<JobEnded>(event));
  EXPECT_EQ(std::get<JobEnded>(event).device, DeviceIndex{0});
  EXPECT_EQ(std::get<JobEnded>(event).trial.value, 7U);
  part->retire(1, "gone");
  EXPECT_FALSE(part->can_measure(1));
}

TEST_F(PartPoolTest, WhatIsOfOtherDevicesOrStudiesIsNothing) {
  const StudyIndex own = 0;
  shared.injected = {{0, {{}, DeviceJoined{3}}},
                     {0, {{}, DeviceAway{1, "another's"}}},
                     {0, {{}, DeviceBack{1}}},
                     {0, {own + 1, DeviceFailed{0, "of another study"}}},
                     {0, {{}, DeviceAway{0, "ours"}}},
                     {0, {{}, DeviceBack{2}}},
                     {0, {own, DeviceFailed{2, "ours too"}}},
                     {0, {{}, Notice{"to all"}}}};
  const PoolEvent away = next(), back = next(), failed = next(), notice = next();
  EXPECT_EQ(std::get<DeviceAway>(away).device, 1U);
  EXPECT_EQ(std::get<DeviceAway>(away).reason, "ours");
  EXPECT_EQ(std::get<DeviceBack>(back).device, 0U);
  EXPECT_EQ(std::get<DeviceFailed>(failed).device, 0U);
  EXPECT_EQ(std::get<Notice>(notice).text, "to all");
  EXPECT_EQ(part->devices().size(), 2U) << "who joins is for the next one";
}

TEST_F(PartPoolTest, ItLeavesNothingBehind) {
  part->start(job(7, 0));
  part.reset();
  EXPECT_EQ(shared.dismissed, 1);
  EXPECT_FALSE(shared.is_measuring(0, 2));
}

}  // namespace
}  // namespace nightshift::scheduler
