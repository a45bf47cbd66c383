#include "tools/study/tune.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/journal/sqlite_journal.h"
#include "search/searcher_catalogue.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/problem_source.h"
#include "tools/study/continuation.h"
#include "tools/study/study_parts.h"
#include "tools/text/status_line.h"
#include "tools/text/toml_list.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
PROBLEM is a problem file (TOML), a Python file that describes one, a T1 JSON file, or a recorded
space (cache or T4 JSON, also gzipped), which then is its own device.

Examples:
  nightshift tune problem.toml --budget 10m
  nightshift tune problem.toml --searcher random --seed 7 --set acceptance.confidence=publish
  nightshift tune problem.toml --devices cpu:2-3 --study studies/today --json > result.json
  nightshift tune problem.toml --study studies/tonight --continue      starts it, or goes on with it

Ctrl-C ends the study in good order (a second one at once); `nightshift resume` goes on later.)";

std::string searcher_help() {
  std::vector<std::string> names;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    names.emplace_back(info.name);
  }
  return "How proposals are made (auto): " + base::list_of(names, "or");
}

// Absolute: the study may be resumed from another folder.
std::string list_of_folders(std::vector<std::string> folders) {
  for (std::string& folder : folders) {
    folder = std::filesystem::absolute(folder).lexically_normal().string();
  }
  return toml_list(folders);
}

// What the searcher learns from is not what would be measured today.
std::vector<std::string> told_of_earlier(const search::Problem& problem,
                                         const search::Identity& identity) {
  std::vector<std::string> notices;
  for (const std::string& folder : problem.scheduling.warm_start) {
    const auto history = scheduler::load_history(folder, scheduler::Detail::kTrials);
    std::string told = told_changes(StudyFolder(folder).shown(), history, identity);
    if (!told.empty()) notices.push_back(std::move(told));
  }
  return notices;
}

void declare(ArgumentParser& parser, TuneOptions& o) {
  add_problem(parser, o.problem);
  parser.option("--study DIR", o.study, "Folder of the new study (studies/NAME-TIME)");
  parser.flag("--continue", o.go_on,
              "Go on with the study in DIR where there is one, else start it; for a completed one "
              "say what came out");
  add_budget(parser, o.overrides);
  add_effort(parser, o.overrides);
  add_devices(parser, o.devices);
  add_nodes(parser, o.run.nodes.list, o.run.nodes.silence);
  parser.setting("--searcher NAME", "search.searcher", o.overrides, any_text(), searcher_help());
  parser.repeatable(
      "--warm-start DIR",
      [&o](const std::vector<std::string>& folders) {
        o.overrides.emplace_back("search.warm_start", list_of_folders(folders));
      },
      "Folder of an earlier study of this or a similar problem (another device or size) to learn "
      "from");
  parser.setting("--seed N", "search.seed", o.overrides, whole_number<std::uint64_t>(),
                 "Whole number; the same seed repeats the same proposals");
  parser.setting("--outstanding N", "schedule.outstanding", o.overrides,
                 whole_number<std::uint64_t>(),
                 "Trials under way at once (0: chosen from devices and builders)");
  parser.setting(
      "--finish-margin SHARE", "acceptance.finish_margin", o.overrides,
      number_to(0.5, "a share up to 0.5, such as 0.003, or 0"),
      "Parameters go back to the baseline's values where that costs less (0.003; 0: none)");
  add_set(parser, o.overrides);
  add_wait(parser, o.run.wait);
  add_stop_times(parser, o.run.stop_times);
  add_json(parser, o.run.json,
           "Print the result as one JSON object to standard output, progress to standard error");
  parser.check([&] {
    if (o.devices && !o.run.nodes.list.empty()) {
      parser.error(kDevicesAndNodes);
    }
    if (o.go_on && o.study.empty()) {
      parser.error("--continue needs --study DIR, the folder of the study that is to go on");
    }
  });
}

ExitCode go_on(const TuneOptions& options, const StudyFolder& folder) {
  std::string text;
  const search::Problem problem = read_problem(options.problem, options.overrides, &text);
  Continuation how =
      continuation_of(scheduler::load_history(folder.path(), scheduler::Detail::kTrials), folder,
                      {problem, text, options.overrides});
  how.devices = options.devices;
  how.run = options.run;
  return continue_study(folder, how);
}

ExitCode start(const TuneOptions& options) {
  std::string text;
  search::Problem problem = read_problem(options.problem, options.overrides, &text);
  // Before clocks are held for the study.
  std::unique_ptr<Nodes> nodes = gathered_nodes(problem, options.run);
  search::Identity identity = made_of(problem, nodes.get());
  Study study(std::move(problem), options.devices.value_or("all"), options.run, std::move(nodes));
  const std::vector<std::string> notices = told_of_earlier(study.problem(), identity);
  warn(notices);
  const double now = scheduler::SystemClock{}.unix_seconds();
  const StudyFolder folder = options.study.empty() ? StudyFolder::fresh(study.problem().name, now)
                                                   : StudyFolder(options.study);
  const auto journal = scheduler::SqliteJournal::create(
      folder.path(),
      study_header(study.problem(), std::move(text), options.overrides,
                   options.devices.value_or("all"), std::move(identity)),
      study.problem());
  for (const std::string& notice : notices) journal->remark(scheduler::kNoticeRemark, notice, now);
  if (const std::string list = kept_list(options.run.nodes.list); !list.empty()) {
    journal->remark(kNodesRemark, list, now);
  }
  journal->end_turn();
  return study.run(folder, *journal, nullptr, options.run);
}

// Without a figure there is nothing in it that the same command could lose.
bool is_failure_alone(const StudyFolder& folder) {
  using scheduler::load_history;
  return load_history(folder.path(), scheduler::Detail::kHead).status == "failed" &&
         has_failed_without_scores(load_history(folder.path(), scheduler::Detail::kTrials));
}

ExitCode run(const TuneOptions& options) {
  if (options.study.empty()) return start(options);
  const StudyFolder folder(options.study);
  refuse_batch(folder);
  if (!scheduler::holds_study(folder.path())) return start(options);
  if (options.go_on || is_failure_alone(folder)) return go_on(options, folder);
  throw UsageError(folder.shown() + " holds a study already: --continue, or `nightshift resume " +
                   folder.shown() + "`, goes on with it, another --study starts a new one");
}

}  // namespace

Command tune_command() {
  return make_command<TuneOptions>("tune", "Tune a problem in a new study", kEpilogue, declare,
                                   run);
}

}  // namespace nightshift::tools
