#pragma once

#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"

namespace nightshift::scheduler {

// A point is dominated only by one that is better beyond so many combined standard errors.
inline constexpr double kFrontSigmas = 2;

// The Pareto front of the explored configurations: measured, within all limits, each scored by the
// baseline that its device had at the time, as the searcher was told. Empty where a single
// objective is sought. Pure.
std::vector<StudySummary::FrontMember> front_of(const History& history,
                                                const search::Problem& problem);

// What is sought of one explored trial, scored in the same way; empty where it has no such scores.
std::vector<search::Score> objective_scores(const History& history, const search::Problem& problem,
                                            search::TrialId trial);

}  // namespace nightshift::scheduler
