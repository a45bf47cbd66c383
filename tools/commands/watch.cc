#include "tools/live/batch_watch.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/summary/batch_time.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/batch/report/batch_status.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/live/terminal.h"
#include "tools/study_folder.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Shows the queue, the devices and what each of them does, the studies and what happened, drawn anew
twice a second where something changed. q or Ctrl-C leaves; the batch takes no notice. Arrows, j and
k, Page Up and Page Down move through the studies. Without DIR it is the batch in batches/ that runs,
else the newest.

Where standard output is no terminal the status is printed once, then each event as a line until the
batch ends.

Examples:
  nightshift watch
  nightshift watch batches/night
  nightshift watch batches/night | tee night.log)";

struct WatchOptions {
  std::string folder;
};

void declare(ArgumentParser& parser, WatchOptions& o) {
  parser.option("DIR", o.folder, "Folder of the batch");
}

// The one that runs, else the newest.
std::string chosen_folder(const WatchOptions& options) {
  const std::string where = options.folder.empty() ? "batches" : options.folder;
  std::vector<LookedAt> found = looked_at_or_named(where);
  std::erase_if(found, [](const LookedAt& one) { return !one.is_batch; });
  if (found.empty()) {
    throw UsageError("there is no batch in " + where +
                     ": name the folder of one, or begin one with `nightshift batch run FILE`; "
                     "`nightshift status " +
                     shell_word(where) + "` says how studies stand");
  }
  for (const LookedAt& one : found) {
    if (found.size() > 1 && scheduler::load_batch(one.folder).writer) return one.folder;
  }
  return found.front().folder;
}

ExitCode run(const WatchOptions& options) {
  static const scheduler::SystemClock clock;
  const StudyFolder folder(chosen_folder(options));
  BatchSource source = source_of(folder.path());
  source.unread = [&](const scheduler::BatchRecord& record) {
    return unread_journals(folder.path(), record);
  };
  if (is_capable_terminal(STDOUT_FILENO)) {
    watch_on_screen(STDOUT_FILENO, folder.shown(), source, clock);
    return ExitCode::kSuccess;
  }
  const scheduler::BatchRecord record = source.load();
  print_page(
      batch_status_text({record, folder.shown(), scheduler::now_in(record, clock.wall_seconds()),
                         "", source.unread(record)},
                        std::string::npos));
  watch_in_lines(stdout, record.events.size(), source, clock);
  return ExitCode::kSuccess;
}

}  // namespace

Command watch_command() {
  return make_command<WatchOptions>("watch", "Show a batch at work", kEpilogue, declare, run);
}

}  // namespace nightshift::tools
