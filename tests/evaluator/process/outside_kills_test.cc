#include "evaluator/process/outside_kills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "search/telling_line.h"

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;

const ipc::ExitReport kFailed = ipc::Exited{1};
const std::string kOfGcc =
    "g++: fatal error: cannot execute 'as': vfork: Resource temporarily unavailable\n"
    "compilation terminated.\n";

TEST(OutsideKills, AProcessThatTheSystemRefusesACompilerIsTheMachinesAffair) {
  for (const std::string& words :
       {kOfGcc,
        std::string("g++: fatal error: cannot execute '/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus': "
                    "fork: Resource temporarily unavailable"),
        std::string("clang: error: unable to execute command: posix_spawn failed: Resource "
                    "temporarily unavailable"),
        std::string("clang++: error: unable to execute command: Couldn't fork: Resource "
                    "temporarily unavailable"),
        std::string("a warning\nmake: vfork: Resource temporarily unavailable\n"),
        std::string("sh: 1: Cannot fork\n"),
        std::string("bash: fork: retry: Resource temporarily unavailable"),
        std::string("ninja: fatal: posix_spawn: Resource temporarily unavailable"),
        std::string("LLVM ERROR: pthread_create failed: Resource temporarily unavailable")}) {
    EXPECT_TRUE(was_refused_processes(kFailed, words)) << words;
    EXPECT_FALSE(was_refused_processes(ipc::Exited{0}, words)) << words;
  }
}

TEST(OutsideKills, WhatASourceSaysIsNotTheMachinesAffair) {
  for (const char* words :
       {"", "\n", "k.cc:1:2: error: #error vfork: Resource temporarily unavailable",
        "k.cu(3): error: #error posix_spawn failed: Resource temporarily unavailable",
        "k.cc:7:3: error: 'fork' was not declared in this scope",
        "read: Resource temporarily unavailable"}) {
    EXPECT_FALSE(was_refused_processes(kFailed, words)) << words;
  }
}

// Nothing is waited for: the deadline has passed.
TEST(OutsideKills, WhoWasRefusedProcessesIsStartedAgainThreeTimesAndThenIsToldAsTheMachinesLack) {
  Unwatched unwatched;
  OutsideKills kills(/*own_limit=*/true);
  for (int again = 0; again < 3; ++again) {
    EXPECT_TRUE(kills.again(kFailed, kOfGcc, Clock::now(), unwatched)) << again;
  }
  EXPECT_FALSE(kills.again(kFailed, kOfGcc, Clock::now(), unwatched));
  const std::string told = kills.told("g++") + kOfGcc;
  EXPECT_TRUE(search::tells_of_no_process(told)) << told;
  EXPECT_THAT(told, HasSubstr("g++ was refused processes of its own 4 times"));
}

TEST(OutsideKills, OtherEndsAreTriedAsOftenAsBefore) {
  Unwatched unwatched;
  OutsideKills killed, starved, limited(true), wrong;
  const std::string words = "memory exhausted";
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(killed.again(ipc::Killed{9}, "", Clock::now(), unwatched));
    EXPECT_TRUE(starved.again(kFailed, words, Clock::now(), unwatched));
    EXPECT_EQ(limited.again(kFailed, words, Clock::now(), unwatched), again == 0);
  }
  EXPECT_FALSE(killed.again(ipc::Killed{9}, "", Clock::now(), unwatched));
  EXPECT_FALSE(starved.again(kFailed, words, Clock::now(), unwatched));
  EXPECT_FALSE(wrong.again(kFailed, "k.cc:1:1: error: no", Clock::now(), unwatched));
  EXPECT_EQ(wrong.told("g++"), "");
}

}  // namespace
}  // namespace nightshift::evaluator
