#include <cstdio>

#include "scheduler/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/kept_problem.h"
#include "tools/report_text.h"

namespace nightshift::tools {

ExitCode report(const ReportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  std::fputs(report_text(history, problem_of(history), folder).c_str(), stdout);
  return ExitCode::kSuccess;
}

}  // namespace nightshift::tools
