#pragma once

#include <string>

#include "evaluator/backend.h"
#include "ipc/messages.h"

namespace nightshift::evaluator {

// What Nsight Compute reads of the device while it makes each launch of an execution again and
// again.
struct Profile {
  std::string program;  // path of ncu
  std::string table;    // what it printed, CSV among it: of each launch a row, in order
  std::string untold;   // why there is none; empty = there is one
};

// Has one execution of a CUDA configuration profiled, in a process of its own, with caches as the
// request's sampling says. Both artifacts are in the artifact folder. Looks for ncu as
// NIGHTSHIFT_NCU (a path; empty: there is none), on PATH and in CUDA toolkits. Clocks stay as they
// are: ncu would set them by itself. Throws std::runtime_error where the machine is at fault.
Profile profile(const ipc::ConfigureRequest& setting, ipc::EvaluateRequest request);

// The role "--profiled FILE" of the evaluator program, which profile() starts: makes the execution
// that FILE asks for. The exit code is 0 where its answer was right; why it was not is printed.
int run_profiled(const std::string& file, const BackendFactory& factory);

}  // namespace nightshift::evaluator
