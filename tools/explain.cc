#include <cstdio>
#include <optional>
#include <string>

#include "scheduler/journal/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/report/explain_text.h"
#include "tools/run/journaled_problem.h"
#include "tools/study_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// A trial can be explained from the journal alone.
search::Problem problem_for_telling(const scheduler::History& history) {
  try {
    return problem_of(history);
  } catch (const kernels::ProblemFileError&) {
    return outline_of(history);
  }
}

}  // namespace

ExitCode explain(const ExplainOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kFull);
  const std::optional<std::string> story =
      retell(history, problem_for_telling(history), search::TrialId{options.trial});
  if (!story) {
    const std::string known =
        history.trials.empty()
            ? "it has no trials yet"
            : "its trials are " + std::to_string(history.trials.front().proposed.id.value) +
                  " to " + std::to_string(history.trials.back().proposed.id.value);
    throw UsageError("there is no trial " + std::to_string(options.trial) + " in " +
                     folder.shown() + ": " + known);
  }
  std::fputs(story->c_str(), stdout);
  return ExitCode::kSuccess;
}

}  // namespace nightshift::tools
