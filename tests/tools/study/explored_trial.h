#pragma once

#include "scheduler/journal/journal.h"
#include "search/parameter_space.h"

namespace nightshift::tests {

// A turn of the journal in which one configuration was explored, at half of the baseline's time.
inline void explore(scheduler::Journal& journal, const search::ParameterSpace& space,
                    search::ConfigurationIndex configuration) {
  scheduler::ProposedTrial trial;
  trial.id = {1};
  trial.index = configuration;
  trial.configuration = space.configuration(configuration);
  journal.propose(trial, 1);
  scheduler::FinishedTrial result;
  result.id = trial.id;
  result.report.outcome = search::Measured{{{{"time", {1, 1}}}, {}}};
  result.normalised = search::Score{0.5, 0.01};
  journal.finish(result);
  journal.end_turn();
}

}  // namespace nightshift::tests
