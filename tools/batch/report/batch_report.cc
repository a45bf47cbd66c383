#include "tools/batch/report/batch_report.h"

#include <algorithm>
#include <utility>

#include "search/scoring.h"
#include "tools/report/report_figures.h"
#include "tools/summary/front_text.h"
#include "tools/summary/summary_text.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {

namespace {

// In the pairs with the best where there are such, else of each device.
std::string baseline_text(const scheduler::StudySummary& summary) {
  if (!summary.compared_baseline.empty()) return figure_list(summary.compared_baseline);
  std::string text;
  for (const scheduler::StudySummary::DeviceBaseline& b : summary.baselines) {
    text += (text.empty() ? "" : "; ") + figure_list(b.figures) + " on " + one_line(b.device);
  }
  return text;
}

}  // namespace

BatchStudyFacts facts_of(const scheduler::History& history, const search::Problem& problem,
                         const scheduler::StudySummary& summary) {
  BatchStudyFacts facts;
  facts.headline = headline_text(summary, problem);
  facts.why = one_line(summary.reason);
  if (summary.accepted) {
    const search::Objective objective = search::judged_objective(problem);
    facts.change = format_change(objective, summary.ratio);
    facts.interval = format_change_interval(objective, summary.ratio, summary.ratio_interval);
    if (const auto& moved = summary.unsteadiness) {
      facts.interval += "; unsteady machine: " + format_percent(moved->share);
    }
  }
  if (summary.best) {
    facts.configuration = format_configuration(summary.best->configuration);
    facts.differs = difference_text(summary.best->configuration, problem);
    facts.best_trial = summary.best->trial.value;
    facts.best = figure_list(summary.best->figures);
  }
  facts.front = front_blocks(summary, problem);
  facts.baseline = baseline_text(summary);
  facts.has_macros = search::is_kernel(problem);
  for (const auto& [kind, failures] : failures_of(history)) {
    facts.failures.push_back(
        {kind, failures.count, failures.example->proposed.id.value,
         one_line(search::describe(failures.example->finished->report.outcome))});
  }
  std::ranges::stable_sort(facts.failures, std::ranges::greater(),
                           &BatchStudyFacts::Failures::count);
  for (const std::string& notice : summary.notices) facts.notices.push_back(one_line(notice));
  return facts;
}

std::optional<scheduler::BatchClaim> claim_of(const scheduler::StudySummary& summary) {
  if (!summary.accepted) return std::nullopt;
  return scheduler::BatchClaim{summary.ratio, summary.ratio_interval, summary.p_value,
                               (1 - summary.ratio_interval.confidence) / 2};
}

BatchReport make_batch_report(scheduler::BatchRecord record, std::string folder, double now,
                              std::vector<BatchStudyFacts> facts) {
  BatchReport report{std::move(record), std::move(folder), now, std::move(facts), {}, {}};
  report.facts.resize(report.record.studies.size());
  report.summary = scheduler::summarise(report.record, now);
  report.time = scheduler::batch_time(report.record, now);
  return report;
}

}  // namespace nightshift::tools
