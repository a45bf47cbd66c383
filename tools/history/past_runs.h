#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/history/past_run.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// The history of this user on this machine: one file of lines (past_run.h) to which everybody
// appends. It is NIGHTSHIFT_HISTORY ("off": none is kept), else nightshift/history.jsonl in
// XDG_STATE_HOME, else in ~/.local/state. Empty where there is none.
std::string history_file();

struct PastRuns {
  std::vector<PastRun> runs;   // by their ends
  std::size_t unreadable = 0;  // lines that are none
};
// An absent file has no runs. Of a study that went on its last end is kept. Throws UsageError where
// the file is there and cannot be read.
PastRuns read_history(const std::string& file);

// Settings that decide what is measured: not those of search, budget, acceptance, scheduling and
// device.
std::vector<std::string> settings_of(const std::vector<problems::Override>& overrides);

PastRun past_run_of(const StudyFolder& folder, const scheduler::History& history,
                    const search::Problem& problem);

// What runs of every kind have in common.
PastRun run_of(const search::Problem& problem, const search::Configuration& winner);
// A line by one write, whole or not at all. One that cannot be written is told as tell_unwritten()
// does; where nobody chose the file and it cannot be opened, in a home that is read only, that is
// mentioned on standard error and costs nothing else.
void append(const PastRun& run);
// Of what has ended now.
void remember(const StudyFolder& folder, const scheduler::History& history,
              const search::Problem& problem);

}  // namespace nightshift::tools
