#include "tools/compare/named_trial.h"

#include <algorithm>

#include "tools/compare/contender.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

NamedTrial trial_named(const std::string& word, const StudyFolder& folder,
                       const scheduler::History& history) {
  NamedTrial trial;
  if (word == "best") {
    trial.name = "the best";
    trial.configuration = best_of_study(folder.path());
  } else if (word == "baseline") {
    trial.name = "the baseline";
  } else {
    trial.name = "trial " + word;
    const auto it = std::ranges::find_if(history.trials, [&](const scheduler::TrialRecord& t) {
      return std::to_string(t.proposed.id.value) == word;
    });
    if (it == history.trials.end()) {
      throw UsageError("there is no trial " + word + " in " + folder.shown() +
                       ": expected the number of one, best or baseline");
    }
    trial.configuration = it->proposed.configuration;
  }
  for (const scheduler::TrialRecord& t : history.trials) {
    const bool is_it = t.finished && !t.finished->artifact.empty() &&
                       t.proposed.configuration == trial.configuration;
    if (is_it) trial.measured = t.finished->artifact;
  }
  return trial;
}

}  // namespace nightshift::tools
