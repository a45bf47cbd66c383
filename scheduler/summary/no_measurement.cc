#include "scheduler/summary/no_measurement.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/trials/tolerance_advice.h"
#include "search/failure_likeness.h"
#include "search/unmoved.h"

namespace nightshift::scheduler {
namespace {

// A study that lasted as long was ended by its budget.
constexpr double kMostOfBudget = 0.8;

// Of a budget of time that was used up before the first configuration.
std::string where_the_time_went(const History& history, double budget, double seconds) {
  if (!(budget > 0) || seconds < kMostOfBudget * budget) return "";
  double first = 0, last = 0;
  for (const TrialRecord& record : history.trials) {
    if (!record.finished) continue;
    first = first == 0 ? record.proposed_at : std::min(first, record.proposed_at);
    last = std::max(last, record.finished->finished);
  }
  return fmt::format(
      ": baseline and self-test took {:.2g} s of the {:.2g} s that the budget has; give it more "
      "(--budget), or let an evaluation take less (measure.samples, measure.min_sample_seconds)",
      last - first, budget);
}

std::string why_nothing_ended(const History& history, const search::Problem& problem,
                              double seconds) {
  for (const TrialRecord& record : history.trials) {
    if (record.proposed.job != search::JobKind::kExplore || record.finished) continue;
    return fmt::format("no configuration was measured: trial {} was not done when the time ended",
                       record.proposed.id.value);
  }
  return "no configuration was tried" +
         where_the_time_went(history, problem.budget.seconds, seconds);
}

}  // namespace

NoMeasurement why_nothing_measured(const History& history, const search::Problem& problem,
                                   const StudySummary& summary) {
  if (summary.beyond_limits > 0) {
    return {"no configuration that could be measured keeps within the limits", {}};
  }
  search::CommonFailure failures;
  const TrialRecord* first = nullptr;
  for (const TrialRecord& record : history.trials) {
    const bool explored = record.proposed.job == search::JobKind::kExplore;
    if (!explored || !record.finished) continue;
    if (failures.failed() == 0) first = &record;
    failures.ended(record.finished->report.outcome);
  }
  if (failures.failed() == 0 && summary.skipped > 1) {
    return {search::one_code_words(summary.skipped), {}};
  }
  if (failures.failed() == 0 && summary.skipped == 1) {
    return {"the one configuration that was tried is the baseline's own, or has its machine code" +
                where_the_time_went(history, problem.budget.seconds, summary.seconds),
            {}};
  }
  if (first == nullptr || !failures.all_failed())
    return {why_nothing_ended(history, problem, summary.seconds), {}};
  if (failures.commonest().count != failures.failed()) return {failures.words(), {}};
  return {failures.words() + tolerance_advice(problem, first->finished->report.outcome),
          first->proposed.id};
}

}  // namespace nightshift::scheduler
