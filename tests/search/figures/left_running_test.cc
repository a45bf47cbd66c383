#include "search/figures/left_running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ProcessNames told_again(const ProcessNames& names) {
  Measurement measurement;
  measurement.conditions = {{std::string(kLeftRunningCondition), words_of(names)}};
  return left_running_in(measurement);
}

TEST(LeftRunning, NamesAreReadAsTheyWereTold) {
  EXPECT_THAT(told_again({"worker", "ssh-agent"}), ElementsAre("ssh-agent", "worker"));
  EXPECT_THAT(left_running_in({}), IsEmpty());
}

// A process may call itself anything.
TEST(LeftRunning, NoNameIsTwo) {
  EXPECT_THAT(told_again({"a, b\n", "kworker/0:1"}), ElementsAre("a__b_", "kworker/0:1"));
}

TEST(LeftRunning, WhatIsUsualIsNothingMore) {
  EXPECT_THAT(beyond({"a", "b"}, {"b", "c"}), ElementsAre("a"));
  EXPECT_THAT(beyond({"b"}, {"b", "c"}), IsEmpty());
}

TEST(LeftRunning, ItIsSaidWhoLeftWhatAndWhatToDo) {
  EXPECT_THAT(left_running_words("./x", {"sleep"}), HasSubstr("./x left sleep running"));
  EXPECT_THAT(left_running_complaint("it", {"sleep"}, "the baseline"),
              AllOf(HasSubstr("it left sleep running behind its end, which the baseline does not"),
                    HasSubstr("wait")));
}

}  // namespace
}  // namespace nightshift::search
