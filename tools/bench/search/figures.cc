#include "tools/bench/search/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/statistics/summary.h"
#include "tools/bench/search/score.h"
#include "tools/bench/search/time_score.h"

namespace nightshift::bench {
namespace {

constexpr double kWithin = 1 / 1.01;  // "within 1 % of the optimum"

double mean_statistic(std::span<const double> numbers) { return search::mean_of(numbers); }
double median_statistic(std::span<const double> numbers) {
  return search::quantile_of(numbers, 0.5);
}
double tenth_statistic(std::span<const double> numbers) {
  return search::quantile_of(numbers, 0.1);
}

double fraction_at(const Replay& run, double optimum, std::size_t evaluations) {
  if (run.best.empty()) return 0;
  const auto& best = run.best[std::min(evaluations, run.best.size()) - 1];
  return best ? optimum / *best : 0;
}

std::vector<double> fractions_at(const Runs& runs, double optimum, std::size_t evaluations) {
  std::vector<double> fractions;
  for (const Replay& run : runs) fractions.push_back(fraction_at(run, optimum, evaluations));
  return fractions;
}

double evaluations_to(const Replay& run, double optimum, double fraction) {
  const auto good = [&](const auto& best) { return best && optimum / *best >= fraction; };
  const auto first = std::find_if(run.best.begin(), run.best.end(), good);
  if (first == run.best.end()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(first - run.best.begin() + 1);
}

template <class Number>
std::vector<double> of_each(const Runs& runs, const Number& number) {
  std::vector<double> numbers;
  for (const Replay& run : runs) numbers.push_back(static_cast<double>(number(run)));
  return numbers;
}

std::vector<double> score_curve(const Replay& run, double before_success) {
  std::vector<double> curve;
  for (const auto& best : run.best) curve.push_back(best.value_or(before_success));
  return curve;
}

TimedSpace timed(const ReplaySpace& space) {
  TimedSpace result;
  result.values = space.sorted_values();
  std::vector<double> costs;
  double good = 0, failed = 0;
  for (const ReplayTrial& trial : space.trials()) {
    costs.push_back(trial.seconds);
    (trial.value ? good : failed) += trial.seconds;
  }
  result.median_cost = search::quantile_of(costs, 0.5);
  result.mean_cost = good / static_cast<double>(space.sorted_values().size());
  if (space.failures() > 0) result.mean_failure_cost = failed / double(space.failures());
  result.failed_share = double(space.failures()) / static_cast<double>(space.size());
  return result;
}

std::optional<Estimate> score_by_time(const ReplaySpace& space, const Runs& runs,
                                      const Resamples& resamples, const FigureSettings& settings) {
  const TimedSpace description = timed(space);
  if (!(description.median_cost > 0)) return std::nullopt;
  if (evaluations_to_share(description.values, 0.95) > settings.budget) return std::nullopt;
  const TimeScore score(description);
  std::vector<TimedRun> timed_runs;
  for (const Replay& run : runs) timed_runs.push_back({run.best, run.clock});
  const TimeScore::Pool pool(score, timed_runs);
  std::vector<double> weights(runs.size(), 1.0);
  const auto value = score.of(pool, weights);
  if (!value) return std::nullopt;
  Estimate result;
  result.value = *value;
  const std::size_t samples = std::min(settings.time_samples, resamples.samples());
  for (std::size_t b = 0; b < samples; ++b) {
    std::fill(weights.begin(), weights.end(), 0.0);
    for (const std::uint32_t i : resamples.draw(b)) weights[i] += 1;
    result.replicates.push_back(score.of(pool, weights).value_or(*value));
  }
  return result;
}

std::optional<Overhead> overhead_of(const Runs& runs) {
  std::vector<double> seconds;
  for (const Replay& run : runs) {
    seconds.insert(seconds.end(), run.overhead.begin(), run.overhead.end());
  }
  if (seconds.empty()) return std::nullopt;
  const double mean = search::mean_of(seconds);
  return Overhead{mean, search::quantile_of(seconds, 0.99)};
}

void fill_every(Figures& figures, const Runs& runs, double optimum, std::size_t budget) {
  for (std::size_t m = 1; m <= budget; ++m) {
    std::vector<double> fractions = fractions_at(runs, optimum, m);
    figures.every_mean.push_back(mean_statistic(fractions));
    figures.every_median.push_back(median_statistic(fractions));
    figures.every_lowest_tenth.push_back(tenth_statistic(fractions));
  }
}

}  // namespace

std::vector<std::size_t> checkpoints(std::size_t budget) {
  std::vector<std::size_t> marks;
  for (const std::size_t mark : {25U, 50U, 100U, 200U, 400U}) {
    if (mark < budget) marks.push_back(mark);
  }
  marks.push_back(budget);
  return marks;
}

std::vector<std::size_t> logarithmic_places(std::size_t budget, std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    const double place = std::pow(static_cast<double>(budget), part);
    const auto whole = static_cast<std::size_t>(std::lround(place));
    if (places.empty() || whole > places.back()) places.push_back(whole);
  }
  return places;
}

double expected_random_fraction(const ReplaySpace& space, std::size_t evaluations) {
  std::vector<double> fractions;
  for (const double value : space.sorted_values()) fractions.push_back(space.optimum() / value);
  return expected_of_random(fractions, space.failures(), evaluations, 0);
}

Figures figures_of(const ReplaySpace& space, const Runs& runs, std::uint64_t part,
                   const FigureSettings& settings) {
  const Resamples resamples(runs.size(), settings.samples, part);
  const double optimum = space.optimum();
  Figures figures;
  for (const std::size_t mark : checkpoints(settings.budget)) {
    const std::vector<double> fractions = fractions_at(runs, optimum, mark);
    figures.at.push_back({resamples.of(fractions, median_statistic),
                          resamples.of(fractions, mean_statistic),
                          resamples.of(fractions, tenth_statistic)});
  }
  const auto each = [&](const auto& number, const Resamples::Statistic& statistic) {
    return resamples.of(of_each(runs, number), statistic);
  };
  figures.hits = each(
      [&](const Replay& r) { return fraction_at(r, optimum, settings.budget) >= kWithin ? 1 : 0; },
      mean_statistic);
  figures.to_95 =
      each([&](const Replay& r) { return evaluations_to(r, optimum, 0.95); }, median_statistic);
  figures.to_99 =
      each([&](const Replay& r) { return evaluations_to(r, optimum, 0.99); }, median_statistic);
  const EvaluationScore score(space.sorted_values(), settings.budget);
  figures.score_evaluations =
      each([&](const Replay& r) { return score.of(score_curve(r, score.before_success())); },
           mean_statistic);
  figures.score_time = score_by_time(space, runs, resamples, settings);
  figures.failures = each([](const Replay& r) { return r.failures; }, mean_statistic);
  figures.evaluations = each([](const Replay& r) { return r.best.size(); }, mean_statistic);
  figures.builds = each([](const Replay& r) { return r.builds; }, mean_statistic);
  figures.overhead = overhead_of(runs);
  for (const std::size_t place : logarithmic_places(settings.budget, kCurvePlaces)) {
    figures.curve.push_back(resamples.of(fractions_at(runs, optimum, place), mean_statistic));
  }
  fill_every(figures, runs, optimum, settings.budget);
  return figures;
}

}  // namespace nightshift::bench
