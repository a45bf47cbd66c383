#pragma once

#include <string>
#include <string_view>

#include "search/configuration.h"
#include "search/trial.h"

namespace nightshift::ipc {

// The textual form of configurations and outcomes: what the journal stores, what --json prints and
// what crosses to another node. Readers throw std::invalid_argument naming the member that is
// wrong.
search::Configuration configuration_from_json(std::string_view json);

// {"status": "crashed", "cause": "signal", "code": 11, "phase": "measure", "last_words": "..."}
// Samples stand under "figures": [{"objective": "time", "values": [...]}].
// Infinities are written as "inf" and "-inf", for which JSON has no numbers, not-a-number as null.
std::string to_json(const search::TrialOutcome& outcome);
search::TrialOutcome outcome_from_json(std::string_view json);

}  // namespace nightshift::ipc
