#include "tools/export.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/output_file.h"
#include "tools/report/exports.h"
#include "tools/report/summary_json.h"
#include "tools/run/journaled_problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Examples:
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift export studies/sgemm-20250101-180000 --format json | jq .configuration
  nightshift export studies/sgemm-20250101-180000 --format csv --output trials.csv
  nightshift export studies/sgemm-20250101-180000 --format t4 --output space.json   `tune` replays it

Exit code 3 where json or header are asked for and no configuration could be measured; others as in
`nightshift --help`.)";

void declare(ArgumentParser& parser, ExportOptions& o) {
  add_study(parser, o.study);
  parser.required_option("--format NAME", o.format,
                         one_of<ExportFormat>({{"t4", ExportFormat::kT4},
                                               {"csv", ExportFormat::kCsv},
                                               {"json", ExportFormat::kJson},
                                               {"header", ExportFormat::kHeader}}),
                         "json: best configuration with its figures; header: the same as C macros; "
                         "csv: one row per trial; t4: all trials as T4 JSON of the auto-tuning "
                         "community");
  parser.option("--output FILE", o.output, "File to write (standard output)");
}

bool needs_best(ExportFormat format) {
  return format == ExportFormat::kJson || format == ExportFormat::kHeader;
}

std::string rendered(ExportFormat format, const scheduler::History& history,
                     const scheduler::StudySummary& summary, const search::Problem& problem) {
  switch (format) {
    case ExportFormat::kT4:
      return to_t4(history, problem);
    case ExportFormat::kCsv:
      return to_csv(history, summary, problem);
    case ExportFormat::kHeader:
      return to_header(summary, problem, history);
    case ExportFormat::kJson:
      break;
  }
  return best_json(summary, problem).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

ExitCode run(const ExportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_of(history);
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  if (needs_best(options.format)) {
    if (!summary.best) {
      std::fprintf(stderr, "nightshift: %s has no configuration that could be measured\n",
                   folder.shown().c_str());
      return ExitCode::kNoImprovement;
    }
    if (!summary.accepted) {
      std::fprintf(stderr,
                   "nightshift: the best configuration of %s was not confirmed as an improvement\n",
                   folder.shown().c_str());
    }
  }
  const std::string text = rendered(options.format, history, summary, problem);
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_output(options.output, text);
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command export_command() {
  return make_command<ExportOptions>("export", "Write results in a form for other programs",
                                     kEpilogue, declare, run);
}

}  // namespace nightshift::tools
