#include "search/acceptance/duel_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <set>

#include "search/statistics/distributions.h"
#include "search/statistics/e_process.h"
#include "search/statistics/inversion.h"
#include "search/statistics/meta_analysis.h"
#include "search/statistics/signed_rank.h"
#include "search/statistics/summary.h"

namespace nightshift::search {
namespace {

constexpr double kDependsBelow = 0.01;  // p of Cochran's Q
constexpr double kTailLevel = 0.01;
constexpr double kLeastError = 1e-6;                   // where a device has one pair
constexpr double kClip = 2;                            // robust standard deviations
constexpr double kLandslide = 0.69314718055994530942;  // ln 2

std::vector<std::vector<double>> collected(std::span<const DevicePairs> devices,
                                           std::vector<double> DevicePairs::*which) {
  std::vector<std::vector<double>> all;
  for (const DevicePairs& d : devices) all.push_back(d.*which);
  return all;
}

std::vector<double> errors_of_means(std::span<const DevicePairs> devices) {
  const double variance = std::max(pooled_variance(devices), kDifferenceVariance);
  std::vector<double> errors;
  for (const DevicePairs& d : devices) {
    const auto pairs = static_cast<double>(std::max<std::size_t>(d.effects.size(), 1));
    errors.push_back(std::sqrt(variance / pairs));
  }
  return errors;
}

// Bets of 1/4, 1/2, 1, 2 and 4 standard deviations. A device's scale is that of the sizes |d| of
// its pairs up to the present one, which the coin of that pair knows nothing of: its sign is as
// likely one as the other whatever they are, so that each factor has mean 1.
double anytime_p(std::span<const DevicePairs> devices) {
  constexpr int kBets = 5;
  constexpr double kLargestScale = 4;  // standard deviations that a difference is counted in
  constexpr double kSdOfMeanSize = 1.2533141;  // of a normal distribution: sqrt(pi / 2)
  TanhEProcess process(0, kBets);
  for (const DevicePairs& d : devices) {
    double sizes = 0, pairs = 0;
    for (const double effect : d.effects) {
      sizes += std::abs(effect);
      const double sd = kSdOfMeanSize * sizes / ++pairs;
      process.add(sd > 0 ? effect / (kLargestScale * sd) : 0);
    }
  }
  return std::min(1.0, std::exp(-process.log_e()));
}

double own_p(const DevicePairs& device, const AcceptanceSettings& settings) {
  const std::span<const DevicePairs> alone(&device, 1);
  if (settings.test == DuelTest::kAnytime) return anytime_p(alone);
  return std::max(join(as_judged(alone, settings)).pooled.p, least_p(alone));
}

// The means of the devices are the sample (t with G-1 degrees of freedom).
double fleet_p(const Joined& joined) {
  const std::span<const double> means(joined.pooled.device_means);
  return stratified_t(std::span(&means, 1), 0, kDifferenceVariance).p;
}

bool is_rejected(std::span<const DevicePairs> devices, double effect, const PairTest& test,
                 double level) {
  std::vector<DevicePairs> shifted(devices.begin(), devices.end());
  for (DevicePairs& d : shifted) {
    for (double& of_pair : d.effects) of_pair -= effect;
  }
  return test(shifted) <= level;
}

// Of an interval in logarithms: nearly always the t test decides.
double lower_end(std::span<const DevicePairs> devices, const PairTest& test, double level) {
  const StratifiedT pooled = join(devices).pooled;
  const double guess = interval_of(pooled, 1 - 2 * level).low;
  const bool is_known = pooled.error > 0 && std::isfinite(pooled.error);
  const double error = is_known ? pooled.error : std::max(std::abs(pooled.estimate), kLeastError);
  return least_not_rejected(
      [&](double effect) { return is_rejected(devices, effect, test, level); }, guess,
      pooled.estimate, error);
}

}  // namespace

std::vector<double> all_effects(std::span<const DevicePairs> devices) {
  std::vector<double> effects;
  for (const DevicePairs& d : devices) {
    effects.insert(effects.end(), d.effects.begin(), d.effects.end());
  }
  return effects;
}

double pooled_variance(std::span<const DevicePairs> devices) {
  double squares = 0;
  std::size_t degrees = 0;
  for (const DevicePairs& d : devices) {
    if (d.effects.size() < 2) continue;
    squares += variance_of(d.effects) * static_cast<double>(d.effects.size() - 1);
    degrees += d.effects.size() - 1;
  }
  return degrees > 0 ? squares / static_cast<double>(degrees) : 0;
}

std::vector<DevicePairs> clipped(std::span<const DevicePairs> devices) {
  std::vector<DevicePairs> all(devices.begin(), devices.end());
  for (DevicePairs& d : all) {
    if (!all_finite(d.effects)) continue;
    std::vector<double> sizes;
    for (const double effect : d.effects) sizes.push_back(std::abs(effect));
    const double limit = kClip * kMadToSd * median_of(sizes);
    if (!(limit > 0)) continue;
    const auto within =
        std::ranges::count_if(sizes, [limit](double size) { return size <= limit; });
    const double share = static_cast<double>(within) / static_cast<double>(sizes.size());
    for (double& effect : d.effects) effect = std::clamp(effect, -limit, limit) / share;
  }
  return all;
}

std::vector<DevicePairs> as_judged(std::span<const DevicePairs> devices,
                                   const AcceptanceSettings& settings) {
  if (settings.test == DuelTest::kClipped) return clipped(devices);
  return {devices.begin(), devices.end()};
}

double least_p(std::span<const DevicePairs> devices) {
  constexpr double kAgain = 0.25;
  constexpr double kFine = 0.5;  // of the mean: steps below are none to it
  std::vector<double> all;
  std::size_t distinct = 0;
  double step = std::numeric_limits<double>::infinity();  // least between values of one device
  for (const DevicePairs& d : devices) {
    const std::set<double> values(d.effects.begin(), d.effects.end());
    distinct += values.size();
    for (auto at = values.begin(); at != values.end() && std::next(at) != values.end(); ++at) {
      step = std::min(step, *std::next(at) - *at);
    }
    all.insert(all.end(), d.effects.begin(), d.effects.end());
  }
  const bool is_fine = step < kFine * std::abs(mean_of(all));
  if (all.size() <= devices.size() || 2 * distinct > all.size() || is_fine) return 0;
  if (distinct > devices.size()) return signed_rank_p(all);
  const bool all_better = std::ranges::all_of(all, [](double d) { return d > 0; });
  return all_better ? std::pow(kAgain, static_cast<double>(all.size())) : 1;
}

Joined join(std::span<const DevicePairs> devices) {
  Joined joined;
  const auto effects = collected(devices, &DevicePairs::effects);
  joined.pooled = stratified_t(strata_of(effects), 0, kDifferenceVariance);
  const std::vector<double> errors = errors_of_means(devices);
  std::vector<double> means;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    means.push_back(mean_of(devices[i].effects));
    joined.devices.push_back({devices[i].device, static_cast<int>(devices[i].effects.size()),
                              devices[i].voided, means.back(), errors[i]});
  }
  const MetaAnalysis meta = meta_analysis(means, errors);
  const double overall = joined.pooled.estimate;
  if (devices.size() > 1) {
    const double tau = std::sqrt(meta.tau_squared);
    joined.heterogeneity.p_value = meta.q_p;
    joined.heterogeneity.tau = tau;
    if (std::isfinite(meta.prediction.low)) joined.heterogeneity.prediction = meta.prediction;
    joined.heterogeneity.depends =
        meta.q_p < kDependsBelow || (meta.q_p < 0.1 && tau > std::abs(overall) / 2);
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const double share = meta.tau_squared / (meta.tau_squared + errors[i] * errors[i]);
    const double mean = overall + share * (means[i] - overall);
    const double error = std::isfinite(joined.pooled.error) ? joined.pooled.error : 0;
    const double sd = std::sqrt(share * errors[i] * errors[i] + (1 - share) * error * error);
    joined.doubts.push_back(sd > 0 ? normal_upper_tail(mean / sd) : (mean > 0 ? 0.0 : 1.0));
  }
  return joined;
}

