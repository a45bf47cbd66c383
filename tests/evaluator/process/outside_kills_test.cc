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

TEST(OutsideKills, WhoeverStartedWhatWasKilledTellsItInWordsOfItsOwn) {
  for (const char* words :
       {"g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
        "gcc: internal compiler error: Killed (program cc1)\nPlease submit a full bug report",
        "collect2: fatal error: ld terminated with signal 9 [Killed]",
        "clang: error: unable to execute command: Killed",
        "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
        "nvc-Fatal-/opt/nvidia/cpp1 TERMINATED by signal 9",
        "cc main.c\nmake: *** [Makefile:2: /s/builds/1/prog] Killed\n",
        "make[1]: *** [prog] Terminated\nmake: *** [Makefile:1: all] Error 2",
        "make: *** [Makefile:2: prog] Error 137", "scons: *** [main.o] Error -9",
        "FAILED: [code=137] main.o\ncc -c main.c", "Killed\n",
        "./build.sh: line 3: 4711 Killed                  gcc -c main.c",
        "subprocess.CalledProcessError: Command '['cc', '-DA(1)']' died with <Signals.SIGKILL: 9>.",
        "subprocess.CalledProcessError: Command 'cc' returned non-zero exit status 137.",
        "error: command '/usr/bin/gcc' failed with exit code -9",
        "error: could not compile `m`\n  process didn't exit successfully: `rustc` (signal: 9, "
        "SIGKILL)",
        "m: /usr/lib/go/compile: signal: killed"}) {
    EXPECT_TRUE(was_killed(kFailed, words)) << words;
    EXPECT_FALSE(was_killed(ipc::Exited{0}, words)) << words;
  }
  EXPECT_TRUE(was_killed(ipc::Exited{128 + 9}, ""));
}

TEST(OutsideKills, AnErrorOfTheSourceOrACrashOfTheCompilerIsNoKill) {
  for (const char* words :
       {"", "k.cc:1:2: error: #error Killed (program cc1)",
        "k.cu(3): error: #error make: *** [x] Killed",
        "    7 | #error died with <Signals.SIGKILL: 9>", "make: *** [Makefile:2: prog] Error 1",
        "make: *** [Makefile:2: Killed] Error 2", "make: *** [Makefile:2: prog] Error 130",
        "make: *** [Makefile:2: prog] Segmentation fault",
        "g++: internal compiler error: Segmentation fault signal terminated program cc1plus",
        "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)",
        "collect2: fatal error: ld terminated with signal 11 [Segmentation fault]",
        "Command 'cc' returned non-zero exit status 1.",
        "Command 'cc' died with <Signals.SIGSEGV: 11>.", "FAILED: [code=1] main.o",
        "error: 'Killed' was not declared in this scope"}) {
    EXPECT_FALSE(was_killed(kFailed, words)) << words;
  }
  EXPECT_FALSE(was_killed(ipc::Exited{128 + 2}, ""));
  EXPECT_FALSE(was_killed(ipc::Killed{11}, ""));
}

}  // namespace
}  // namespace nightshift::evaluator
