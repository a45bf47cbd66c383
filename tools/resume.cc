#include "tools/resume.h"

#include <memory>

#include "scheduler/clock.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/run/journaled_problem.h"
#include "tools/run/study.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
STUDY is the folder that `nightshift tune` named. What was measured is kept, what was under way when the
run ended is measured again. The study has its own copy of the problem file, not of sources that it names.

Examples:
  nightshift resume studies/sgemm-20250101-180000
  nightshift resume studies/sgemm-20250101-180000 --budget 2h     two hours, with what was used before
  nightshift resume studies/sgemm-20250101-180000 --budget 800t --json > result.json

Exit codes are those of `nightshift tune`: 0 an improvement was accepted, 3 none was; others as in
`nightshift --help`.)";

void declare(ArgumentParser& parser, ResumeOptions& o) {
  add_study(parser, o.study);
  add_budget(parser, o.overrides, "; counts what was used before");
  add_json(parser, o.json, "As for tune");
}

ExitCode run(const ResumeOptions& options) {
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

}  // namespace

Command resume_command() {
  return make_command<ResumeOptions>(
      "resume", "Go on with a study; nothing measured is measured again", kEpilogue, declare, run);
}

}  // namespace nightshift::tools
