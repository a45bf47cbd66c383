#include "scheduler/summary/unsteadiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "scheduler/summary/study_standing.h"
#include "search/scoring.h"
#include "search/statistics/power.h"
#include "search/statistics/summary.h"

namespace nightshift::scheduler {
namespace {

constexpr std::size_t kFewest = 8;
constexpr double kShown = 2.326;  // standard errors: 1 %, one-sided
constexpr double kSpread = 1.96;  // standard deviations: 95 %, two-sided

struct Level {
  double at = 0, logarithm = 0;
};

// Of baselines, and of what confirmations compare with them.
std::map<std::string, std::vector<Level>> levels_of(const History& history) {
  std::map<std::string, std::vector<Level>> levels;
  for (const TrialRecord& record : history.trials) {
    const search::JobKind job = record.proposed.job;
    const bool is_baseline = job == search::JobKind::kBaseline ||
                             job == search::JobKind::kRebaseline ||
                             record.proposed.arm == Arm::kBaseline;
    if (!is_baseline || !record.finished || !record.finished->value) continue;
    const double value = *record.finished->value;
    if (!(value > 0) || !std::isfinite(value)) continue;
    levels[record.finished->device].push_back({middle_of(*record.finished), std::log(value)});
  }
  return levels;
}

}  // namespace

double slow_scatter(std::span<const double> levels) {
  const std::size_t n = levels.size();
  if (n < kFewest) return 0;
  const double all = search::variance_of(levels);
  double squares = 0;
  for (std::size_t i = 1; i < n; ++i) squares += std::pow(levels[i] - levels[i - 1], 2);
  const auto count = static_cast<double>(n);
  const double quick = squares / (2 * (count - 1));
  if (!(all > quick)) return 0;
  const double error = std::sqrt((count - 2) / (count * count - 1));
  if (1 - quick / all < kShown * error) return 0;
  return kSpread * std::sqrt(all - quick);
}

std::optional<Unsteadiness> unsteadiness_of(const History& history, double ratio,
                                            const search::Interval& claim, double least) {
  if (!(claim.low > 0) || !(ratio > 0) || !std::isfinite(claim.high)) return std::nullopt;
  const double half = std::max(std::log(claim.high / ratio), std::log(ratio / claim.low));
  std::optional<Unsteadiness> worst;
  for (auto& [device, levels] : levels_of(history)) {
    std::vector<Level> ordered = levels;
    std::ranges::stable_sort(ordered, {}, &Level::at);
    std::vector<double> logarithms;
    for (const Level& level : ordered) logarithms.push_back(level.logarithm);
    const double scatter = slow_scatter(logarithms);
    const double share = std::expm1(scatter);
    if (scatter <= half || share <= least || (worst && share <= worst->share)) continue;
    worst = {device, share, ordered.size()};
  }
  return worst;
}

std::string wide_self_test(const History& history, const search::Problem& problem) {
  const search::Verdict* last = nullptr;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    if (purpose_of(history, verdict) == Purpose::kSelfTest) last = &verdict.verdict;
  }
  if (last == nullptr || search::is_difference(search::judged_objective(problem))) return "";
  // Of a pair, pooled over the devices.
  double squares = 0;
  int pairs = 0, degrees = 0;
  for (const search::DeviceEffect& device : last->devices) {
    if (device.pairs < 2 || !std::isfinite(device.standard_error)) continue;
    const double variance = device.standard_error * device.standard_error * device.pairs;
    squares += variance * (device.pairs - 1);
    degrees += device.pairs - 1;
    pairs += device.pairs;
  }
  if (degrees == 0) return "";
  const double deviation = std::sqrt(squares / degrees);
  const search::AcceptanceSettings& settings = problem.acceptance;
  constexpr double kPower = 0.9;
  const double effect = search::detectable_effect(
      settings.level, kPower, static_cast<std::size_t>(settings.max_pairs), deviation);
  const double share = std::isfinite(effect) ? 1 - std::exp(-effect) : 1;
  if (share <= std::max(kWideSelfTest, 4 * settings.min_improvement)) return "";
  return fmt::format(
      "the same code differed by {:.2g} % between the two of a pair ({} pairs of the self-test). A "
      "duel of at most {} pairs finds a difference of {:.2g} % nine times out of ten, and smaller "
      "ones more rarely. Longer samples narrow that (measure.min_sample_seconds, "
      "measure.samples); `nightshift noise` shows what scatters",
      100 * std::expm1(deviation), pairs, settings.max_pairs, 100 * share);
}

}  // namespace nightshift::scheduler
