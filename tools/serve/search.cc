#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
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
#include "search/parameter_space.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/elsewhere_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/problem_source.h"
#include "tools/serve/asked_pool.h"
#include "tools/serve/line_channels.h"
#include "tools/serve/service_request.h"
#include "tools/study/study_parts.h"
#include "tools/study/taken_study.h"
#include "tools/study_folder.h"
#include "tools/summary/summary_json.h"
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
also with a larger --budget, and `report`, `explain` and `export` read it. --confirm has the winner confirmed,
which asks for configurations again, side by side.

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

// Before those of the user, who may say otherwise.
Overrides overrides_of(const SearchOptions& options) {
  Overrides all = {{"schedule.normalisation", "\"none\""},
                   {"schedule.rebaseline_trials", "0"},
                   {"schedule.rebaseline_seconds", "0"}};
  if (!options.confirm) {
    all.emplace_back("acceptance.duels", "false");
    all.emplace_back("acceptance.self_test_pairs", "0");
    all.emplace_back("acceptance.finish_margin", "0");
    all.emplace_back("acceptance.front_pairs", "0");
  }
  all.emplace_back("schedule.outstanding", std::to_string(options.outstanding));
  all.insert(all.end(), options.overrides.begin(), options.overrides.end());
  return all;
}

search::Problem problem_elsewhere(const std::string& path, Overrides& overrides,
                                  std::string* text) {
  const std::size_t mistakes = inspect_problem(path, overrides).mistakes.size();
  if (mistakes > 0) {
    Overrides served = served_elsewhere(overrides);
    if (inspect_problem(path, served).mistakes.size() <= mistakes) overrides = std::move(served);
  }
  search::Problem problem = read_problem(path, overrides, text);
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  if (command == nullptr || command->mode != search::CommandBackend::Mode::kServer) {
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

Opened open_study(const SearchOptions& options, const StudyFolder& folder, search::Problem problem,
                  std::string text, const Overrides& overrides) {
  if (!scheduler::holds_study(folder.path())) {
    search::Identity identity = made_of(problem);
    auto journal = scheduler::SqliteJournal::create(
        folder.path(),
        study_header(problem, std::move(text), overrides, "all", std::move(identity)), problem);
    journal->end_turn();
    return {std::move(problem), std::move(journal), std::nullopt};
  }
  Continuation how;
  for (const auto& [key, value] : options.overrides) {
    if (key.starts_with("budget.")) how.overrides.emplace_back(key, value);
  }
  TakenStudy taken = take_up(folder, how);
  return {std::move(taken.problem), std::move(taken.journal), std::move(taken.earlier)};
}

ExitCode run(const SearchOptions& options) {
  Overrides overrides = overrides_of(options);
  std::string text;
  search::Problem read = problem_elsewhere(options.problem, overrides, &text);
  if (const std::string flaw = baseline_flaw_elsewhere(read); !flaw.empty())
    throw UsageError("search: " + flaw);
  const scheduler::SystemClock clock;
  const StudyFolder folder = options.study.empty()
                                 ? StudyFolder::fresh(read.name, clock.unix_seconds())
                                 : StudyFolder(options.study);
  Opened study = open_study(options, folder, std::move(read), std::move(text), overrides);
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
  const auto summary = scheduler::summarise(history, study.problem);
  lines.send(
      LineChannels::kStandard,
      nlohmann::ordered_json{{"done", summary_json(summary, study.problem, folder)}}.dump() + "\n");
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
