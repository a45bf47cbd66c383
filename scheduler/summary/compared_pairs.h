#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What both sides of a confirmation against the baseline measured, in the pairs that counted.
struct ComparedPairs {
  std::vector<StudySummary::Figure> candidate, baseline;  // over all devices
  std::vector<StudySummary::DeviceBaseline> devices;      // the baseline on each of them
  std::vector<StudySummary::Case> cases;                  // of the first scored objective
};

// Of every figure the geometric mean of the devices' geometric means, which is how a verdict joins
// pairs: one side's figure over the other's is the ratio that the verdict gives, where that is
// judged by this figure alone. Intervals by Student's t over the evaluations' logarithms. Figures
// that are not all positive have the median and its interval instead. The ratio of a case is that of
// its pairs, with their interval. nullopt where the opponent
// was no baseline, or no pair counted.
std::optional<ComparedPairs> compared_pairs(const History& history, const search::Problem& problem,
                                            const ConfirmationSetup& setup);

// Of each candidate its last duel with the baseline that came to a figure.
std::map<search::TrialId, const ConfirmationVerdict*> duels_with_baseline(const History& history);

// The cases of an exploration beside those of its device's baseline that was measured nearest in
// time. Of one pair no interval is known: its ends are 0 and infinite. Empty where either has no
// figures of cases.
std::vector<StudySummary::Case> explored_cases(const History& history,
                                               const search::Problem& problem,
                                               const TrialRecord& exploration);

}  // namespace nightshift::scheduler
