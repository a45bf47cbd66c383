#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/override.h"
#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/exit_code.h"
#include "tools/run/study.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// How a study that is there already goes on, as far as it is to be another way than before.
struct Continuation {
  std::vector<kernels::Override> overrides;  // of the budget; they replace what the study has
  std::optional<std::string> devices;        // another selection, from now on
  std::vector<std::string> notices;          // to be said, and kept with the study
  RunOptions run;
};

// Goes on with the study in `folder`, or says again what came out where it is completed and no
// other budget is asked for.
ExitCode continue_study(const StudyFolder& folder, const Continuation& how);

// Writes down how it goes on, for whoever continues it next.
void keep(const Continuation& how, const scheduler::History& history,
          scheduler::SqliteJournal& journal);

// What the command that a study is continued with says, beside the study.
struct Asked {
  const search::Problem& problem;
  const std::string& problem_text;  // empty for a recorded space
  const std::vector<kernels::Override>& overrides;
};
// Another budget is taken over. The rest stays as the study has it: each difference is a notice.
// Throws UsageError where the study is of another problem.
Continuation continuation_of(const scheduler::History& history, const StudyFolder& folder,
                             const Asked& asked);

}  // namespace nightshift::tools
