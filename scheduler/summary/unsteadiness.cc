#include "scheduler/summary/unsteadiness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

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

}  // namespace nightshift::scheduler
