#include "scheduler/summary/front.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "scheduler/confirmation/front_scores.h"
#include "scheduler/summary/summary_figures.h"
#include "scheduler/trials/baselines.h"
#include "search/statistics/distributions.h"

namespace nightshift::scheduler {

namespace {

using Member = StudySummary::FrontMember;

bool is_baseline(const ProposedTrial& trial) {
  return search::is_baseline(trial.job) || trial.arm == Arm::kBaseline;
}

// Repeats what the study did: baselines as they came, what was explored under each of them, and
// what was measured in pairs.
class Replay {
 public:
  Replay(const History& history, const search::Problem& problem)
      : history_(history), baselines_(problem), scores_(problem) {
    if (!baselines_.scoring().has_front()) return;
    for (const HistoryEvent& event : history.events) {
      if (const auto* opened = std::get_if<OpenedEvent>(&event)) {
        scores_.opened(history.confirmations[opened->confirmation]);
      } else if (const auto* ended = std::get_if<FinishedEvent>(&event)) {
        if (history.trials[ended->trial].finished) finished(history.trials[ended->trial]);
      }
    }
  }
  std::vector<FrontScores::Point> front(double sigmas) const {
    return scores_.front(sigmas, baselines_.objective_errors());
  }
  bool baseline_is_unbeaten(double sigmas) const {
    return scores_.baseline_is_unbeaten(sigmas, baselines_.objective_errors());
  }
  std::optional<FrontScores::Point> find(search::TrialId trial) const {
    return scores_.find(trial, baselines_.objective_errors());
  }
  const search::Scoring& scoring() const { return baselines_.scoring(); }

 private:
  void finished(const TrialRecord& record) {
    const FinishedTrial& result = *record.finished;
    const ProposedTrial& trial = record.proposed;
    if (trial.job == search::JobKind::kConfirm) scores_.evaluated(trial, result);
    const auto* measured = std::get_if<search::Measured>(&result.report.outcome);
    if (measured == nullptr) return;
    auto figures = baselines_.scoring().figures_of(measured->measurement);
    if (!figures) return;
    if (is_baseline(trial)) {
      baselines_.record(result.device, std::move(*figures), middle_of(result));
    } else if (trial.job == search::JobKind::kExplore && result.beyond_limits.empty() &&
               baselines_.has(result.device)) {
      scores_.explored(trial.id, baselines_.objectives(result.device, *figures, middle_of(result)));
    }
  }

  const History& history_;
  Baselines baselines_;
  FrontScores scores_;
};

// Of the logarithm, as a ratio has it; by the normal distribution where one evaluation has the
// error of its device.
search::Interval interval_of(const search::Score& score, std::size_t pairs) {
  constexpr double kTail = 0.025, kNormal = 1.959964;
  const double quantile =
      pairs > 1 ? search::student_upper_quantile(kTail, static_cast<double>(pairs - 1)) : kNormal;
  const bool known = std::isfinite(score.standard_error) && score.value > 0;
  const double factor = known ? std::exp(quantile * score.standard_error / score.value) : 1;
  return {score.value / factor, score.value * factor};
}

class Members {
 public:
  Members(const History& history, const search::Problem& problem, const search::Scoring& scoring)
      : history_(history), problem_(problem), scoring_(scoring) {}

  std::vector<Member> of(const std::vector<FrontScores::Point>& points,
                         std::vector<StudySummary::Figure> baseline) const {
    const bool any_pair =
        std::ranges::any_of(points, [](const auto& point) { return !point.pairs.empty(); });
    if (baseline.size() != scoring_.all().size()) baseline.clear();  // one of the primary alone
    if (baseline.empty() && any_pair) baseline = figures(points, &FrontScores::Pair::baseline);
    std::vector<Member> front;
    for (const FrontScores::Point& point : points) front.push_back(member(point, baseline));
    std::ranges::stable_sort(front, {}, [](const Member& m) {
      return std::pair(m.scores.front().value, m.contender.trial.value);
    });
    return front;
  }

 private:
  const search::Measurement* measurement(search::TrialId trial) const {
    const TrialRecord* record = find_trial(history_, trial);
    return record == nullptr ? nullptr : measurement_of(*record);
  }

  std::vector<StudySummary::Figure> figures(const std::vector<FrontScores::Point>& points,
                                            search::TrialId FrontScores::Pair::*const side) const {
    std::vector<const search::Measurement*> evaluations;
    for (const FrontScores::Point& point : points) {
      for (const FrontScores::Pair& pair : point.pairs) {
        evaluations.push_back(measurement(pair.*side));
      }
    }
    return figures_over(problem_, evaluations);
  }

  Member member(const FrontScores::Point& point,
                const std::vector<StudySummary::Figure>& baseline) const {
    const TrialRecord& record = *find_trial(history_, point.trial);
    Member member;
    member.pairs = static_cast<int>(point.pairs.size());
    member.scores = point.scores;
    for (const search::Score& score : point.scores) {
      member.intervals.push_back(interval_of(score, point.pairs.size()));
    }
    member.contender = {record.proposed.configuration, point.trial, {}, record.finished->artifact};
    member.contender.figures = member.pairs > 0
                                   ? figures({point}, &FrontScores::Pair::candidate)
                                   : figures_over(problem_, {measurement(point.trial)});
    beside(baseline, member);
    return member;
  }

  void beside(const std::vector<StudySummary::Figure>& baseline, Member& member) const {
    auto& own = member.contender.figures;
    if (baseline.size() != own.size() || own.size() != scoring_.all().size()) return;
    for (std::size_t k = 0; k < member.scores.size(); ++k) {
      const std::size_t i = scoring_.sought()[k];
      // The score of the worst case is no ratio of figures of all cases.
      if (!scoring_.must_be_positive(i) || scoring_.worst_of() > 0) continue;
      const bool minimised = scoring_.all()[i].direction == search::Direction::kMinimise;
      const double base = baseline[i].value;
      const auto figure = [&](double score) { return minimised ? base * score : base / score; };
      const auto& [low, high, confidence] = member.intervals[k];
      own[i].value = figure(member.scores[k].value);
      own[i].interval = {figure(minimised ? low : high), figure(minimised ? high : low)};
    }
  }

  const History& history_;
  const search::Problem& problem_;
  const search::Scoring& scoring_;
};

}  // namespace

Front front_of(const History& history, const search::Problem& problem,
               std::vector<StudySummary::Figure> baseline) {
  const Replay replay(history, problem);
  if (!replay.scoring().has_front()) return {};
  const double sigmas = front_sigmas(problem);
  return {Members(history, problem, replay.scoring()).of(replay.front(sigmas), std::move(baseline)),
          replay.baseline_is_unbeaten(sigmas)};
}

std::optional<FrontScores::Point> front_point(const History& history,
                                              const search::Problem& problem,
                                              search::TrialId trial) {
  return Replay(history, problem).find(trial);
}

}  // namespace nightshift::scheduler
