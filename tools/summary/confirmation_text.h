#pragma once

#include <string>
#include <string_view>

#include "scheduler/journal/history.h"
#include "search/problem.h"

namespace nightshift::tools {

// "accept", "reject", ...; "measured" of what was not judged.
std::string_view verdict_word(scheduler::Purpose purpose, const search::Verdict& verdict);

// "Confirmation 4: duel of trial 46 with the incumbent, trial 4".
std::string confirmation_title(const scheduler::ConfirmationSetup& setup);

// One confirmation, whole: every pair with both figures and what it says, void ones with the
// reason, then the verdict with its looks and devices; or that there is none yet.
std::string confirmation_text(const scheduler::History& history, const search::Problem& problem,
                              const scheduler::ConfirmationSetup& setup);

}  // namespace nightshift::tools
