#pragma once

#include <string>
#include <vector>

namespace nightshift::evaluator::cuda {

// The process that changes clocks and power limits of GPUs, and outlives its parent by as long as
// restoring them takes. Call with the arguments after "--clock-keeper"; returns the exit code:
//
//   FOLDER STRICT(0|1) SM_MHZ MEMORY_MHZ POWER_MW UUID...
//
//   Startup   descriptor 3 = one end of a socket pair whose only other end is the parent's; a
//             session of its own, deaf to SIGINT, SIGTERM, SIGHUP. For each GPU: take its file in
//             FOLDER (clock_file.h), restore what a keeper that is gone left there, write down what
//             undoes the settings, make them, read them back
//   Answer    lines: "warning TEXT" for what went wrong, then "ready"; with STRICT "failed TEXT"
//             instead of the first warning, and everything is restored at once
//   Wait      until the other end closes or says anything
//   Exit      restore all; "warning TEXT" for what could not be, whose file stays as it is; 0, or 1
//             where something could not be restored or STRICT failed
//
// With all settings 0 it restores what was left over and exits.
int run_clock_keeper(const std::vector<std::string>& arguments);

}  // namespace nightshift::evaluator::cuda