bool shows_landslide(double effect) { return effect > kLandslide; }

bool is_landslide(std::span<const DevicePairs> devices) {
  return !devices.empty() && std::ranges::all_of(devices, [](const DevicePairs& d) {
    return !d.effects.empty() && std::ranges::all_of(d.effects, shows_landslide);
  });
}

double duel_p(std::span<const DevicePairs> devices, const Joined& joined,
              const AcceptanceSettings& settings) {
  switch (settings.consensus) {
    case Consensus::kStrict: {
      double worst = 0;
      for (const DevicePairs& d : devices) worst = std::max(worst, own_p(d, settings));
      return devices.empty() ? 1 : worst;
    }
    case Consensus::kFleet:
      return fleet_p(joined);
    case Consensus::kConsistent:
    case Consensus::kMajority:
      break;
  }
  if (settings.test == DuelTest::kAnytime) return anytime_p(devices);
  return is_landslide(devices) ? joined.pooled.p : std::max(joined.pooled.p, least_p(devices));
}

std::vector<DevicePairs> turned(std::span<const DevicePairs> devices) {
  std::vector<DevicePairs> other(devices.begin(), devices.end());
  for (DevicePairs& d : other) {
    for (double& effect : d.effects) effect = -effect;
    for (double& tail : d.tails) tail = -tail;
  }
  return other;
}

