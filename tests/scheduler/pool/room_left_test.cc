#include "scheduler/pool/room_left.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "search/telling_line.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

const search::BuildFailed kFull{"ld: final link failed: No space left on device"};

TEST(RoomLeft, AFailureForWantOfRoomIsTheConfigurationsWhereThereIsRoomAgain) {
  const tests::ScratchFolder folder;
  EXPECT_EQ(lack_of_machine({folder / ""}, kFull), "");
}

// Nothing can be made there either.
TEST(RoomLeft, WhereNoFileCanBeMadeForAnotherReasonNothingIsKnown) {
  EXPECT_EQ(lack_of_machine({"/proc/self"}, kFull), "");
}

TEST(RoomLeft, OtherFailuresAreNotLookedAt) {
  EXPECT_EQ(lack_of_machine({"/dev/full"}, search::BuildFailed{"x.cc:1: a real mistake"}), "");
}

TEST(RoomLeft, ThatNoProcessCanBeStartedIsTheMachinesAffair) {
  const std::string refused =
      std::string(search::kNoProcess) + ": fork: Resource temporarily unavailable";
  EXPECT_THAT(lack_of_machine({}, search::LaunchFailed{refused}), testing::StartsWith(refused));
  EXPECT_THAT(lack_of_machine({}, search::BuildFailed{"g++ cannot be started: " + refused}),
              testing::StartsWith("g++ cannot be started: " + refused));
  EXPECT_EQ(
      lack_of_machine({}, search::BuildFailed{"k.cc:1: error: g++ cannot be started: " + refused}),
      "")
      << "a source's own words";
  EXPECT_EQ(lack_of_machine({}, search::LaunchFailed{"it said: " + refused}), "");
  EXPECT_EQ(lack_of_machine({}, search::LaunchFailed{"No such file or directory"}), "");
}

}  // namespace
}  // namespace nightshift::scheduler
