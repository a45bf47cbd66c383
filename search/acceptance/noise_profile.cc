#include "search/acceptance/noise_profile.h"

#include <algorithm>
#include <cmath>

#include "search/acceptance/aa_error.h"
#include "search/statistics/distributions.h"
#include "search/statistics/outliers.h"
#include "search/statistics/power.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

constexpr std::size_t kLags = 5;
constexpr double kAlpha = 0.01, kPower = 0.9;
constexpr double kFreshShare = 0.25;  // of pairs, as in a confirmation
constexpr double kGains[] = {0.005, 0.01, 0.02, 0.05};
constexpr std::size_t kFewest = 4;
constexpr double kMedianError = 1.2533;  // of a median, in standard errors of a mean
constexpr std::size_t kAffordablePairs = 256;
constexpr int kLeastPairs = 16, kMostAdvised = 1024;
constexpr int kLeastSamples = 5, kMostSamples = 100;

std::vector<double> logs_of(std::span<const double> values) {
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  return logs;
}

// `series` may lie around levels of its own, so it is apart from the values.
Spread spread_of(std::span<const double> values, std::span<const double> series) {
  Spread s;
  s.count = values.size();
  s.median = median_of(values);
  s.sd = sd_of(series);
  s.robust_sd = mad_of(series);
  s.shape = classify(series);
  for (const OutlierLabel label : tukey_labels(series)) {
    s.mild += label == OutlierLabel::kLowMild || label == OutlierLabel::kHighMild ? 1U : 0U;
    s.severe += label == OutlierLabel::kLowSevere || label == OutlierLabel::kHighSevere ? 1U : 0U;
  }
  s.autocorrelation = autocorrelation(series, kLags);
  s.independent_p = ljung_box(series, kLags).p;
  return s;
}

Drift drift_of(std::span<const NoiseEvaluation> evaluations, std::span<const double> logs) {
  Drift drift;
  const SingleChangePoint change = single_change_point(logs);
  drift.step_before = change.first_after;
  drift.step_t = change.abs_t;
  if (change.first_after > 0) {
    drift.step =
        mean_of(logs.subspan(change.first_after)) - mean_of(logs.first(change.first_after));
  }
  std::vector<double> minutes;
  for (const NoiseEvaluation& v : evaluations)
    minutes.push_back((v.started - evaluations.front().started) / 60);
  const double middle = mean_of(minutes), level = mean_of(logs);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    xx += (minutes[i] - middle) * (minutes[i] - middle);
    xy += (minutes[i] - middle) * (logs[i] - level);
  }
  if (logs.size() < kFewest || !(xx > 0)) return drift;
  drift.per_minute = xy / xx;
  std::vector<double> residuals;
  double squares = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    residuals.push_back(logs[i] - level - drift.per_minute * (minutes[i] - middle));
    squares += residuals.back() * residuals.back();
  }
  const double r1 = std::clamp(autocorrelation(residuals, 1).front(), 0.0, 0.99);
  const double variance = squares / static_cast<double>(logs.size() - 2) * (1 + r1) / (1 - r1);
  drift.per_minute_error = std::sqrt(variance / xx);
  return drift;
}

// Logarithms by the process that measured them.
std::vector<std::vector<double>> by_process(std::span<const NoiseEvaluation> evaluations,
                                            std::span<const double> logs) {
  std::vector<std::vector<double>> groups;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (evaluations[i].fresh_process || groups.empty()) groups.emplace_back();
    groups.back().push_back(logs[i]);
  }
  return groups;
}

void add_components(const std::vector<std::vector<double>>& groups, std::size_t count,
                    NoiseLevels& levels) {
  const std::size_t k = groups.size();
  if (k < 2 || count <= k) return;
  const auto processes = static_cast<double>(k);
  double within = 0, inverse_sizes = 0, squares = 0;
  std::vector<double> sizes_of_steps;
  for (std::size_t i = 0; i < k; ++i) {
    const auto n = static_cast<double>(groups[i].size());
    within += variance_of(groups[i]) * (n - 1);
    inverse_sizes += 1 / n;
    if (i == 0) continue;
    const double step = mean_of(groups[i]) - mean_of(groups[i - 1]);
    squares += step * step;
    sizes_of_steps.push_back(std::abs(step));
  }
  const double within_df = static_cast<double>(count - k);
  const double evaluation = within / within_df;
  const double share = evaluation * inverse_sizes / processes;  // of it in the mean of a process
  const auto left = [&](double variance) { return std::sqrt(std::max(0.0, variance - share)); };
  const double between = squares / 2 / (processes - 1);
  levels.evaluation_sd = std::sqrt(evaluation);
  levels.process_sd = left(between);
  levels.process_robust_sd = left(std::pow(kMadToSd * median_of(sizes_of_steps), 2) / 2);
  // Steps overlap: k - 1 of them tell the variance as two thirds as many independent values do.
  if (share > 0) {
    levels.process_p = f_upper_tail(between / share, (processes - 1) * 2 / 3, within_df);
  }
}

