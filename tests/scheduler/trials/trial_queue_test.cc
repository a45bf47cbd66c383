#include "scheduler/trials/trial_queue.h"

#include <gtest/gtest.h>

#include <optional>

namespace nightshift::scheduler {
namespace {

using search::JobKind;
using search::TrialId;

TEST(TrialQueue, ServesByKindAndFirstComeFirstServed) {
  TrialQueue queue;
  queue.push({1}, JobKind::kExplore, "");
  queue.push({2}, JobKind::kExplore, "");
  queue.push({3}, JobKind::kExplore, "", true);
  EXPECT_EQ(queue.take(JobKind::kBaseline, "n/0"), std::nullopt);
  EXPECT_EQ(queue.take(JobKind::kExplore, "n/0"), TrialId{3});
  EXPECT_EQ(queue.take(JobKind::kExplore, "n/0"), TrialId{1});
  EXPECT_EQ(queue.size(), 1U);
}

TEST(TrialQueue, WhatIsForOneDeviceIsTakenByNoOther) {
  TrialQueue queue;
  queue.push({1}, JobKind::kConfirm, "n/1");
  queue.push({2}, JobKind::kConfirm, "");
  EXPECT_EQ(queue.take(JobKind::kConfirm, "n/0"), TrialId{2});
  queue.withdraw("n/1");
  EXPECT_TRUE(queue.empty());
}

TEST(TrialQueue, ATrialIsWithdrawnWhereverItWaits) {
  TrialQueue queue;
  queue.push({1}, JobKind::kExplore, "");
  queue.push({2}, JobKind::kConfirm, "n/1");
  queue.push_suspect({3});
  queue.withdraw(TrialId{1});
  EXPECT_EQ(queue.take(JobKind::kExplore, "n/0"), std::nullopt);
  queue.withdraw(TrialId{2});
  queue.withdraw(TrialId{3});
  queue.withdraw(TrialId{4});
  EXPECT_TRUE(queue.empty());
}

TEST(TrialQueue, SuspectsComeWhereNothingElseWaits) {
  TrialQueue queue;
  queue.push_suspect({1});
  queue.push({2}, JobKind::kExplore, "");
  EXPECT_EQ(queue.take_suspect("n/0"), std::nullopt);
  (void)queue.take(JobKind::kExplore, "n/0");
  EXPECT_EQ(queue.take_suspect("n/0"), TrialId{1});
  queue.push_suspect({5});
  queue.clear(JobKind::kExplore);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace nightshift::scheduler
