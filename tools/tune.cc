#include <memory>
#include <string>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/devices/environment.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/run/study.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

scheduler::StudyHeader header_of(const TuneOptions& options, const search::Problem& problem,
                                 std::string text, double now) {
  scheduler::StudyHeader header;
  header.problem_name = problem.name;
  header.problem_file = problem.file;
  header.problem_text = std::move(text);
  header.overrides = options.overrides;
  header.device_selection = options.devices;
  header.environment =
      scheduler::capture_environment(problem.file, search::compiler_program(problem));
  header.created = now;
  return header;
}

}  // namespace

ExitCode tune(const TuneOptions& options) {
  std::string text;
  Study study(kernels::read_problem(options.problem, options.overrides, &text), options.devices);
  const double now = scheduler::SystemClock{}.unix_seconds();
  const StudyFolder folder = options.study.empty() ? StudyFolder::fresh(study.problem().name, now)
                                                   : StudyFolder(options.study);
  if (scheduler::holds_study(folder.path())) {
    throw UsageError(folder.shown() + " holds a study already: `nightshift resume " +
                     folder.shown() + "` goes on with it, another --study starts a new one");
  }
  const auto journal = scheduler::SqliteJournal::create(
      folder.path(), header_of(options, study.problem(), std::move(text), now), study.problem());
  return study.run(folder, *journal, nullptr, options.json);
}

}  // namespace nightshift::tools
