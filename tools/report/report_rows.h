#pragma once

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"
#include "tools/report/report_figures.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// What the report says in rows, the same as text and as a page. All pure.

// What was tuned, where, by what, how far: a name and its value in each row.
Rows study_rows(const scheduler::History& history, const search::Problem& problem,
                const StudyFolder& folder, const scheduler::StudySummary& summary);
// What the study is made of: kind, name, hash or words.
Rows identity_rows(const scheduler::StudySummary& summary);
Rows machine_rows(const scheduler::History& history);
// The best beside the baseline, headings first; the last cell is kChanged where they differ. Empty
// without a best.
inline constexpr const char* kChanged = "changed";
Rows configuration_rows(const scheduler::StudySummary& summary, const search::Problem& problem);
Rows convergence_rows(const Convergence& told, const search::Problem& problem);
// When, what, detail.
Rows remark_rows(const scheduler::History& history);

}  // namespace nightshift::tools
