#include "tools/explain/explain.h"

#include <cstdio>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "problems/problem_file.h"
#include "scheduler/summary/summary.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/document/document_writers.h"
#include "tools/explain/explain_text.h"
#include "tools/explain/model_blocks.h"
#include "tools/explain/parameter_blame.h"
#include "tools/explain/study_model.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/study_folder.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kBest = "best";
constexpr const char* kBaseline = "baseline";

constexpr const char* kEpilogue = R"(
Retells from the journal alone how a configuration was proposed, built, checked and measured, on which
device and at which attempt, what its score means, and which confirmations it took part in. With
--parameters: what each parameter of the winner gains, by what happens when it alone goes back to the
baseline's value, from the finishing rounds of the study. With --model: which parameters matter by a random
forest over all scores, what each value is expected to score, the best configuration to expect that was
not measured, and how far all that can be trusted.

Examples:
  nightshift explain studies/sgemm-20250101-180000 17
  nightshift explain studies/sgemm-20250101-180000 best   the configuration that came out, or baseline
  nightshift explain studies/sgemm-20250101-180000 --parameters   what each change of the winner gains
  nightshift explain studies/sgemm-20250101-180000 --model   which parameters matter; --json for programs)";

void declare(ArgumentParser& parser, ExplainOptions& o) {
  add_study(parser, o.study);
  const ValueForm<std::string> form{[](const std::string& text) -> std::optional<std::string> {
                                      const bool is_named = text == kBest || text == kBaseline;
                                      const auto number = base::parse_count(text);
                                      if (!is_named && number.value_or(0) == 0) return std::nullopt;
                                      return text;
                                    },
                                    "the number of a trial, from 1, best or baseline",
                                    {kBest, kBaseline}};
  parser.optional_positional("TRIAL", o.trial, form, "Number of the trial, best or baseline");
  parser.flag("--parameters", o.parameters,
              "Which changes make the winner faster, instead of a TRIAL");
  parser.flag("--model", o.model,
              "Which parameters matter by a model of all scores, instead of a TRIAL");
  add_json(parser, o.json, "Print the model as one JSON object");
  parser.check([&] {
    if (o.model && (o.trial || o.parameters)) {
      parser.error("--model tells of the whole study: give no TRIAL and no --parameters");
    }
    if (o.json && !o.model) parser.error("--json is of --model alone");
    if (o.parameters && o.trial) {
      parser.error("--parameters tells of the winner: give no TRIAL");
    }
    if (!o.parameters && !o.model && !o.trial && !parser.has_errors()) {
      parser.error("TRIAL is required, or --parameters, or --model");
    }
  });
}

// The baseline's first evaluation, or the exploration that the summary calls the best. Throws
// UsageError where there is none.
search::TrialId trial_of(const std::string& word, const StudyFolder& folder,
                         const scheduler::History& history, const search::Problem& problem) {
  if (word == kBest) {
    const scheduler::StudySummary summary = scheduler::summarise(history, problem);
    if (summary.best) return summary.best->trial;
    throw UsageError(folder.shown() + " has no best configuration: " + summary.reason);
  }
  if (word == kBaseline) {
    for (const scheduler::TrialRecord& record : history.trials) {
      if (record.proposed.job == search::JobKind::kBaseline) return record.proposed.id;
    }
    throw UsageError(folder.shown() + " has measured no baseline");
  }
  return {base::parse_count(word).value_or(0)};
}

// Where the space cannot be made, since a recording is gone, nothing is advised.
StudyModel model_of(const scheduler::History& history, const search::Problem& problem) {
  if (problem.parameters.empty()) return study_model(history, problem);
  const search::ParameterSpace space = problems::make_space(problem);
  return study_model(history, problem, &space);
}

ExitCode tell_model(const StudyFolder& folder, bool json) {
  const scheduler::History history = load_own_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = problem_for_telling(history);
  const StudyModel model = model_of(history, problem);
  if (json) {
    std::fputs(model_json(model).c_str(), stdout);
    return ExitCode::kSuccess;
  }
  Document document;
  document.title = "What a model says of the study of " + problem.name;
  document.blocks = model_blocks(model);
  print_page(to_text(document));
  return ExitCode::kSuccess;
}

ExitCode run(const ExplainOptions& options) {
  const StudyFolder folder(options.study);
  refuse_batch(folder, "nightshift explain",
               options.trial   ? shell_word(*options.trial)
               : options.model ? "--model"
                               : "--parameters");
  if (options.model) return tell_model(folder, options.json);
  const scheduler::History history = load_own_history(folder.path(), scheduler::Detail::kFull);
  if (options.parameters) {
    print_page(parameter_blame(history, problem_for_telling(history), folder.shown()));
    return ExitCode::kSuccess;
  }
  const search::Problem problem = problem_for_telling(history);
  const std::optional<std::string> story =
      retell(history, problem, trial_of(*options.trial, folder, history, problem));
  if (!story) {
    const std::string known =
        history.trials.empty()
            ? "it has no trials yet"
            : "its trials are " + std::to_string(history.trials.front().proposed.id.value) +
                  " to " + std::to_string(history.trials.back().proposed.id.value);
    throw UsageError("there is no trial " + *options.trial + " in " + folder.shown() + ": " +
                     known);
  }
  print_page(*story);
  return ExitCode::kSuccess;
}

}  // namespace

Command explain_command() {
  return make_command<ExplainOptions>(
      "explain", "Tell what happened to one trial and why, or what matters in a study", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
