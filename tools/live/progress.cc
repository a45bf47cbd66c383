#include "tools/live/progress.h"

#include <unistd.h>

#include <cstdio>

#include "tools/live/live_display.h"
#include "tools/live/plain_progress.h"
#include "tools/live/terminal.h"

namespace nightshift::tools {
std::unique_ptr<scheduler::TuningObserver> make_progress(const ProgressOptions& options,
                                                         const scheduler::Clock& clock) {
  if (!options.json && is_capable_terminal(STDOUT_FILENO)) {
    return std::make_unique<LiveDisplay>(STDOUT_FILENO, options.study_folder, colours_wanted(),
                                         clock);
  }
  return std::make_unique<PlainProgress>(options.json ? stderr : stdout, options.study_folder,
                                         options.resumed);
}

}  // namespace nightshift::tools
