#include "tools/ward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/orphans.h"
#include "scheduler/devices/environment_facts.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ne;

class WardTest : public ::testing::Test {
 protected:
  WardTest() {
    if (const char* before = std::getenv(ipc::kRunMark)) before_ = before;
  }
  ~WardTest() override {
    if (before_) {
      ::setenv(ipc::kRunMark, before_->c_str(), 1);
    } else {
      ::unsetenv(ipc::kRunMark);
    }
  }

  static std::string mark_here() {
    const char* mark = std::getenv(ipc::kRunMark);
    return mark == nullptr ? "none" : mark;
  }

  std::optional<std::string> before_;
};

TEST_F(WardTest, WhateverIsStartedHasTheMarkWhileAWardOfAllLives) {
  ::unsetenv(ipc::kRunMark);
  {
    const WardOfAll ward;
    const std::string mark = mark_here();
    EXPECT_EQ(mark.size(), ipc::fresh_run_mark().size());
    ipc::SpawnOptions options;
    options.program = "printenv";
    options.arguments = {ipc::kRunMark};
    ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
    ASSERT_TRUE(scheduler::ends_within(child, 60));
    EXPECT_EQ(child.standard_output(), mark + "\n");
  }
  EXPECT_EQ(mark_here(), "none");
}

TEST_F(WardTest, TheMarkOfTheRunAroundComesBack) {
  ::setenv(ipc::kRunMark, "around", 1);
  {
    const WardOfAll ward;
    EXPECT_NE(mark_here(), "around");
  }
  EXPECT_EQ(mark_here(), "around");
}

TEST_F(WardTest, TheEnvironmentOfThisProcessIsLeftToWhoGivesTheMarkHimself) {
  ::setenv(ipc::kRunMark, "around", 1);
  const Ward one, other;
  EXPECT_THAT((std::vector{one.mark(), other.mark()}), Each(AllOf(Ne("around"), Ne(""))));
  EXPECT_NE(one.mark(), other.mark());
  EXPECT_EQ(mark_here(), "around");
}

}  // namespace
}  // namespace nightshift::tools
