#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/recheck/recheck_report.h"
#include "tools/recheck/recheck_subject.h"

namespace nightshift::tools {

struct RecheckTerms {
  std::string devices = "all";
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;     // seconds; no winner is begun once they have passed
  std::optional<double> repair;     // seconds for tuning anew, of all winners together
  std::optional<double> wait = {};  // seconds, each time, for devices that others use
};

// First all winners and baselines are built, on cores alone, none on a device. What has other
// machine code or another machine is measured then, those with the largest stored gain first. An
// old build fails alone; one of today makes its winner broken. The report is whole, and says so,
// where a signal stopped it or no device was left while it measured. With terms.repair those that
// are broken, lost or regressed are repaired then: where the old machine code is better than
// today's baseline it is kept, the others are tuned anew (recheck_repair.h), each for an equal
// share. Throws scheduler::DeviceError where there is none to begin with.
RecheckReport rechecked(RecheckSubjects subjects, const RecheckTerms& terms);

}  // namespace nightshift::tools
