#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/observer.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/acceptance.h"
#include "search/parameter_space.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/elsewhere_problem.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/problem_source.h"
#include "tools/serve/asked_pool.h"
#include "tools/serve/line_channels.h"
#include "tools/serve/service_request.h"
#include "tools/study/continuation.h"
#include "tools/study/study_parts.h"
#include "tools/study/taken_study.h"
#include "tools/study_folder.h"
#include "tools/summary/summary_json.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
For whoever measures elsewhere: a configuration a line goes out, a line with its figures or its failure comes
back. PROBLEM has [parameters], constraints and objectives, and needs no backend.

  > {"id": 1, "configuration": {"TILE": 16, "UNROLL": 2}}
  < {"id": 1, "time": "1.25 ms"}
  < {"id": 1, "error": "words", "kind": "build_failed"}       or launch_failed, wrong_result

The first configuration is the baseline. --outstanding of them are open at once, and are answered in any order.
The last line has "done", with what `tune --json` prints. The study is kept: the same command goes on with it,
also with a larger --budget or with --confirm, and `report`, `explain` and `export` read it. --confirm has the
winner confirmed, which asks for configurations again, side by side.

Examples:
  nightshift search space.toml --serve --study studies/mine --budget 200t
  nightshift search space.toml --serve --study studies/mine --budget 10m --searcher genetic --outstanding 4)";

struct SearchOptions {
  std::string problem, study;
  bool serve = false, confirm = false;
  std::uint64_t outstanding = 1;
  Overrides overrides;
};

void declare(ArgumentParser& parser, SearchOptions& o) {
  add_problem(parser, o.problem, Recordings::kRefused);
  parser.flag("--serve", o.serve, "Speak lines of JSON on standard input and output");
  parser.option("--study DIR", o.study, "Folder of the study (studies/NAME-TIME)");
  add_budget(parser, o.overrides, "", Recordings::kRefused);
  parser.setting("--searcher NAME", "search.searcher", o.overrides, any_text(),
                 "How proposals are made, as for tune (auto)");
  parser.setting("--seed N", "search.seed", o.overrides, whole_number<std::uint64_t>(),
                 "Whole number; the same seed repeats the same proposals");
  parser.option("--outstanding N", o.outstanding,
                whole_number<std::uint64_t>(1, 1000, "a whole number from 1 to 1000"),
                "Configurations that are open at once (1)");
  parser.flag("--confirm", o.confirm, "Confirm what seems best in duels and a hold-out");
  add_set(parser, o.overrides);
  parser.check([&] {
    if (!o.serve) parser.error("search needs --serve: it speaks lines with who measures");
  });
}

constexpr const char* kOutstanding = "schedule.outstanding";

// What --confirm is about.
Overrides confirming(const search::AcceptanceSettings& settings) {
  return {{"acceptance.duels", settings.duels ? "true" : "false"},
          {"acceptance.self_test_pairs", std::to_string(settings.self_test_pairs)},
          {"acceptance.finish_margin", fmt::format("{}", settings.finish_margin)},
          {"acceptance.front_pairs", std::to_string(settings.front_pairs)}};
}

// Before those of the user, who may say otherwise.
Overrides asked_by(const SearchOptions& options) {
  Overrides all = {{"schedule.normalisation", "\"none\""},
                   {"schedule.rebaseline_trials", "0"},
                   {"schedule.rebaseline_seconds", "0"}};
  if (!options.confirm) {
    search::AcceptanceSettings nothing;
    nothing.duels = false;
    nothing.self_test_pairs = nothing.front_pairs = 0;
    nothing.finish_margin = 0;
    const Overrides off = confirming(nothing);
    all.insert(all.end(), off.begin(), off.end());
  }
  all.emplace_back(kOutstanding, std::to_string(options.outstanding));
  all.insert(all.end(), options.overrides.begin(), options.overrides.end());
  return all;
}

bool is_of_a_server(const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == search::CommandBackend::Mode::kServer;
}

search::Problem problem_elsewhere(const std::string& path, Overrides& overrides,
                                  std::string* text) {
  const std::size_t mistakes = inspect_problem(path, overrides).mistakes.size();
  if (mistakes > 0) {
    Overrides served = served_elsewhere(overrides);
    if (inspect_problem(path, served).mistakes.size() <= mistakes) overrides = std::move(served);
  }
  search::Problem problem = read_problem(path, overrides, text);
  if (!is_of_a_server(problem)) {
    throw UsageError("search: " + path + " is a [" + std::string(search::name_of(problem.backend)) +
                     "] problem, which `nightshift tune` measures; who measures elsewhere leaves "
                     "that table out");
  }
  return problem;
}

std::string hello(const search::Problem& problem) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const search::Parameter& parameter : problem.parameters) names.push_back(parameter.name);
  nlohmann::ordered_json objectives = nlohmann::ordered_json::array();
  for (const search::Objective& objective : problem.objectives)
    objectives.push_back(objective.name);
  return nlohmann::ordered_json{{"nightshift", version()},
                                {"protocol", kProtocol},
                                {"parameters", names},
                                {"objectives", objectives}}
             .dump() +
         "\n";
}

