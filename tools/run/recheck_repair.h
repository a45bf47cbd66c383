#pragma once

#include <string>

#include "tools/report/repair.h"
#include "tools/run/recheck_subject.h"

namespace nightshift::tools {

// Tunes the problem of a stored winner anew for `seconds` on `devices` (as --devices says), in a study of
// its own under studies/: what the earlier study has found is its warm start, the winner the first that is
// tried. Its own hold-out alone says whether there is an improvement. The repair says the folder and what
// came out, or why there is none; false where a signal ended it. Throws scheduler::DeviceError.
bool tune_anew(const StoredWinner& winner, double seconds, const std::string& devices,
               RecheckRepair& repair);

}  // namespace nightshift::tools
