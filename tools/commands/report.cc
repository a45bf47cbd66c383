#include "tools/commands/report.h"

#include <cstdio>
#include <filesystem>

#include "scheduler/clock.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/batch/report/batch_report.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/report/report_markdown.h"
#include "tools/report/report_page.h"
#include "tools/report/report_text.h"
#include "tools/serve/night_report.h"
#include "tools/serve/service_ledger.h"
#include "tools/text/page.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
The page for a browser is one file without scripts that needs no network: result, configurations,
convergence, Pareto front, effect of each parameter, noise, devices, confirmations, failures. A
study or a batch that still runs can be reported as well.

Of a batch: what improved and whether it holds over the whole batch, what did not and why, what
failed, the devices, where the time went, how to go on. With --html each study has a page of its own
beside its journal, DIR/STUDY/report.html, which the batch's page links to. Of a night of `nightshift serve`:
what was kept, what that comes to, and what became of the other candidates.

Examples:
  nightshift report studies/sgemm-20250101-180000
  nightshift report studies/sgemm-20250101-180000 --html sgemm.html
  nightshift report batches/night --html batches/night/report.html
  nightshift report batches/night --markdown > comment.md)";

void declare(ArgumentParser& parser, ReportOptions& o) {
  parser.positional("DIR", o.folder, "Folder of a study or of a batch, or the name of a batch");
  parser.option("--html FILE", o.page, "Write a page with charts to this file instead of the text");
  parser.flag("--markdown", o.markdown, "Print Markdown, short enough for a pull request");
  parser.check([&] {
    if (o.page && o.markdown) parser.error("--html and --markdown: give one of them");
  });
}

void write_page(const std::string& file, const std::string& page) {
  write_output(file, page);
  std::printf("The report is in %s\n", file.c_str());
}

void report_batch(const ReportOptions& options) {
  BatchPages pages;
  if (options.page) {
    check_output(*options.page);
    pages.folder = std::filesystem::absolute(*options.page).lexically_normal().parent_path();
  }
  BatchReport report;
  {
    StatusLine line;
    pages.progress = [&](const std::string& text) { line.show("reading study " + text); };
    report = read_batch_report(options.folder, scheduler::SystemClock{}.unix_seconds(), pages);
  }
  const bool is_night = holds_night(options.folder);
  if (options.page) {
    write_page(*options.page, is_night ? night_report_page(ServiceLedger(options.folder, 1), report)
                                       : batch_report_page(report));
  } else if (options.markdown) {
    std::fputs(batch_report_markdown(report).c_str(), stdout);
  } else if (is_night) {
    print_page(night_report_text(ServiceLedger(options.folder, 1), report));
  } else {
    print_page(batch_report_text(report));
  }
}

void report_study(const ReportOptions& options) {
  const StudyFolder folder(options.folder);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_for_telling(history);
  if (options.page) {
    write_page(*options.page, report_page(history, problem, folder));
  } else if (options.markdown) {
    std::fputs(report_markdown(history, problem, folder).c_str(), stdout);
  } else {
    print_page(report_text(history, problem, folder));
  }
}

ExitCode run(const ReportOptions& options) {
  const std::vector<LookedAt> found = looked_at_or_named(options.folder);
  ReportOptions chosen = options;
  const bool batch = found.size() == 1 && found.front().is_batch;
  if (batch) chosen.folder = found.front().folder;
  batch ? report_batch(chosen) : report_study(chosen);
  return ExitCode::kSuccess;
}

}  // namespace

Command report_command() {
  return make_command<ReportOptions>(
      "report", "Print what came out of a study or a batch, on one page", kEpilogue, declare, run);
}

}  // namespace nightshift::tools
