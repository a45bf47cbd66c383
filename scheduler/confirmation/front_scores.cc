#include "scheduler/confirmation/front_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

#include "search/statistics/summary.h"

namespace nightshift::scheduler {

using search::ObjectivePoint;
using search::TrialId;

namespace {

double sum_of(const ObjectivePoint& point) {
  double sum = 0;
  for (const search::Score& s : point) sum += s.value;
  return sum;
}

// Whether `b` is no member of a front on which `a` is.
bool leaves_out(const ObjectivePoint& a, const ObjectivePoint& b, double sigmas) {
  return search::dominates(a, b, sigmas) || (sigmas == 0 && search::equal_values(a, b));
}

}  // namespace

void FrontScores::explored(TrialId trial, const std::vector<search::Score>& scores) {
  if (scores.empty()) return;
  explored_.push_back({trial, scores});
  rounds_ = 0;
  if (leaves_out(baseline(), scores, 0)) return;
  if (std::ranges::any_of(best_, [&](const auto& b) { return leaves_out(b, scores, 0); })) return;
  std::erase_if(best_, [&](const auto& known) { return search::dominates(scores, known, 0); });
  best_.push_back(scores);
}

void FrontScores::opened(const ConfirmationSetup& setup) {
  const bool counts = setup.purpose == Purpose::kFront || setup.purpose == Purpose::kHoldOut;
  if (!scoring_.has_front() || !counts || setup.opponent.value != 0) return;
  confirmations_[setup.id] = setup.candidate;
  if (setup.purpose != Purpose::kFront) return;
  ++again_[setup.candidate].rounds;
  ++rounds_;
}

void FrontScores::evaluated(const ProposedTrial& trial, const FinishedTrial& result) {
  if (!scoring_.has_front()) return;
  auto side = side_of(result);
  const bool is_candidate = trial.arm == Arm::kCandidate;
  const bool is_blameless = search::is_blameless(result.report.outcome);
  const bool failed = (!side && !is_blameless) || !result.beyond_limits.empty();
  if (is_candidate && failed) again_[trial.candidate].excluded = true;
  const auto counted = confirmations_.find(trial.confirmation);
  if (counted == confirmations_.end()) return;
  Again& again = again_[counted->second];
  const Place place{trial.confirmation, trial.device, trial.round};
  const auto first = halves_.find(place);
  if (first == halves_.end()) {
    if (side) halves_.emplace(place, std::move(*side));
    return;
  }
  const Side other = std::move(first->second);
  halves_.erase(first);
  if (!side) return;
  add(is_candidate ? *side : other, is_candidate ? other : *side, again);
}

std::optional<FrontScores::Side> FrontScores::side_of(const FinishedTrial& result) const {
  const auto* measured = std::get_if<search::Measured>(&result.report.outcome);
  if (measured == nullptr) return std::nullopt;
  auto figures = scoring_.figures_of(measured->measurement);
  if (!figures) return std::nullopt;
  EvaluationResult evaluation;
  evaluation.cost = 1;  // it has one
  evaluation.disturbance = measured->measurement.disturbance;
  evaluation.started = result.started;
  evaluation.finished = result.finished;
  return Side{result.id, std::move(*figures), std::move(evaluation)};
}

void FrontScores::add(const Side& candidate, const Side& baseline, Again& again) const {
  if (!flaw_of_pair(candidate.result, baseline.result).empty()) return;
  const auto scores = scoring_.objectives(candidate.figures, baseline.figures);
  again.pairs.push_back({candidate.trial, baseline.trial});
  again.differences.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double value = scores[k].value;
    if (again.first.size() == k) again.first.push_back(std::isnormal(value) ? value : 1);
    again.differences[k].push_back(std::log(value / again.first[k]));
  }
}

const FrontScores::Again* FrontScores::measured_again(TrialId trial) const {
  const auto known = again_.find(trial);
  return known == again_.end() ? nullptr : &known->second;
}

int FrontScores::rounds_of(TrialId trial) const {
  const Again* again = measured_again(trial);
  return again == nullptr ? 0 : again->rounds;
}

FrontScores::Point FrontScores::point_of(TrialId trial, const ObjectivePoint& explored,
                                         const std::vector<double>& errors) const {
  const Again* again = measured_again(trial);
  if (again == nullptr || again->pairs.size() < kFewestPairs) return {trial, explored, {}};
  Point point{trial, {}, again->pairs};
  for (std::size_t k = 0; k < again->differences.size(); ++k) {
    const std::vector<double>& differences = again->differences[k];
    // Few pairs may agree by chance.
    const double sd = std::max(search::sd_of(differences), std::numbers::sqrt2 * errors[k]);
    // What never varies is exact, and equal to an exploration.
    const double value = again->first[k] * std::exp(search::mean_of(differences));
    const auto n = static_cast<double>(differences.size());
    point.scores.push_back({value, value * sd / std::sqrt(n)});
  }
  return point;
}

std::optional<FrontScores::Point> FrontScores::find(TrialId trial,
                                                    const std::vector<double>& errors) const {
  const auto known = std::ranges::find(explored_, trial, &Explored::trial);
  const Again* again = measured_again(trial);
  if (known == explored_.end() || (again != nullptr && again->excluded)) return std::nullopt;
  return point_of(trial, known->scores, errors);
}

// All scores are relative to it.
ObjectivePoint FrontScores::baseline() const {
  return ObjectivePoint(scoring_.sought().size(), search::Score{1, 0});
}

std::vector<FrontScores::Point> FrontScores::all_points(const std::vector<double>& errors) const {
  std::vector<Point> points;
  for (const auto& [trial, scores] : explored_) {
    const Again* again = measured_again(trial);
    if (again == nullptr || !again->excluded) points.push_back(point_of(trial, scores, errors));
  }
  return points;
}

bool FrontScores::baseline_is_unbeaten(double sigmas, const std::vector<double>& errors) const {
  const std::vector<Point> points = all_points(errors);
  return !points.empty() && std::ranges::none_of(points, [&](const Point& p) {
    return search::dominates(p.scores, baseline(), sigmas);
  });
}

std::vector<FrontScores::Point> FrontScores::front(double sigmas,
                                                   const std::vector<double>& errors) const {
  std::vector<Point> points = all_points(errors);
  std::erase_if(points, [&](const Point& p) { return leaves_out(baseline(), p.scores, sigmas); });
  // Then most of the others meet what beats them at once.
  std::ranges::stable_sort(points, {}, [](const Point& p) {
    return std::pair(sum_of(p.scores), -static_cast<double>(p.pairs.size()));
  });
  std::vector<ObjectivePoint> scores;
  for (const Point& p : points) scores.push_back(p.scores);
  std::vector<Point> front;
  for (const std::size_t i : search::pareto_front(scores, sigmas)) {
    const auto stands_for_it = [&](const Point& p) {
      return leaves_out(p.scores, scores[i], sigmas);
    };
    if (std::ranges::none_of(front, stands_for_it)) front.push_back(std::move(points[i]));
  }
  return front;
}

}  // namespace nightshift::scheduler