struct Opened {
  search::Problem problem;
  std::unique_ptr<scheduler::SqliteJournal> journal;
  std::optional<scheduler::History> earlier;
};

Opened begin_study(const StudyFolder& folder, search::Problem problem, std::string text,
                   const Overrides& overrides) {
  search::Identity identity = made_of(problem);
  auto journal = scheduler::SqliteJournal::create(
      folder.path(), study_header(problem, std::move(text), overrides, "all", std::move(identity)),
      problem);
  journal->end_turn();
  return {std::move(problem), std::move(journal), std::nullopt};
}

// A study that is there.
struct Begun {
  scheduler::History history;
  bool confirms = false;
};

std::optional<Begun> begun_in(const StudyFolder& folder) {
  if (!scheduler::holds_study(folder.path())) return std::nullopt;
  Begun begun{scheduler::load_history(folder.path(), scheduler::Detail::kTrials)};
  const search::Problem problem = problem_for_telling(begun.history);
  if (!is_of_a_server(problem)) {
    throw UsageError(folder.shown() + " holds a study of " + problem.name +
                     " that `nightshift tune` has measured: `nightshift resume " +
                     shell_word(folder.shown()) +
                     "` goes on with it, and another --study starts a new one");
  }
  begun.confirms = problem.acceptance.duels;
  return begun;
}

Opened go_on(const SearchOptions& options, const StudyFolder& folder, const Begun& begun,
             const search::Problem& problem, const std::string& text, Overrides overrides) {
  Asked asked{problem, text, overrides, "--study", {kOutstanding}};
  const Overrides before = overrides_of(begun.history);
  for (const auto& [key, value] : confirming(problem.acceptance)) {
    if (!begun.confirms && options.confirm) asked.taken_over.push_back(key);
    const auto is_this = [&name = key](const auto& one) { return one.first == name; };
    const bool is_silent = std::ranges::none_of(overrides, is_this);
    if (is_silent && std::ranges::any_of(before, is_this)) overrides.emplace_back(key, value);
  }
  const Continuation how = continuation_of(begun.history, folder, asked);
  warn(how.notices);
  TakenStudy taken = take_up(folder, how);
  warn(taken.notices);
  return {std::move(taken.problem), std::move(taken.journal), std::move(taken.earlier)};
}

Opened open_study(SearchOptions options, std::optional<StudyFolder>& folder) {
  std::optional<Begun> begun;
  if (!options.study.empty()) begun = begun_in(folder.emplace(options.study));
  if (begun && begun->confirms && !options.confirm) {
    options.confirm = true;
    warn(
        {"the study was told to --confirm, and goes on with it; another --study begins one that "
         "does not"});
  }
  Overrides overrides = asked_by(options);
  std::string text;
  search::Problem problem = problem_elsewhere(options.problem, overrides, &text);
  if (const std::string flaw = baseline_flaw_elsewhere(problem); !flaw.empty())
    throw UsageError("search: " + flaw);
  if (begun) return go_on(options, *folder, *begun, problem, text, std::move(overrides));
  if (!folder) folder = StudyFolder::fresh(problem.name, scheduler::SystemClock{}.unix_seconds());
  return begin_study(*folder, std::move(problem), std::move(text), overrides);
}

ExitCode run(const SearchOptions& options) {
  const scheduler::SystemClock clock;
  std::optional<StudyFolder> opened;
  Opened study = open_study(options, opened);
  const StudyFolder& folder = *opened;
  folder.prepare();
  const search::ParameterSpace space = problems::make_space(study.problem);
  const auto searcher = searcher_for(study.problem, space);
  LineChannels lines(true, "");
  AskedPool pool(study.problem, options.outstanding, lines, clock);
  lines.send(LineChannels::kStandard, hello(study.problem));
  lines.flush(true);
  scheduler::TuningObserver silent;
  scheduler::Tuner tuner(
      {study.problem, space, *searcher, pool, *study.journal, clock, silent, {}});
  if (study.earlier) tuner.resume(*study.earlier);
  std::string failed;
  try {
    tuner.run(pool);
  } catch (const scheduler::StudyError& error) {
    failed = error.what();  // the client is told first
  }
  const auto history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  keep_outcome(folder, history, study.problem);
  search::Problem told = study.problem;
  scheduler::take_told_units(told.objectives, history);
  const auto summary = scheduler::summarise(history, told);
  lines.send(LineChannels::kStandard,
             nlohmann::ordered_json{{"done", summary_json(summary, told, folder)}}.dump() + "\n");
  lines.flush(true);
  if (!failed.empty()) throw scheduler::StudyError(failed);
  return history.status == "completed" ? ExitCode::kSuccess : ExitCode::kInterrupted;
}

}  // namespace

Command search_command() {
  return make_command<SearchOptions>(
      "search", "Propose configurations to whoever measures elsewhere", kEpilogue, declare, run);
}

}  // namespace nightshift::tools