Interval claim_interval(std::span<const DevicePairs> devices, const PairTest& test, double level) {
  const double gain = lower_end(devices, test, level);
  const double loss = lower_end(turned(devices), test, level);
  return {std::exp(loss), std::exp(-gain), 1 - 2 * level};
}

Verdict verdict_of(const Joined& joined) {
  Verdict verdict;
  verdict.ratio = std::exp(-joined.pooled.estimate);
  const Interval effect = interval_of(joined.pooled, 0.95);
  verdict.interval = {std::exp(-effect.high), std::exp(-effect.low), effect.confidence};
  verdict.p_value = joined.pooled.p;
  verdict.devices = joined.devices;
  verdict.heterogeneity = joined.heterogeneity;
  return verdict;
}

std::string as_percent(double share) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

std::string as_size(double effect, const GainForm& form) {
  char text[64];
  const bool is_difference = form.difference_scale > 0;
  const double size = std::abs(effect) * (is_difference ? form.difference_scale : 100);
  std::snprintf(text, sizeof text, is_difference ? "%.4g" : "%.2g %%", size);
  return is_difference && !form.unit.empty() ? std::string(text) + " " + form.unit : text;
}

std::string as_gain(double effect, const GainForm& form) {
  const std::string words = effect >= 0 ? " better" : " worse";
  if (form.difference_scale > 0) return as_size(effect, form) + words;
  const double share = form.rises ? std::expm1(effect) : -std::expm1(-effect);
  return as_percent(std::abs(share)) + words;
}

std::string as_share(double share, const GainForm& form) {
  return form.difference_scale > 0 ? as_size(std::log1p(-share), form) : as_percent(share);
}

std::string as_p(double p) {
  char text[64];
  std::snprintf(text, sizeof text, "p = %.2g", p);
  return text;
}

std::string shape_of(std::span<const DevicePairs> devices, const GainForm& form) {
  auto tails = collected(devices, &DevicePairs::tails);
  for (auto& device : tails) {
    for (double& d : device) d = -d;
  }
  const StratifiedT worse = stratified_t(strata_of(tails), 0, kDifferenceVariance);
  if (!(worse.p < kTailLevel)) return "";
  return "better but wider: p95 is " + as_gain(-worse.estimate, form);
}

}  // namespace nightshift::search
