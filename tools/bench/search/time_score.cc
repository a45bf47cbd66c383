#include "tools/bench/search/time_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/bench/search/score.h"

namespace nightshift::bench {
namespace {

constexpr double kStartShare = 0.01, kEndShare = 0.95;

std::vector<double> line(double from, double to, std::size_t count) {
  std::vector<double> places(count);
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return places;
}

// Calculated random search on a grid of times.
std::vector<double> smoothed_random(const TimedSpace& space, std::span<const double> grid) {
  const double cost = space.mean_cost + space.failed_share * space.mean_failure_cost;
  std::vector<double> x, y;
  for (const double seconds : grid) {
    const double evaluations = std::nearbyint(std::max(1.0, seconds / cost));
    if (!x.empty() && evaluations <= x.back()) continue;
    x.push_back(evaluations);
    y.push_back(calculated_random(space.values, static_cast<std::size_t>(evaluations)));
  }
  const std::vector<double> places = line(x.front(), x.back(), grid.size());
  const Pchip smooth(x, y);
  std::vector<double> random;
  for (const double place : places) random.push_back(smooth(place));
  return random;
}

}  // namespace

TimeScore::TimeScore(const TimedSpace& space, std::size_t resolution)
    : values_(space.values.begin(), space.values.end()) {
  const std::size_t start = evaluations_to_share(space.values, kStartShare);
  // Two evaluations apart at least, as the package sees to.
  const std::size_t end = std::max(start + 2, evaluations_to_share(space.values, kEndShare));
  grid_ = line(static_cast<double>(start) * space.median_cost,
               static_cast<double>(end) * space.median_cost, resolution);
  random_ = smoothed_random(space, grid_);
}

TimeScore::Pool::Pool(const TimeScore& score, std::span<const TimedRun> runs) {
  std::size_t longest = 1;
  for (const TimedRun& run : runs) longest = std::max(longest, run.best.size());
  const double margin = 0.1 + 0.25 / static_cast<double>(longest);
  const double first = score.start() * (1 - margin), last = score.end() * (1 + margin);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    double end = -1;
    for (std::size_t i = 0; i < runs[r].best.size(); ++i) {
      const auto& best = runs[r].best[i];
      const double seconds = runs[r].seconds[i];
      if (!best) continue;
      end = seconds;
      if (seconds < first || seconds > last) continue;
      const auto place = std::lower_bound(score.values_.begin(), score.values_.end(), *best);
      points_.push_back({seconds, static_cast<double>(place - score.values_.begin()), r});
    }
    ends_.push_back(end);
  }
  std::stable_sort(points_.begin(), points_.end(),
                   [](const Point& a, const Point& b) { return a.seconds < b.seconds; });
}

double TimeScore::flat_from(const Pool& pool, std::span<const double> weights) const {
  std::vector<std::pair<double, double>> ends;  // and their weights
  double total = 0;
  for (std::size_t r = 0; r < pool.ends_.size(); ++r) {
    if (pool.ends_[r] < 0 || !(weights[r] > 0)) continue;
    ends.emplace_back(pool.ends_[r], weights[r]);
    total += weights[r];
  }
  std::sort(ends.begin(), ends.end());
  double below = 0;
  double median = std::numeric_limits<double>::infinity();
  for (const auto& [end, weight] : ends) {
    below += weight;
    if (end > median) return end;
    if (below >= total / 2) median = std::min(median, end);
  }
  return std::numeric_limits<double>::infinity();
}

std::optional<double> TimeScore::of(const Pool& pool, std::span<const double> weights) const {
  std::vector<DecreasingFit::Point> points;
  points.reserve(pool.points_.size());
  for (const Pool::Point& p : pool.points_) {
    if (weights[p.run] > 0) points.push_back({p.seconds, p.rank, weights[p.run]});
  }
  if (points.empty()) return std::nullopt;
  const std::vector<double> ranks = DecreasingFit(points).at(grid_);
  const double flat = flat_from(pool, weights);
  const double last_rank = static_cast<double>(values_.size() - 1);
  // Where random search has come as near to the optimum as rounding lets it, nothing is compared.
  const double least_room = 1e-6 * (median_of_sorted(values_) - values_.front());
  double sum = 0, value = 0;
  std::size_t counted = 0;
  bool held = false;
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    if (!held) {
      const double rank = std::clamp(std::nearbyint(ranks[i]), 0.0, last_rank);
      value = values_[static_cast<std::size_t>(rank)];
    }
    held = grid_[i] > flat;
    const double room = random_[i] - values_.front();
    if (!(room > least_room)) continue;
    sum += (random_[i] - value) / room;
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  return sum / static_cast<double>(counted);
}

}  // namespace nightshift::bench
