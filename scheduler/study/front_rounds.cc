#include "scheduler/study/front_rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/pareto.h"

namespace nightshift::scheduler {

using search::TrialId;

namespace {

// One that was cut short may have another.
constexpr int kMostOfOne = 2;
// Of one, where time is short: with two of them an interval reaches 13 standard errors.
constexpr int kFewestOfRound = 3;

std::vector<std::size_t> most_apart_first(const std::vector<FrontScores::Point>& front) {
  std::vector<search::ObjectivePoint> scores;
  for (const FrontScores::Point& p : front) scores.push_back(p.scores);
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<double> distance = search::crowding_distance(scores, order);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
  return order;
}

}  // namespace

bool measures_front_again(const search::Problem& problem) {
  return problem.acceptance.front_pairs > 0 && !search::is_recorded(problem) &&
         search::Scoring(problem).has_front();
}

double front_sigmas(const search::Problem& problem) {
  return search::is_recorded(problem) ? kFrontSigmas : 0;
}

bool FrontRounds::may_vary(const FrontScores::Point& point,
                           const std::vector<double>& errors) const {
  const auto varies = [](double error) { return error > 0; };
  return !state_.baselines().knows_errors() || std::ranges::any_of(errors, varies) ||
         std::ranges::any_of(point.scores, varies, &search::Score::standard_error);
}

std::vector<TrialId> FrontRounds::candidates() const {
  const FrontScores& scores = state_.front();
  const std::vector<double> errors = state_.baselines().objective_errors();
  const auto wants = [&](const FrontScores::Point& p) {
    return p.pairs.empty() && scores.rounds_of(p.trial) < kMostOfOne && may_vary(p, errors);
  };
  std::vector<TrialId> wanted;
  const std::vector<FrontScores::Point> best = scores.front(0, errors);
  for (const std::size_t i : most_apart_first(best)) {
    if (wants(best[i])) wanted.push_back(best[i].trial);
  }
  if (!wanted.empty()) return wanted;
  for (const FrontScores::Point& p : scores.front(kFrontSigmas, errors)) {
    if (wants(p)) wanted.push_back(p.trial);
  }
  return wanted;
}

std::optional<ConfirmationSetup> FrontRounds::next(const Now& now) const {
  const int left = kMost - state_.front().rounds();
  if (!measures_ || now.devices.empty() || left <= 0) return std::nullopt;
  const std::vector<TrialId> wanted = candidates();
  if (wanted.empty()) return std::nullopt;
  const auto devices = static_cast<double>(now.devices.size());
  const double pair_seconds = 2 * now.evaluation_seconds;
  double pairs = std::ceil(problem_.acceptance.front_pairs / devices);
  if (pair_seconds > 0) {
    // Fewer of each rather than none of some.
    const auto count = static_cast<double>(std::min<std::size_t>(wanted.size(), left));
    const double fewest =
        std::ceil(std::min(kFewestOfRound, problem_.acceptance.front_pairs) / devices);
    if (fewest * pair_seconds > now.seconds_left) return std::nullopt;
    const double share = std::floor(now.seconds_left / (count * pair_seconds));
    pairs = std::clamp(share, fewest, std::max(fewest, pairs));
  }
  ConfirmationSetup setup;
  setup.purpose = Purpose::kFront;
  setup.candidate = wanted.front();
  setup.devices = now.devices;
  setup.pairs = static_cast<int>(pairs);
  return setup;
}

int FrontRounds::wanted() const {
  if (!measures_) return 0;
  const auto members = std::min<std::size_t>(state_.front().size_by_value(), kMost);
  return 2 * problem_.acceptance.front_pairs * static_cast<int>(members);
}

}  // namespace nightshift::scheduler
