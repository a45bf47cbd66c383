#pragma once

#include <optional>
#include <string>

#include "scheduler/journal/history.h"
#include "search/id.h"
#include "search/problem.h"

namespace nightshift::tools {

// The story of one trial from the journal alone: proposed, built, measured or failed, scored, told
// to the searcher, confirmed, judged; with times and units. `history` has been loaded with
// Detail::kFull. nullopt where there is no such trial. Pure.
std::optional<std::string> retell(const scheduler::History& history, const search::Problem& problem,
                                  search::TrialId trial);

}  // namespace nightshift::tools
