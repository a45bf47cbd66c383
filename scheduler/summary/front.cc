#include "scheduler/summary/front.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "scheduler/study/baselines.h"
#include "scheduler/summary/summary_figures.h"
#include "search/pareto.h"

namespace nightshift::scheduler {

namespace {

struct Explored {
  const TrialRecord* record = nullptr;
  const search::Measurement* measurement = nullptr;
  search::ObjectivePoint scores;
};

bool is_baseline(const ProposedTrial& trial) {
  return trial.job == search::JobKind::kBaseline || trial.job == search::JobKind::kRebaseline ||
         trial.arm == Arm::kBaseline;
}

// Repeats what the study did: baselines as they came, and what was explored under each of them.
std::vector<Explored> explored_in(const History& history, Baselines& baselines) {
  std::vector<Explored> explored;
  for (const HistoryEvent& event : history.events) {
    const auto* ended = std::get_if<FinishedEvent>(&event);
    if (ended == nullptr || !history.trials[ended->trial].finished) continue;
    const TrialRecord& record = history.trials[ended->trial];
    const FinishedTrial& result = *record.finished;
    const auto* measured = std::get_if<search::Measured>(&result.report.outcome);
    if (measured == nullptr) continue;
    auto figures = baselines.scoring().figures_of(measured->measurement);
    if (!figures) continue;
    if (is_baseline(record.proposed)) {
      baselines.record(result.device, std::move(*figures), middle_of(result));
    } else if (record.proposed.job == search::JobKind::kExplore && result.beyond_limits.empty() &&
               baselines.has(result.device)) {
      explored.push_back({&record, &measured->measurement,
                          baselines.objectives(result.device, *figures, middle_of(result))});
    }
  }
  return explored;
}

double sum_of(const search::ObjectivePoint& point) {
  double sum = 0;
  for (const search::Score& s : point) sum += s.value;
  return sum;
}

}  // namespace

std::vector<StudySummary::FrontMember> front_of(const History& history,
                                                const search::Problem& problem) {
  Baselines baselines(problem);
  if (!baselines.scoring().has_front()) return {};
  std::vector<Explored> explored = explored_in(history, baselines);
  // The good ones first: then most others meet what dominates them at once.
  std::ranges::stable_sort(explored, {}, [](const Explored& e) { return sum_of(e.scores); });
  std::vector<search::ObjectivePoint> points;
  for (const Explored& e : explored) points.push_back(e.scores);
  std::vector<StudySummary::FrontMember> front;
  for (const std::size_t i : search::pareto_front(points, kFrontSigmas)) {
    const Explored& e = explored[i];
    front.push_back({{e.record->proposed.configuration, e.record->proposed.id,
                      figures_over(problem, {e.measurement}), e.record->finished->artifact},
                     std::move(points[i])});
  }
  std::ranges::stable_sort(front, {}, [](const StudySummary::FrontMember& member) {
    return std::pair(member.scores.front().value, member.contender.trial.value);
  });
  return front;
}

std::vector<search::Score> objective_scores(const History& history, const search::Problem& problem,
                                            search::TrialId trial) {
  Baselines baselines(problem);
  if (!baselines.scoring().has_front()) return {};
  for (Explored& e : explored_in(history, baselines)) {
    if (e.record->proposed.id == trial) return std::move(e.scores);
  }
  return {};
}

}  // namespace nightshift::scheduler
