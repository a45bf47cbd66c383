#pragma once

#include "tools/compare/compare.h"
#include "tools/exit_code.h"

namespace nightshift::tools {

// `compare --apply BATCH -- CMD`: the whole program without and with what a batch has found for its
// kernels, in pairs. What loses in the program is taken back in the batch's tuned.json, by
// take_back.h. Throws as compared() and check_outputs() do, and UsageError where the batch has
// nothing to apply.
ExitCode compare_applied(const CompareOptions& options);

}  // namespace nightshift::tools
