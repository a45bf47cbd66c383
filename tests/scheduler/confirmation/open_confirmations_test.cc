#include "scheduler/confirmation/open_confirmations.h"

#include <gtest/gtest.h>

#include <memory>

namespace nightshift::scheduler {
namespace {

class Open : public ::testing::Test {
 protected:
  void begin(std::uint64_t id, Purpose purpose = Purpose::kDuel) {
    ConfirmationSetup setup;
    setup.id = {id};
    setup.purpose = purpose;
    setup.candidate = {10 * id};
    setup.devices = {"d0", "d1"};
    open.open(std::make_unique<Confirmation>(setup, search::AcceptanceSettings{}, 1));
  }
  std::uint64_t current() const {
    return open.current() == nullptr ? 0 : open.current()->id().value;
  }

  OpenConfirmations open;
};

TEST_F(Open, OneThatIsOpenedSetsTheCurrentOneAside) {
  EXPECT_EQ(current(), 0U);
  begin(1);
  EXPECT_FALSE(open.any_aside());
  begin(2);
  EXPECT_EQ(current(), 2U);
  ASSERT_EQ(open.aside().size(), 1U);
  EXPECT_EQ(open.aside().front()->id().value, 1U);
}

TEST_F(Open, OneThatGoesOnTakesThePlaceOfTheCurrentOne) {
  begin(1);
  begin(2);
  open.go_on({1});
  EXPECT_EQ(current(), 1U);
  EXPECT_EQ(open.aside().front()->id().value, 2U);
  open.go_on({9});
  EXPECT_EQ(current(), 1U);
}

TEST_F(Open, WhatIsClosedIsFoundNoMore) {
  begin(1);
  begin(2);
  EXPECT_EQ(open.close()->id().value, 2U);
  EXPECT_EQ(current(), 0U);
  EXPECT_EQ(open.find({2}), nullptr);
  EXPECT_NE(open.find({1}), nullptr);
}

TEST_F(Open, ADuelIsFoundByItsCandidateWhereverItStands) {
  begin(1);
  begin(2);
  begin(3, Purpose::kHoldOut);
  ASSERT_NE(open.duel_of({10}), nullptr);
  EXPECT_EQ(open.duel_of({10})->id().value, 1U);
  EXPECT_EQ(open.duel_of({30}), nullptr);
}

TEST_F(Open, ADeviceThatLeavesIsDroppedFromAllOfThem) {
  begin(1);
  begin(2);
  ASSERT_TRUE(open.find({1})->next("d0"));
  ASSERT_TRUE(open.find({2})->next("d0"));
  open.drop("d0");
  EXPECT_FALSE(open.find({1})->next("d0"));
  EXPECT_FALSE(open.find({2})->next("d0"));
}

}  // namespace
}  // namespace nightshift::scheduler
