#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/objective.h"
#include "search/scoring.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// A child's word is not taken for anything but figures: each objective must have samples, all
// finite, and what is compared by its ratio to the baseline a positive median. A report that says
// otherwise, or that the trial was skipped, becomes a LaunchFailed with the reason; failures pass.
search::TrialReport checked(search::TrialReport report, const search::Scoring& scoring);

// Whether all evaluations of a run name the same units. Within one process a program that names one now
// and then fails there (evaluator/command/figures/figure_unit.h); what each evaluation has a process
// of its own for is seen here alone, and numbers of two units would be compared.
class ToldUnits {
 public:
  // A measured outcome in other units, or of another scale, than earlier ones becomes a failure.
  void check(search::TrialOutcome& outcome, const std::vector<search::Objective>& objectives);

 private:
  std::map<std::string, std::string> first_;  // by objective or condition; empty: none
};

}  // namespace nightshift::scheduler
