#pragma once

#include <string>
#include <vector>

#include "search/trial.h"

namespace nightshift::scheduler {

// Bytes that whatever is built or run may need on a disk for a while.
inline constexpr long kRoomNeeded = 64L << 20;

// What the machine has none of, where the failure is made of that: "there is no space left in FOLDER", the
// first of these folders whose disk has no kRoomNeeded bytes left, quotas counted, or that no process can be
// started; else empty. Such a failure says nothing of the configuration. With room again as soon as it has
// ended, it was the configuration that needed all of it.
std::string lack_of_machine(const std::vector<std::string>& folders,
                            const search::TrialOutcome& failure);

}  // namespace nightshift::scheduler
