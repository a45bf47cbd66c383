#include "search/acceptance/no_worse.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/power.h"

namespace nightshift::search {
namespace {

constexpr double kPower = 0.8;
constexpr int kFewestPairs = 8;  // over all devices

// In logarithms: ln(time of something worse by the margin / time).
double margin_of(const AcceptanceSettings& settings) { return std::log1p(settings.finish_margin); }

std::vector<DevicePairs> raised(std::span<const DevicePairs> devices, double margin) {
  std::vector<DevicePairs> all(devices.begin(), devices.end());
  for (DevicePairs& d : all) {
    for (double& effect : d.effects) effect += margin;
  }
  return all;
}

void lower(Verdict& verdict, double margin) {
  const double factor = std::exp(margin);
  verdict.ratio *= factor;
  verdict.interval.low *= factor;
  verdict.interval.high *= factor;
  for (Look& look : verdict.looks) look.effect -= margin;
  for (DeviceEffect& device : verdict.devices) device.effect -= margin;
  Interval& prediction = verdict.heterogeneity.prediction;
  if (prediction.low != 0 || prediction.high != 0) {
    prediction = {prediction.low - margin, prediction.high - margin};
  }
}

}  // namespace

Verdict judge_no_worse(std::span<const DevicePairs> devices, std::size_t look, const DuelPlan& plan,
                       const AcceptanceSettings& settings, std::string_view opponent) {
  AcceptanceSettings any_gain = settings;
  any_gain.min_improvement = 0;
  const double margin = margin_of(settings);
  Verdict verdict = judge_duel(raised(devices, margin), look, plan, any_gain);
  lower(verdict, margin);
  const Look& last = verdict.looks.back();
  const std::string words = "candidate " + as_gain(last.effect, gain_form(settings)) + " than " +
                            std::string(opponent) + " after " + std::to_string(last.pairs) +
                            " pairs, " + as_p(last.p_value);
  const std::string limit = as_share(settings.finish_margin, gain_form(settings));
  if (is_accepted(verdict)) {
    verdict.acceptance = Accept{"no more than " + limit + " worse: " + words};
  } else if (auto* more = std::get_if<NeedMore>(&verdict.acceptance)) {
    more->reason = words;
  } else if (last.p_value > last.level) {
    verdict.acceptance = Reject{"it may well be worse by " + limit + ": " + words};
  } else if (verdict.shape.empty() || settings.tail != TailRule::kReject) {
    verdict.acceptance =
        Reject{"devices disagree on whether it is worse by " + limit + ": " + words};
  }
  return verdict;
}

int pairs_to_show_no_worse(double pair_sd, int devices, const AcceptanceSettings& settings) {
  const double margin = margin_of(settings);
  const auto is_enough = [&](int pairs) {
    const auto all = static_cast<std::size_t>(pairs) * static_cast<std::size_t>(devices);
    return !(pair_sd > 0) || detectable_effect(settings.level, kPower, all, pair_sd) <= margin;
  };
  int low = std::max(2, (kFewestPairs + devices - 1) / devices);
  const int most = std::max(low, settings.max_pairs / devices);
  int high = most;
  if (!is_enough(high)) return 0;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (is_enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::min(2 * low, most);
}

}  // namespace nightshift::search
