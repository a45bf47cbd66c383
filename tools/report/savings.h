#pragma once

#include <optional>

#include "scheduler/summary/study_summary.h"
#include "search/problem.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// The job that what was tuned is a part of.
struct WholeJob {
  double share = 1;               // of its time, above 0 and up to 1
  std::optional<double> seconds;  // that it takes; above 0
  std::optional<double> watts;    // that it draws; above 0
  bool is_asked = false;          // anything of it
};

// What the claim is to the whole job: a part of `share` that takes `ratio` of its time leaves
// 1 - share (1 - ratio) of the whole (G. Amdahl, 1967), with the claim's 95 % interval. The power
// that it draws is taken to stay. Empty where nothing is asked; a sentence where nothing is claimed.
// Throws UsageError where the study's objective is no time and no rate: a share of time then says
// nothing.
std::vector<Block> savings(const scheduler::StudySummary& summary, const search::Problem& problem,
                           const WholeJob& job);

}  // namespace nightshift::tools
