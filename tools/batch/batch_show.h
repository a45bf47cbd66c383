#pragma once

#include <optional>
#include <string>

#include "scheduler/clock.h"
#include "tools/batch/batch_log.h"
#include "tools/live/batch_watch.h"

namespace nightshift::tools {

// What `watch` shows, on the terminal of the run itself and in place of the log's lines. Where
// standard output is no terminal nothing is shown, and the lines stay.
class BatchShow {
 public:
  // Both outlive it. `folder` is absolute.
  BatchShow(std::string folder, BatchLog& log, const scheduler::Clock& clock);

  void begin();
  void end();  // with a last picture, which stays
  // Draws where that is due: to be called ten times a second.
  void look();

 private:
  std::string folder_;
  BatchLog& log_;
  const scheduler::Clock& clock_;
  BatchSource source_;
  std::optional<BatchScreen> screen_;
  double looked_ = 0;  // Unix seconds
};

}  // namespace nightshift::tools
