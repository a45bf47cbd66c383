#include "tools/live/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tools/live/live_display.h"
#include "tools/live/plain_progress.h"

namespace nightshift::tools {
namespace {

bool is_capable_terminal(int fd) {
  const char* kind = std::getenv("TERM");
  return isatty(fd) == 1 && kind != nullptr && std::string_view(kind) != "dumb" &&
         std::string_view(kind) != "";
}

bool colours_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

}  // namespace

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
