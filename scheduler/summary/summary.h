#pragma once

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"

namespace nightshift::scheduler {

StudySummary summarise(const History& history, const search::Problem& problem);

}  // namespace nightshift::scheduler
