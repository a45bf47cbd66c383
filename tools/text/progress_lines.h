#pragma once

#include <string>

#include "scheduler/journal/journal.h"
#include "scheduler/observer.h"
#include "search/objective.h"
#include "search/problem/budget.h"

namespace nightshift::tools {

// One-line texts about a study under way, shared by the live display and the plain lines. Pure.

// "2,880 configurations"; "at most ..." where nobody has counted them
std::string space_text(const scheduler::StudyStatus& status);
// "tuning rmsnorm: 2,880 configurations possible, budget 10 min 00 s, on cpu:1, study studies/..."
std::string start_line(const scheduler::StudyStatus& status, const std::string& study_folder,
                       bool resumed);
std::string budget_text(const search::Budget& budget);  // "10 min 00 s or 400 configurations"
// "96 done, 2 running, 5 failed (3 build_failed, 2 crashed), 4 skipped"
std::string trials_text(const scheduler::StudyStatus& status);
// "best time 58.8 % lower ... (not confirmed)" / "accepted ... [..]" / "no result yet"
std::string best_text(const scheduler::StudyStatus& status);
std::string accepted_text(
    const scheduler::StudyStatus& status);  // empty where nothing was accepted
std::string progress_line(const scheduler::StudyStatus& status);
// False of a confirmation that is decided without a measurement: its verdict says all.
bool measures(const scheduler::ConfirmationSetup& setup);
std::string opening_line(const scheduler::ConfirmationSetup& setup);
// "trial 17 accepted: time 58.8 % lower ... (reason)"
std::string verdict_line(const scheduler::ConfirmationSetup& setup,
                         const scheduler::ConfirmationVerdict& verdict,
                         const search::Objective& objective);
// "trial 17 crashed: killed by SIGSEGV while measuring"
std::string failure_line(const scheduler::ProposedTrial& trial,
                         const scheduler::FinishedTrial& result);

// Configurations a second so far; 0 where unknown.
double rate_of(const scheduler::StudyStatus& status);
// Seconds until the nearest limit at the present rate; negative where there is none or it is
// unknown.
double seconds_left(const scheduler::StudyStatus& status);
std::string pace_text(
    const scheduler::StudyStatus& status);  // "31 s elapsed, 29 s left, 3.1 trials/s"; "at most 29
                                            // s left" for the last duels and the hold-out

}  // namespace nightshift::tools
