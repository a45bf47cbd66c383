#include "scheduler/pool/room_left.h"

#include <gtest/gtest.h>

#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

const search::BuildFailed kFull{"ld: final link failed: No space left on device"};

TEST(RoomLeft, AFailureForWantOfRoomIsTheConfigurationsWhereThereIsRoomAgain) {
  const tests::ScratchFolder folder;
  EXPECT_EQ(folder_without_room({folder / ""}, kFull), "");
}

// Nothing can be made there either.
TEST(RoomLeft, WhereNoFileCanBeMadeForAnotherReasonNothingIsKnown) {
  EXPECT_EQ(folder_without_room({"/proc/self"}, kFull), "");
}

TEST(RoomLeft, OtherFailuresAreNotLookedAt) {
  EXPECT_EQ(folder_without_room({"/dev/full"}, search::BuildFailed{"x.cc:1: a real mistake"}), "");
}

}  // namespace
}  // namespace nightshift::scheduler
