#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "search/id.h"

namespace nightshift::scheduler {

// That a claim of this trial has not been audited (search/figures/audit_condition.h), in words with
// the key that mends it: its confirmations asked whether its time is that of its work, and the time
// for each of them was over before that was known. Empty where one of them held, or none was asked.
std::string why_unaudited(const History& history, search::TrialId trial,
                          const search::Configuration& configuration);

}  // namespace nightshift::scheduler
