#include "evaluator/process/memory_limit.h"

#include <gtest/gtest.h>

#include <csignal>

namespace nightshift::evaluator {
namespace {

using search::Crashed;

Crashed crash(Crashed::Cause cause, int code, const std::string& words) {
  Crashed crash;
  crash.phase = search::Phase::kMeasure;
  crash.cause = cause;
  crash.code = code;
  crash.last_words = words;
  return crash;
}

TEST(MemoryLimit, IsNamedWhereAProgramSaysThatMemoryWasShort) {
  EXPECT_EQ(search::describe(with_memory_limit(
                crash(Crashed::Cause::kExitCode, 1, "Traceback\n  line 3\nMemoryError"), 4096)),
            "exited with code 1 while measuring: error: MemoryError; the limit is limits.memory, "
            "4096 bytes");
  const std::string compiler = "cc1plus: out of memory allocating 65536 bytes";
  EXPECT_EQ(with_memory_limit(compiler, 4096),
            "error: " + compiler + "; the limit is limits.memory, 4096 bytes\n" + compiler);
}

TEST(MemoryLimit, OfADeathWithoutWordsItMayBeWhy) {
  for (const auto& end : {crash(Crashed::Cause::kSignal, SIGSEGV, ""),
                          crash(Crashed::Cause::kExitCode, 128 + SIGABRT, "")}) {
    EXPECT_EQ(with_memory_limit(end, 4096).last_words,
              "error: perhaps for want of memory: limits.memory, 4096 bytes\n");
  }
}

TEST(MemoryLimit, OtherEndsAndThoseWithoutALimitAreAsTheyWere) {
  for (const auto& end : {crash(Crashed::Cause::kSignal, SIGKILL, ""),
                          crash(Crashed::Cause::kExitCode, 1, "no such file"),
                          crash(Crashed::Cause::kCorruptReply, SIGSEGV, "")}) {
    EXPECT_EQ(with_memory_limit(end, 4096).last_words, end.last_words);
  }
  EXPECT_EQ(with_memory_limit(crash(Crashed::Cause::kSignal, SIGSEGV, "MemoryError"), 0).last_words,
            "MemoryError");
  EXPECT_EQ(with_memory_limit("error: no such file", 4096), "error: no such file");
}

}  // namespace
}  // namespace nightshift::evaluator
