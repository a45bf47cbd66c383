#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::tools {

// What the forms of other tuners say of a trial, of which they know one a configuration.

struct ExportedPoint {
  const scheduler::TrialRecord* trial;  // its exploration, or the baseline
  // Whose outcome counts: the confirmation in which it failed, else who has the same machine code
  // (speaker_for), else `trial`. Has finished.
  const scheduler::TrialRecord* last_word;
};

// By their explorations, the confirmations in which candidates failed.
std::map<search::TrialId, const scheduler::TrialRecord*> failures_when_confirmed(
    const scheduler::History& history);

// Every configuration that was explored, and the baseline where it is a point of the space and was
// not explored; each once, in order of completion.
std::vector<ExportedPoint> exported_points(const scheduler::History& history,
                                           const search::Problem& problem);

// Seconds. Of a recorded device they are those that were recorded; what it took to replay them is
// nobody's.
struct ExportedTimes {
  double compile = 0, check = 0, measure = 0;
};
ExportedTimes exported_times(const search::TrialCost& cost);

// The word that the community's files have in the place of a failed trial's figure.
const char* failure_mark(const search::TrialOutcome& outcome);

// "2001-09-09 01:46:42.500000+00:00"
std::string exported_timestamp(double unix_seconds);

// Of what was measured on: a GPU, a CPU, or what a recording says.
std::string exported_device(const scheduler::History& history, const search::Problem& problem);

}  // namespace nightshift::tools
