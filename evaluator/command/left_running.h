#pragma once

#include <sys/types.h>

#include "evaluator/process/launched_child.h"
#include "search/figures/left_running.h"

namespace nightshift::evaluator {

// What outlived a program.
struct LeftRunning {
  bool any = false;            // there was something, which may be there still
  search::ProcessNames names;  // of what went on; empty where all of it ended within a moment
  Clock::time_point end;       // of the last of it; of the program itself where some went on
};

// Waits a moment for what `program`, which ended at `ended` and was not reaped, has left: the rest of
// a pipeline and helpers of an interpreter end by themselves, right behind it. The moment is half a
// second in which they had a core or slept, so that a busy machine makes nobody late; it ends
// earlier where nothing but `known` is left, and at `deadline`. This process has to be the one that
// orphans are handed to. Where nothing was left it costs one look at all processes.
//
// Work that ends in that moment is not told apart from a helper's end: whoever takes `end` for the
// program's has timed both.
LeftRunning await_rest(pid_t program, Clock::time_point ended, Clock::time_point deadline,
                       const search::ProcessNames& known);

}  // namespace nightshift::evaluator
