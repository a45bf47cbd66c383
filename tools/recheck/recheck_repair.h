#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/recheck/recheck_subject.h"
#include "tools/recheck/repair.h"

namespace nightshift::tools {

// A stored winner whose problem is to be tuned anew, and what becomes of that.
struct TunedAnew {
  StoredWinner winner;
  RecheckRepair* repair;
};

// As --devices and --wait say.
struct DeviceTerms {
  std::string selection;
  std::optional<double> wait;
};

// Tunes these problems anew on `devices`, one after another, for `seconds`
// together: each has an equal share, and what those before it have left. Each is a study of its own
// under studies/: what the earlier study has found is its warm start, the winner the first that is
// tried. Its own hold-out alone says whether there is an improvement. The repairs say the folder
// and what came out, or why there is none, whatever ends this; `notices` is told how the time is
// shared. False where a signal ended it. Throws scheduler::DeviceError.
bool tune_all_anew(const std::vector<TunedAnew>& all, double seconds, const DeviceTerms& devices,
                   std::vector<std::string>& notices);

}  // namespace nightshift::tools
