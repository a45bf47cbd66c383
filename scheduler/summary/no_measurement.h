#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/id.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Why no configuration of a study has a figure.
struct NoMeasurement {
  std::string reason;
  search::TrialId failed_alike;  // the first of those that all failed alike; else 0
};
// `summary`: with its trials counted and its seconds.
NoMeasurement why_nothing_measured(const History& history, const search::Problem& problem,
                                   const StudySummary& summary);

}  // namespace nightshift::scheduler
