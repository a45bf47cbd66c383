#pragma once

#include <string>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// 0 where an improvement was accepted, 3 where not, 4 for a failed and 7 for an interrupted study.
ExitCode exit_code_of(const scheduler::StudySummary& summary);

// What came out of a study, for the end of a run: result, what it means, where it lies, how to go
// on.
std::string summary_text(const scheduler::StudySummary& summary, const search::Problem& problem,
                         const StudyFolder& folder);

// --- Pieces, also of the report ---

// "412 configurations in 1 min 02 s: 380 measured, 12 skipped, 20 failed (15 build_failed, ...)"
std::string effort_text(const scheduler::StudySummary& summary);
// The result in one line, with its interval where it is a claim.
std::string headline_text(const scheduler::StudySummary& summary, const search::Problem& problem);
// What stands below the headline: reason, what it means, baselines and best with unit and interval.
std::vector<Block> result_blocks(const scheduler::StudySummary& summary,
                                 const search::Problem& problem);
// "time 5.081 ms [4.9, 5.2] ms", one after another.
std::string figure_list(const std::vector<scheduler::StudySummary::Figure>& figures);
// The command that keeps the best configuration in the form that there is a use for: a header where
// parameters are macros.
std::string export_command(bool has_macros, const std::string& where);
// The commands that go on from here, each with what it does.
Rows next_steps(const scheduler::StudySummary& summary, const search::Problem& problem,
                const StudyFolder& folder);

}  // namespace nightshift::tools
