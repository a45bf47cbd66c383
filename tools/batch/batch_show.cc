#include "tools/batch/batch_show.h"

#include <unistd.h>

#include <utility>

#include "tools/live/terminal.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

BatchShow::BatchShow(std::string folder, BatchLog& log, const scheduler::Clock& clock)
    : folder_(std::move(folder)), log_(log), clock_(clock), source_(source_of(folder_)) {}

void BatchShow::begin() {
  if (!is_capable_terminal(STDOUT_FILENO)) return;
  log_.silent(true);
  screen_.emplace(STDOUT_FILENO, StudyFolder(folder_).shown(), source_, clock_);
}

void BatchShow::end() {
  if (screen_) (void)screen_->step(0);
  screen_.reset();
  log_.silent(false);
}

void BatchShow::look() {
  constexpr double kPeriod = 0.5;
  const double now = clock_.unix_seconds();
  if (!screen_ || now - looked_ < kPeriod) return;
  looked_ = now;
  (void)screen_->step(0);  // q ends no run
}

}  // namespace nightshift::tools
