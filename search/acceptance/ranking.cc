#include "search/acceptance/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <variant>

#include "search/acceptance/duel_statistics.h"
#include "search/statistics/sequential.h"

namespace nightshift::search {
namespace {

constexpr double kConfidence = 0.95;

// Of a two-sided test of one pair at this level.
AcceptanceSettings for_each_side(AcceptanceSettings settings, double level) {
  settings.level = level / 2;
  if (settings.test != DuelTest::kFixed) settings.test = DuelTest::kGroupSequential;
  return settings;
}

Interval ratio_at(const std::vector<DevicePairs>& devices, double confidence) {
  const Interval effect = interval_of(join(devices).pooled, confidence);
  return {std::exp(-effect.high), std::exp(-effect.low), confidence};
}

// Groups in which no two are told apart and to which nobody can be added (Piepho, "An algorithm for
// a letter-based representation of all-pairwise comparisons", 2004: insert and absorb), each by the
// contenders' places in the order.
std::set<std::set<std::size_t>> groups_of(const std::vector<std::vector<bool>>& apart) {
  std::set<std::size_t> everybody;
  for (std::size_t i = 0; i < apart.size(); ++i) everybody.insert(everybody.end(), i);
  std::set<std::set<std::size_t>> groups{everybody};
  for (std::size_t i = 0; i < apart.size(); ++i) {
    for (std::size_t j = i + 1; j < apart.size(); ++j) {
      if (!apart[i][j]) continue;
      std::set<std::set<std::size_t>> divided;
      for (const std::set<std::size_t>& group : groups) {
        if (!group.contains(i) || !group.contains(j)) {
          divided.insert(group);
          continue;
        }
        for (const std::size_t out : {i, j}) {
          std::set<std::size_t> rest = group;
          rest.erase(out);
          divided.insert(std::move(rest));
        }
      }
      groups.clear();
      for (const std::set<std::size_t>& group : divided) {
        const bool absorbed = std::ranges::any_of(divided, [&](const std::set<std::size_t>& other) {
          return other.size() > group.size() && std::ranges::includes(other, group);
        });
        if (!absorbed) groups.insert(group);
      }
    }
  }
  return groups;  // in the order of their best members
}

std::size_t not_apart_among(std::span<const RankedPair> pairs) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pairs, [](const RankedPair& p) { return !p.verdict || !is_accepted(*p.verdict); }));
}

}  // namespace

SharedLevel::SharedLevel(const std::vector<std::size_t>& contenders) {
  for (const std::size_t n : contenders) open_.push_back(n == 0 ? 0 : n * (n - 1) / 2);
}

std::size_t SharedLevel::others(std::size_t ranking) const {
  return std::accumulate(open_.begin(), open_.end(), std::size_t{0}) - open_[ranking];
}

void SharedLevel::ended(std::size_t ranking, std::span<const RankedPair> pairs) {
  open_[ranking] = not_apart_among(pairs);
}

std::vector<RankedPair> pairs_among(std::size_t contenders,
                                    const std::vector<std::string>& devices) {
  std::vector<RankedPair> pairs;
  for (std::size_t i = 0; i < contenders; ++i) {
    for (std::size_t j = i + 1; j < contenders; ++j) {
      RankedPair pair;
      pair.first = i;
      pair.second = j;
      for (const std::string& device : devices) pair.devices.push_back({device, {}, {}, 0});
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

DuelPlan plan_ranking(int devices, const AcceptanceSettings& settings) {
  return plan_comparison(devices, for_each_side(settings, settings.level));
}

void judge_pairs(std::span<RankedPair> pairs, std::size_t look, const AcceptanceSettings& settings,
                 std::size_t others) {
  const double together = 1 - (1 - kConfidence) / static_cast<double>(pairs.size());
  for (bool again = true; again;) {
    again = false;
    const std::size_t left = not_apart_among(pairs);
    if (left == 0) return;
    const AcceptanceSettings share =
        for_each_side(settings, settings.level / static_cast<double>(left + others));
    std::optional<DuelPlan> plan;
    std::vector<std::pair<RankedPair*, Verdict>> not_apart;
    for (RankedPair& pair : pairs) {
      if (pair.verdict) continue;
      if (!plan) plan = plan_comparison(static_cast<int>(pair.devices.size()), share);
      Verdict verdict = judge_comparison(pair.devices, look, *plan, share);
      pair.joint = ratio_at(pair.devices, together);
      if (is_accepted(verdict)) {
        pair.verdict = std::move(verdict);
        again = true;
      } else if (std::holds_alternative<Reject>(verdict.acceptance)) {
        not_apart.emplace_back(&pair, std::move(verdict));
      }
    }
    if (again) continue;  // the others are asked again, at a higher level
    for (auto& [pair, verdict] : not_apart) pair->verdict = std::move(verdict);
  }
}

std::string letter_of_group(std::size_t group) {
  constexpr std::size_t kLetters = 26;
  const std::string letter(1, static_cast<char>('a' + group % kLetters));
  return group < kLetters ? letter : letter + std::to_string(group / kLetters + 1);
}

bool told_apart(const RankedPair& pair, double min_difference) {
  if (!pair.verdict || !is_accepted(*pair.verdict)) return false;
  return 1 - std::min(pair.verdict->ratio, 1 / pair.verdict->ratio) >= min_difference;
}

std::vector<Standing> standings_of(std::span<const RankedPair> pairs, std::size_t contenders,
                                   double min_difference) {
  std::vector<double> cost(contenders, 0.0);
  for (const RankedPair& p : pairs) {
    const double log = p.verdict ? std::log(p.verdict->ratio) : 0;
    cost[p.first] -= log;
    cost[p.second] += log;
  }
  std::vector<std::size_t> order(contenders), place(contenders);
  for (std::size_t i = 0; i < contenders; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cost[i]; });
  for (std::size_t i = 0; i < contenders; ++i) place[order[i]] = i;

  std::vector<Standing> standings(contenders);
  for (std::size_t i = 0; i < contenders; ++i) standings[i].contender = order[i];
  std::vector<std::vector<bool>> apart(contenders, std::vector<bool>(contenders, false));
  for (const RankedPair& p : pairs) {
    if (!told_apart(p, min_difference)) continue;
    const std::size_t first = place[p.first], second = place[p.second];
    apart[first][second] = apart[second][first] = true;
    ++standings[p.verdict->ratio < 1 ? first : second].rank;
  }
  std::size_t number = 0;
  for (const std::set<std::size_t>& group : groups_of(apart)) {
    for (const std::size_t i : group) standings[i].groups.push_back(number);
    ++number;
  }
  return standings;
}

}  // namespace nightshift::search
