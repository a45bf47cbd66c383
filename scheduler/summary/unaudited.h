#pragma once

#include <string>
#include <string_view>

#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "search/id.h"

namespace nightshift::scheduler {

// That a claim of this trial has not been audited (search/figures/audit_condition.h), in words with
// the key that mends it: its confirmations asked whether its time is that of its work, and the time
// for each of them was over before that was known. Empty where one of them held, or none was asked.
std::string why_unaudited(const History& history, search::TrialId trial,
                          const search::Configuration& configuration);

// That the claim of this trial is of inputs whose branches the core has learned, in words with how
// many times as long it takes on others: its largest in the evaluations that were doubted. Empty
// where none of them said so.
std::string why_learned(const History& history, search::TrialId trial,
                        const search::Configuration& configuration);

// The same of anything that was doubted; `whose` is a noun, "the time of b.cc".
std::string learned_words(std::string_view whose, double times);

}  // namespace nightshift::scheduler
