#include <cstdio>

#include "scheduler/journal/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/report/report_page.h"
#include "tools/report/report_text.h"
#include "tools/run/journaled_problem.h"

namespace nightshift::tools {

ExitCode report(const ReportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_of(history);
  if (!options.page) {
    std::fputs(report_text(history, problem, folder).c_str(), stdout);
    return ExitCode::kSuccess;
  }
  write_output(*options.page, report_page(history, problem, folder));
  std::printf("The report is in %s\n", options.page->c_str());
  return ExitCode::kSuccess;
}

}  // namespace nightshift::tools
