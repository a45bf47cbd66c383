#pragma once

#include <memory>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/observer.h"

namespace nightshift::tools {

struct ProgressOptions {
  std::string study_folder;  // as the user would type it
  bool json = false;         // standard output is taken: lines go to standard error
  bool resumed = false;
};

// How a study is shown while it runs: LiveDisplay on a terminal, PlainProgress elsewhere. The clock
// outlives it.
std::unique_ptr<scheduler::TuningObserver> make_progress(const ProgressOptions& options,
                                                         const scheduler::Clock& clock);

}  // namespace nightshift::tools
