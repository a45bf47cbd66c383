#include <memory>

#include "scheduler/clock.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/run/journaled_problem.h"
#include "tools/run/study.h"

namespace nightshift::tools {

ExitCode resume(const ResumeOptions& options) {
  const StudyFolder folder(options.study);
  if (options.overrides.empty()) {
    const scheduler::History history =
        scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
    if (history.status == "completed") {
      return print_outcome(folder, problem_of(history), options.json);
    }
  }
  // Read again under the journal's lock: until then another run may have written to it.
  const auto journal = scheduler::SqliteJournal::open(folder.path());
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  Study study(problem_of(history, options.overrides), history.header.device_selection);
  const double now = scheduler::SystemClock{}.unix_seconds();
  for (const auto& [key, value] : options.overrides) {
    journal->remark(kOverrideRemark, key + "=" + value, now);
  }
  journal->end_turn();
  return study.run(folder, *journal, &history, options.json);
}

}  // namespace nightshift::tools
