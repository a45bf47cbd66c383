#pragma once

#include <string_view>

#include "search/measurement.h"

namespace nightshift::search {

// The condition of an evaluation that was doubted (Trust::kNone), and what it says. kAuditCutShort:
// the time for it was over before it was known; that counts as not asked. kAuditSameInputs: all that
// can be asked held, but no input can be made anew, so that an answer that is remembered may look
// like one that is computed. python/nightshift/audit.py says the same.
inline constexpr std::string_view kAuditCondition = "audit", kAuditHeld = "its time held",
                                  kAuditCutShort = "cut short",
                                  kAuditSameInputs = "on the same inputs alone";
// Beside "its time held": how many times as long as on those of its samples a call takes on inputs
// that the kernel has not seen, "5.93", where that is longer and what it remembers is the core's:
// how its branches went.
inline constexpr std::string_view kNewInputsCondition = "times on new inputs";
double times_on_new_inputs(const Measurement& measurement);  // 0: nothing is said of it

}  // namespace nightshift::search