NoiseLevels levels_of(std::span<const NoiseEvaluation> evaluations, std::span<const double> logs,
                      std::span<const double> launches) {
  NoiseLevels levels;
  levels.launch_sd = mad_of(launches);
  add_components(by_process(evaluations, logs), logs.size(), levels);
  if (levels.evaluation_sd == 0) levels.evaluation_sd = sd_of(logs);
  std::vector<double> usual, fresh;
  for (std::size_t i = 1; i < evaluations.size(); ++i) {
    (evaluations[i].fresh_process ? fresh : usual)
        .push_back(evaluations[i].finished - evaluations[i - 1].finished);
  }
  levels.evaluation_seconds = median_of(usual);
  if (!fresh.empty()) {
    levels.process_seconds = std::max(0.0, median_of(fresh) - levels.evaluation_seconds);
  }
  return levels;
}

// Launches against the middle of their evaluation.
std::vector<double> launch_series(std::span<const NoiseEvaluation> evaluations) {
  std::vector<double> series;
  for (const NoiseEvaluation& v : evaluations) {
    const std::vector<double> logs = logs_of(v.samples);
    const double middle = median_of(logs);
    for (const double log : logs) series.push_back(log - middle);
  }
  return series;
}

}  // namespace

NoiseProfile profile_noise(std::span<const NoiseEvaluation> evaluations, std::uint64_t seed) {
  NoiseProfile profile;
  if (evaluations.size() < kFewest) return profile;
  std::vector<double> values, launches;
  for (const NoiseEvaluation& v : evaluations) {
    values.push_back(v.value);
    launches.insert(launches.end(), v.samples.begin(), v.samples.end());
  }
  const std::vector<double> logs = logs_of(values);
  const std::vector<double> series = launch_series(evaluations);
  profile.evaluations = spread_of(values, logs);
  profile.launches = spread_of(launches, series);
  profile.drift = drift_of(evaluations, logs);
  profile.levels = levels_of(evaluations, logs, series);
  profile.aa = aa_errors(logs, seed);
  const double process = profile.levels.process_sd;
  const double within = neighbour_sd(logs);
  profile.pair_sd = std::sqrt(within * within + kFreshShare * 2 * process * process);
  // As the size is planned from the scatter of an evaluation: that which gives this scatter of
  // pairs.
  const double cv = std::sqrt(std::expm1(profile.pair_sd * profile.pair_sd / 2));
  const NoiseLevels& cost = profile.levels;
  const double pair_seconds = 2 * (cost.evaluation_seconds + kFreshShare * cost.process_seconds);
  for (const double gain : kGains) {
    const std::size_t pairs = paired_sample_size(kAlpha, kPower, cv, gain);
    profile.detectable.push_back({gain, pairs, static_cast<double>(pairs) * pair_seconds});
  }
  return profile;
}

NoiseAdvice advise(std::span<const NoiseProfile> devices, double launch_seconds, int samples) {
  NoiseAdvice advice;
  std::size_t needed = 0;
  for (std::size_t g = 0; g < std::size(kGains); ++g) {
    needed = 0;
    for (const NoiseProfile& d : devices) {
      if (g < d.detectable.size()) needed = std::max(needed, d.detectable[g].pairs);
    }
    advice.min_improvement = kGains[g];
    if (needed <= kAffordablePairs) break;
  }
  advice.max_pairs = kLeastPairs;
  // A group-sequential test that may end early needs about a tenth more at its last look.
  while (advice.max_pairs < kMostAdvised &&
         static_cast<double>(advice.max_pairs) < 1.1 * static_cast<double>(needed)) {
    advice.max_pairs *= 2;
  }
  for (const NoiseProfile& d : devices) {
    const NoiseLevels& l = d.levels;
    advice.process_per_trial =
        advice.process_per_trial ||
        (std::min(l.process_sd, l.process_robust_sd) > l.evaluation_sd && l.process_p < kAlpha);
    if (launch_seconds <= 0 || samples <= 0) continue;
    // An evaluation's own scatter is what its launches do not explain.
    const double explained = std::pow(kMedianError * l.launch_sd, 2) / samples;
    const double outer = std::sqrt(std::max(0.0, l.evaluation_sd * l.evaluation_sd - explained));
    const double around = std::max(l.evaluation_seconds - launch_seconds * samples, 0.0);
    const std::size_t wanted =
        around > 0 ? repetitions(around, launch_seconds, kMedianError * l.launch_sd, outer) : 1;
    const auto least = static_cast<std::size_t>(kLeastSamples);
    const auto most = static_cast<std::size_t>(kMostSamples);
    advice.samples = std::max(advice.samples, static_cast<int>(std::clamp(wanted, least, most)));
  }
  return advice;
}

}  // namespace nightshift::search
