#pragma once

#include <optional>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/study/front_rounds.h"
#include "scheduler/summary/study_summary.h"

namespace nightshift::scheduler {

// The Pareto front of the explored configurations and the baseline: measured, within all limits,
// each scored by the pairs with the baseline that it was measured in again (FrontScores), else by
// the baseline that its device had at the time, as the searcher was told. front_sigmas() says what
// is beaten. Figures of what is sought are those of `baseline` times the scores, so that all are on
// one scale however the machine drifts; where that is empty, of the baseline of all pairs of the
// front. Empty where a single objective is sought. Pure.
struct Front {
  std::vector<StudySummary::FrontMember> members;  // but the baseline
  bool has_baseline = false;  // nothing that was measured beats it in everything
};
Front front_of(const History& history, const search::Problem& problem,
               std::vector<StudySummary::Figure> baseline = {});

// What is sought of one explored trial, scored in the same way; nullopt where it has no such
// scores.
std::optional<FrontScores::Point> front_point(const History& history,
                                              const search::Problem& problem,
                                              search::TrialId trial);

}  // namespace nightshift::scheduler
