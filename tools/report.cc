#include "tools/report.h"

#include <cstdio>

#include "scheduler/journal/sqlite_journal.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/output_file.h"
#include "tools/report/report_page.h"
#include "tools/report/report_text.h"
#include "tools/run/journaled_problem.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
The page for a browser is one file without scripts that needs no network: result, configurations,
convergence, Pareto front, effect of each parameter, noise, devices, confirmations, failures. A
study that still runs can be reported as well.

Examples:
  nightshift report studies/sgemm-20250101-180000
  nightshift report studies/sgemm-20250101-180000 --html sgemm.html
  nightshift report studies/sgemm-20250101-180000 | less)";

void declare(ArgumentParser& parser, ReportOptions& o) {
  add_study(parser, o.study);
  parser.option("--html FILE", o.page, "Write a page with charts to this file instead of the text");
}

ExitCode run(const ReportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_of(history);
  if (!options.page) {
    print_page(report_text(history, problem, folder));
    return ExitCode::kSuccess;
  }
  write_output(*options.page, report_page(history, problem, folder));
  std::printf("The report is in %s\n", options.page->c_str());
  return ExitCode::kSuccess;
}

}  // namespace

Command report_command() {
  return make_command<ReportOptions>("report", "Print what came out of a study, on one page",
                                     kEpilogue, declare, run);
}

}  // namespace nightshift::tools
