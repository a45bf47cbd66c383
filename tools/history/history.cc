#include "tools/history/history.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/document/document_writers.h"
#include "tools/history/history_report.h"
#include "tools/history/past_runs.h"
#include "tools/history/still_here.h"
#include "tools/output_file.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Every study that ends on this machine, alone or in a batch, and every winner that is rechecked leaves a line in
the history: $NIGHTSHIFT_HISTORY, else nightshift/history.jsonl in $XDG_STATE_HOME or in ~/.local/state.
NIGHTSHIFT_HISTORY=off keeps none. Without PROBLEM all that it knows is listed.

Runs of one problem with the same settings on devices of one model are a series. Where its best, its baseline
or its gain seem to have jumped that is suspected, not shown: runs of different days are no pairs. The
command that is named decides. Where sources or the compiler changed, `bisect` is named too: between the commits
of those times, where git has the problem file; between the two compilers, where both are still there.

Examples:
  nightshift history
  nightshift history sgemm.toml --html history.html
  nightshift history studies/sgemm-20250101-180000 --json)";

void declare(ArgumentParser& parser, HistoryOptions& o) {
  parser.optional_positional("PROBLEM", o.problem, any_text(),
                             "Problem file, its name, or one of its studies");
  parser.option("--html FILE", o.page, "Write a page with charts to this file as well");
  parser.option("--history FILE", o.file, "Another history than this machine's");
  add_json(parser, o.json);
}

std::string absolute(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();
}

std::string known_names(const PastRuns& history) {
  std::set<std::string> names;
  for (const PastRun& run : history.runs) names.insert(run.problem);
  return names.empty() ? "it is empty"
                       : "it knows " + base::list_of({names.begin(), names.end()}, "and");
}

// The runs of the problem that is named.
std::vector<PastRun> picked(const PastRuns& history, const std::string& problem,
                            const std::string& file) {
  const std::string path = absolute(problem);
  std::set<std::string> files;
  for (const PastRun& run : history.runs) {
    if (!run.file.empty() && run.study == path) files.insert(run.file);
  }
  std::vector<PastRun> runs;
  std::ranges::copy_if(history.runs, std::back_inserter(runs), [&](const PastRun& run) {
    return run.problem == problem || run.study == path ||
           (!run.file.empty() && (run.file == path || files.contains(run.file)));
  });
  if (runs.empty()) {
    throw UsageError(problem + ": the history " + file + " has no such problem or study; " +
                     known_names(history));
  }
  return runs;
}

ExitCode run(const HistoryOptions& options) {
  if (options.page) check_output(*options.page);
  const std::string file = options.file.empty() ? history_file() : options.file;
  if (file.empty()) throw UsageError("no history is kept: NIGHTSHIFT_HISTORY is 'off'");
  if (!options.file.empty() && !std::filesystem::exists(file)) {
    throw UsageError("--history: there is no file " + file);
  }
  const PastRuns history = read_history(file);
  StillHere there;
  const HistoryReport report{
      file, history.unreadable,
      series_of(options.problem ? picked(history, *options.problem, file) : history.runs, there)};
  const Document document = document_of(report);
  if (options.page) write_output(*options.page, to_html(document));
  if (options.json) {
    print_json(history_json(report));
  } else {
    print_page(options.problem ? to_text(document) : histories_text(report));
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command history_command() {
  return make_command<HistoryOptions>(
      "history", "What became of a problem from study to study on this machine", kEpilogue, declare,
      run);
}

}  // namespace nightshift::tools
