#pragma once

#include <string>
#include <vector>

#include "evaluator/backend.h"

namespace nightshift::evaluator {

// The whole life of an evaluator or builder process; call it from main and return what it returns.
//
//   Startup   descriptors 3 = request, 4 = response, 5 = doorbell; arguments
//             --evaluator PARENT_PID EPOCH CORES(comma list or -) IDLE(0|1) ADDRESS_SPACE
//             prologue (ipc/child_prologue.h), map, mark Ready, ring
//   Loop      wait for a request (each second: has the parent changed? then leave);
//             Configure -> make the backend, Configured; Build -> Built; Evaluate -> Evaluated
//   Exit      Stop request, parent's death, or exit code 70 when a reply could not be made
//
// Other roles of the same program: "--launch ..." (ipc/child_prologue.h), "--warden ..."
// (ipc/warden.h), "--gpus PARENT_PID" (prints cuda/gpu_list.h),
// "--clock-keeper ..." (cuda/clock_keeper.h), "--profiled FILE" (profile.h).
// A program of the user's that hands over its own factory becomes a tunable evaluator of C++
// callables.
int serve(const std::vector<std::string>& arguments, const BackendFactory& factory);

}  // namespace nightshift::evaluator
