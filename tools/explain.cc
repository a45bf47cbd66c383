#include "tools/explain.h"

#include <cstdio>
#include <limits>
#include <optional>
#include <string>

#include "scheduler/journal/sqlite_journal.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/report/explain_text.h"
#include "tools/report/parameter_blame.h"
#include "tools/run/journaled_problem.h"
#include "tools/study_folder.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Retells from the journal alone how a configuration was proposed, built, checked and measured, on which
device and at which attempt, what its score means, and which confirmations it took part in. With
--parameters: what each parameter of the winner gains, by what happens when it alone goes back to the
baseline's value, from the finishing rounds of the study.

Examples:
  nightshift explain studies/sgemm-20250101-180000 17
  nightshift explain studies/sgemm-20250101-180000 1      the first baseline
  nightshift explain studies/sgemm-20250101-180000 --parameters   what each change of the winner gains)";

void declare(ArgumentParser& parser, ExplainOptions& o) {
  add_study(parser, o.study);
  parser.optional_positional(
      "TRIAL", o.trial,
      whole_number<std::uint64_t>(1, std::numeric_limits<std::uint64_t>::max(),
                                  "the number of a trial, from 1"),
      "Number of the trial");
  parser.flag("--parameters", o.parameters,
              "Which changes make the winner faster, instead of a TRIAL");
  parser.check([&] {
    if (o.parameters && o.trial) parser.error("--parameters tells of the winner: give no TRIAL");
    if (!o.parameters && !o.trial) parser.error("TRIAL is required, or --parameters");
  });
}

ExitCode run(const ExplainOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kFull);
  if (options.parameters) {
    print_page(parameter_blame(history, problem_for_telling(history)));
    return ExitCode::kSuccess;
  }
  const std::optional<std::string> story =
      retell(history, problem_for_telling(history), search::TrialId{*options.trial});
  if (!story) {
    const std::string known =
        history.trials.empty()
            ? "it has no trials yet"
            : "its trials are " + std::to_string(history.trials.front().proposed.id.value) +
                  " to " + std::to_string(history.trials.back().proposed.id.value);
    throw UsageError("there is no trial " + std::to_string(*options.trial) + " in " +
                     folder.shown() + ": " + known);
  }
  print_page(*story);
  return ExitCode::kSuccess;
}

}  // namespace

Command explain_command() {
  return make_command<ExplainOptions>("explain", "Tell what happened to one trial, and why",
                                      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
