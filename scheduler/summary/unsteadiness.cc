#include "scheduler/summary/unsteadiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "scheduler/summary/study_standing.h"
#include "search/scoring.h"
#include "search/statistics/power.h"
#include "search/statistics/shape.h"
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

namespace {

// Of the two of a pair, in logarithms; of the last self-test, pooled over the devices.
struct PairScatter {
  double deviation = 0;
  int pairs = 0;
};

std::optional<PairScatter> self_test_scatter(const History& history) {
  const search::Verdict* last = nullptr;
  for (const ConfirmationVerdict& verdict : history.verdicts) {
    if (purpose_of(history, verdict) == Purpose::kSelfTest) last = &verdict.verdict;
  }
  if (last == nullptr) return std::nullopt;
  PairScatter scatter;
  double squares = 0;
  int degrees = 0;
  for (const search::DeviceEffect& device : last->devices) {
    if (device.pairs < 2 || !std::isfinite(device.standard_error)) continue;
    const double variance = device.standard_error * device.standard_error * device.pairs;
    squares += variance * (device.pairs - 1);
    degrees += device.pairs - 1;
    scatter.pairs += device.pairs;
  }
  if (degrees == 0) return std::nullopt;
  scatter.deviation = std::sqrt(squares / degrees);
  return scatter;
}

// A program that runs in one of two modes by chance: a self-test may have met one of them alone.
struct TwoModes {
  double low = 0, high = 0;  // of the figure
  double rare_share = 0;
  bool high_is_rare = false;
  double pair_deviation = 0;  // of two evaluations, in logarithms
  std::size_t evaluations = 0;
};

// On the device where they lie farthest apart.
std::optional<TwoModes> two_modes_of(const History& history) {
  std::optional<TwoModes> found;
  for (auto& [device, levels] : levels_of(history)) {
    std::ranges::stable_sort(levels, {}, &Level::at);
    std::vector<double> logarithms;
    for (const Level& level : levels) logarithms.push_back(level.logarithm);
    if (search::classify(logarithms) != search::ShapeLabel::kBimodal) continue;
    const search::TwoMeans groups = search::two_means(logarithms);
    const double deviation = std::sqrt(2 * search::variance_of(logarithms));
    if (found && found->pair_deviation >= deviation) continue;
    const auto high =
        std::ranges::count_if(logarithms, [&](double l) { return l > groups.threshold; });
    found = {std::exp(groups.low_mean),
             std::exp(groups.high_mean),
             groups.smaller_share,
             2 * static_cast<std::size_t>(high) < logarithms.size(),
             deviation,
             logarithms.size()};
  }
  return found;
}

std::string words_of(const TwoModes& modes, const search::Objective& objective) {
  const double usual = modes.high_is_rare ? modes.low : modes.high;
  const double rare = modes.high_is_rare ? modes.high : modes.low;
  const std::string unit = objective.unit.empty() ? "" : " " + objective.unit;
  return fmt::format(
      "the baseline runs in one of two modes by chance: '{}' is about {:.3g}{}, and {:.3g}{} in "
      "{:.2g} % of {} evaluations",
      objective.name, usual, unit, rare, unit, 100 * modes.rare_share, modes.evaluations);
}

}  // namespace

std::string wide_self_test(const History& history, const search::Problem& problem) {
  const search::Objective& objective = search::judged_objective(problem);
  std::optional<PairScatter> scatter = self_test_scatter(history);
  if (!scatter || search::is_difference(objective)) return "";
  std::string seen = fmt::format("{} pairs of the self-test", scatter->pairs);
  if (const auto modes = two_modes_of(history)) {
    scatter->deviation = std::max(scatter->deviation, modes->pair_deviation);
    seen = words_of(*modes, objective);
  }
  const search::AcceptanceSettings& settings = problem.acceptance;
  constexpr double kPower = 0.9;
  const double effect = search::detectable_effect(
      settings.level, kPower, static_cast<std::size_t>(settings.max_pairs), scatter->deviation);
  const double share = std::isfinite(effect) ? 1 - std::exp(-effect) : 1;
  if (share <= std::max(kWideSelfTest, 4 * settings.min_improvement)) return "";
  return fmt::format(
      "the same code differed by {:.2g} % between the two of a pair ({}). A "
      "duel of at most {} pairs finds a difference of {:.2g} % nine times out of ten, and smaller "
      "ones more rarely. Longer samples narrow that (measure.min_sample_seconds, "
      "measure.samples); `nightshift noise` shows what scatters",
      100 * std::expm1(scatter->deviation), seen, settings.max_pairs, 100 * share);
}

}  // namespace nightshift::scheduler
