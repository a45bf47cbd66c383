#include "search/acceptance/duel_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

#include "search/statistics/sequential.h"

namespace nightshift::search {
namespace {

constexpr int kHalvings = 4;  // the first look is after 1/16 of the pairs
// The levels are those of a normal path, which the t statistics of the first looks follow nearly:
// of 30,000 duels of equal candidates on one device 1.07 % were accepted at a level of 1 % without
// this. Where several devices have to agree fewer are.
constexpr double kOneDevice = 0.92;
constexpr int kEarlyPairs = 4;       // over all devices
constexpr double kEarlyShare = 0.1;  // of the level that is the first look's in proportion
// Of a clipped plan, see plan_duel().
constexpr int kLooksOfDoubling = 4;
constexpr double kInProportion = 0.2;
constexpr double kPower = 2.5;

// Pairs over all devices at each look.
std::vector<int> looks_of(const AcceptanceSettings& settings) {
  const int steps = settings.test == DuelTest::kClipped ? kLooksOfDoubling : 1;
  std::vector<int> looks;
  for (int i = kHalvings; i > 0; --i) {
    const int from = settings.max_pairs >> i;
    for (int step = 0; step < steps; ++step) looks.push_back(from + step * from / steps);
  }
  looks.push_back(settings.max_pairs);
  return looks;
}

std::vector<double> spent_by(const std::vector<double>& fractions, double level, DuelTest test) {
  std::vector<double> spent;
  for (const double f : fractions) {
    const double share = test == DuelTest::kClipped
                             ? kInProportion * f + (1 - kInProportion) * std::pow(f, kPower)
                             : f;
    spent.push_back(level * share);
  }
  return spent;
}

// `fewest`: pairs over all devices before which there is no look but the last.
DuelPlan planned(int devices, const AcceptanceSettings& settings, int fewest) {
  DuelPlan plan;
  const int last = std::max(2, (settings.max_pairs + devices - 1) / devices);
  if (settings.test == DuelTest::kAnytime) {
    const int first = std::clamp((fewest + devices - 1) / devices, 2, last);
    for (int pairs = first; pairs <= last; ++pairs) plan.pairs.push_back(pairs);
    plan.levels.assign(plan.pairs.size(), settings.level);
    return plan;
  }
  if (settings.test == DuelTest::kFixed) return {{last}, {settings.level}};
  std::vector<double> fractions;
  for (const int total : looks_of(settings)) {
    const int pairs = std::clamp((total + devices - 1) / devices, 2, last);
    if (pairs * devices < fewest && pairs < last) continue;
    if (!plan.pairs.empty() && pairs <= plan.pairs.back()) continue;
    plan.pairs.push_back(pairs);
    fractions.push_back(static_cast<double>(pairs) / last);
  }
  const double level = devices == 1 ? kOneDevice * settings.level : settings.level;
  plan.levels = sequential_levels(fractions, spent_by(fractions, level, settings.test));
  const int early = std::max(2, (kEarlyPairs + devices - 1) / devices);
  if (early < plan.pairs.front()) {
    plan.early = early;
    plan.early_level = kEarlyShare * level * fractions.front();
  }
  return plan;
}

DuelPlan known_or_planned(int devices, const AcceptanceSettings& settings, int fewest) {
  using Asked = std::tuple<int, int, double, DuelTest, int>;
  constexpr std::size_t kMost = 256;
  thread_local std::map<Asked, DuelPlan> known;
  const Asked asked{devices, settings.max_pairs, settings.level, settings.test, fewest};
  const auto found = known.find(asked);
  if (found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known.emplace(asked, planned(devices, settings, fewest)).first->second;
}

}  // namespace

double level_together(const AcceptanceSettings& settings) {
  return settings.level / std::max(settings.claims_together, 1);
}

DuelPlan plan_duel(int devices, const AcceptanceSettings& settings) {
  return known_or_planned(devices, settings, 0);
}

DuelPlan plan_comparison(int devices, const AcceptanceSettings& settings) {
  return known_or_planned(devices, settings, kFewestOfComparison);
}

}  // namespace nightshift::search
