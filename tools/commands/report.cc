#include "tools/commands/report.h"

#include <cstdio>
#include <filesystem>

#include "base/quantity.h"
#include "scheduler/clock.h"
#include "scheduler/summary/summary.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/batch/report/batch_document.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/report/slide.h"
#include "tools/report/study_report.h"
#include "tools/serve/night_report.h"
#include "tools/serve/service_ledger.h"
#include "tools/text/page.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr double kLeastShare = 1e-9;

constexpr const char* kEpilogue = R"(
The page for a browser is one file without scripts that needs no network: result, configurations,
convergence, Pareto front, effect of each parameter, noise, devices, confirmations, failures. A
study or a batch that still runs can be reported as well.

Of a batch: what improved and whether it holds over the whole batch, what did not and why, what
failed, the devices, where the time went, how to go on. With --html each study has a page of its own
beside its journal, DIR/STUDY/report.html, which the batch's page links to. Of a night of `nightshift serve`:
what was kept, what that comes to, and what became of the other candidates.

A slide is one picture of 1280 x 720, whose text stays text: the claim with its interval, baseline
and best, what differs, where and when.

--share, --job and --power say what a claim is worth where the tuned part is one of many, with its
interval: the whole job's time, hours and energy, at the power that it drew before.

Examples:
  nightshift report studies/sgemm-20250101-180000 --slide sgemm.svg
  nightshift report studies/sgemm-20250101-180000 --share 30% --job 60h --power 700
  nightshift report batches/night --html batches/night/report.html
  nightshift report batches/night --markdown > comment.md)";

void declare(ArgumentParser& parser, ReportOptions& o) {
  parser.positional("DIR", o.folder, "Folder of a study or of a batch, or the name of a batch");
  parser.option("--html FILE", o.page, "Write a page with charts to this file instead of the text");
  parser.option("--slide FILE", o.slide,
                "Write a study's claim as a picture for a slide (SVG) instead of the text");
  parser.flag("--markdown", o.markdown, "Print Markdown, short enough for a pull request");
  const auto asked = [&o](auto& target) {
    return [&o, &target](double value) {
      target = value;
      o.job.is_asked = true;
    };
  };
  parser.option_with("--share PERCENT", share(kLeastShare, 1, "a share such as 30% or 0.3"),
                     asked(o.job.share),
                     "What the gain is to a whole job of which the tuned part is this share");
  parser.option_with("--job TIME",
                     ValueForm<double>{[](const std::string& text) {
                                         const auto time = base::parse_duration(text);
                                         return time && *time > 0 ? time : std::nullopt;
                                       },
                                       "a time such as 30m, 60h or 2d"},
                     asked(o.job.seconds), "... which takes so long: what it saves");
  parser.option_with("--power WATTS", positive_number(1e9, "watts, such as 700"),
                     asked(o.job.watts), "... at so much power, with --job: the energy");
  parser.check([&] {
    if (o.job.watts && !o.job.seconds) parser.error("--power: needs --job TIME");
    if ((o.page ? 1 : 0) + (o.slide ? 1 : 0) + (o.markdown ? 1 : 0) > 1) {
      parser.error("--html, --slide and --markdown: give one of them");
    }
  });
}

void tell(const ReportOptions& options, const Document& document) {
  if (options.page) {
    write_output(*options.page, to_html(document));
    std::printf("The report is in %s\n", options.page->c_str());
  } else if (options.markdown) {
    std::fputs(to_markdown(document).c_str(), stdout);
  } else {
    print_page(to_text(document));
  }
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
    report = read_batch_report(options.folder, scheduler::SystemClock{}.wall_seconds(), pages);
  }
  tell(options, holds_night(options.folder) ? document_of(ServiceLedger(options.folder, 1), report)
                                            : document_of(report));
}

void report_study(const ReportOptions& options) {
  const StudyFolder folder(options.folder);
  const scheduler::History history = load_own_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_for_telling(history);
  if (options.slide) {
    write_output(*options.slide,
                 slide_of(history, scheduler::summarise(history, problem), problem));
    std::printf("The slide is in %s\n", options.slide->c_str());
    return;
  }
  tell(options, document_of(history, problem, folder, options.job));
}

ExitCode run(const ReportOptions& options) {
  const std::vector<LookedAt> found = looked_at_or_named(options.folder);
  ReportOptions chosen = options;
  const bool batch = found.size() == 1 && found.front().is_batch;
  if (batch && options.job.is_asked) {
    throw UsageError("--share, --job and --power are of one study: name one of the batch");
  }
  if (batch && options.slide) throw UsageError("--slide is of one study: name one of the batch");
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
