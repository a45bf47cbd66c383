#pragma once

#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "tools/exit_code.h"
#include "tools/study/taken_study.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// Goes on with the study in `folder`, or says again what came out where it is completed and no
// other budget is asked for.
ExitCode continue_study(const StudyFolder& folder, const Continuation& asked);

// What the command that a study is continued with says, beside the study.
struct Asked {
  const search::Problem& problem;
  const std::string& problem_text;  // empty for a recorded space
  const std::vector<problems::Override>& overrides;
  std::string option = "--study";  // of the command, that names where another study would be
  std::vector<std::string> taken_over = {};  // keys that the command lets change, as a budget
};
// That the problem file is not the one that the study was begun with; empty where it is.
std::string told_other_file(const scheduler::History& history, const Asked& asked);
// Another budget, more effort and `taken_over` are taken over. The rest stays as the study has it: each
// difference is a notice. A study that failed or completed before any configuration was measured begins
// anew with a problem file that is another one now, and one that failed so with other settings too.
// Throws UsageError where the study is of another problem.
Continuation continuation_of(const scheduler::History& history, const StudyFolder& folder,
                             const Asked& asked);
// The same of the problem file for whoever names the study alone: where that may begin anew, its file is
// read as it is now. One that is gone, or cannot be read, leaves the study as it was begun.
void take_mended_file(const StudyFolder& folder, Continuation& how);

}  // namespace nightshift::tools
