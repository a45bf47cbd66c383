#pragma once

#include <vector>

#include "tools/problem/toolchain.h"
#include "tools/recheck/recheck_run.h"
#include "tools/recheck/recheck_subject.h"
#include "tools/recheck/toolchain_report.h"

namespace nightshift::tools {

// Stored winners and their baselines under several compilers. First all is built, on cores alone:
// each winner by each compiler of its kind. Then each winner whose machine code is not equal under
// all is measured: every piece of code, the one that its study has kept among them, in rounds as a
// Ranking, all in one folder and against one reference. What fails is broken under that compiler,
// and the others are measured without it. All pairs of all winners share one level
// (search::SharedLevel); the winners with the largest stored gain come first. With terms.repair a
// winner that is broken, lost or slower under a compiler is repaired for that one: by the machine
// code that was kept, where the rounds show it better than the baseline, else by a study with that
// compiler, each for an equal share. A signal and the want of a device end it as rechecked().
// Throws scheduler::DeviceError as that.
ToolchainReport rechecked_under(RecheckSubjects subjects, const std::vector<Toolchain>& toolchains,
                                const RecheckTerms& terms);

}  // namespace nightshift::tools
