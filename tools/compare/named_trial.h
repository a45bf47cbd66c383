#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "search/configuration.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

struct NamedTrial {
  std::string name;  // "trial 17", "the best", "the baseline"
  search::Configuration configuration;
  std::string measured;  // hash of the machine code that the study measured; empty: not known
};

// A trial of a study as it is named on a command line: its number, `best` or `baseline`. Throws
// UsageError where there is none.
NamedTrial trial_named(const std::string& word, const StudyFolder& folder,
                       const scheduler::History& history);

}  // namespace nightshift::tools
