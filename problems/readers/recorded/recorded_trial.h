#pragma once

#include <stdexcept>
#include <vector>

#include "search/configuration.h"
#include "search/trial.h"

namespace nightshift::problems {

class RecordedSpaceError : public std::runtime_error {  // names file and place
  using std::runtime_error::runtime_error;
};

// One recorded configuration: repetitions in the objective's unit, or how it failed.
struct RecordedTrial {
  search::Configuration configuration;
  std::vector<double> values;    // empty for a failure
  search::TrialOutcome failure;  // meaningful when `values` is empty: BuildFailed, LaunchFailed,
                                 // WrongResult or TimedOut
  double build_seconds = 0;      // recorded compile time
  double measure_seconds = 0;    // recorded benchmark + framework + validation + search time
  bool is_copy = false;  // of what an earlier row has of the configuration: it replaces that
};

}  // namespace nightshift::problems
