#include "scheduler/confirmation/kind_hold_outs.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "search/acceptance/duel.h"

namespace nightshift::scheduler {

using search::TrialId;

namespace {

// Of the explorations on a device: those that duels have refuted, and the next.
constexpr std::size_t kKeptOfDevice = 16;

}  // namespace

void KindHoldOuts::explored_on(const std::string& device, TrialId candidate, double score) {
  std::set<std::pair<double, TrialId>>& lowest = lowest_[device];
  std::erase_if(lowest, [&](const auto& kept) { return kept.second == candidate; });
  lowest.emplace(score, candidate);
  if (lowest.size() > kKeptOfDevice) lowest.erase(std::prev(lowest.end()));
}

// By pairs where there are any.
std::optional<std::pair<double, TrialId>> KindHoldOuts::best_on(
    const std::vector<std::string>& devices) const {
  std::optional<std::pair<double, TrialId>> best;
  const auto consider = [&](TrialId candidate, double score) {
    if (!best || std::pair(score, candidate) < *best) best = {score, candidate};
  };
  for (const auto& [candidate, evidence] : effects_.candidates()) {
    const auto effect = effects_.joined(candidate, devices);
    if (effect) consider(candidate, std::exp(-effect->mean));
  }
  for (const std::string& device : devices) {
    const auto explored = lowest_.find(device);
    if (explored == lowest_.end()) continue;
    for (const auto& [score, candidate] : explored->second) {
      if (!effects_.joined(candidate, devices)) consider(candidate, score);
    }
  }
  return best;
}

void KindHoldOuts::opened(const ConfirmationSetup& setup) {
  if (setup.devices.empty()) return;
  OfKind& of_kind = held_out_on_[setup.devices.front()];
  ++of_kind.count;
  of_kind.explored_since = false;
}

void KindHoldOuts::concluded(const ConfirmationSetup& setup, bool is_undecided) {
  if (setup.devices.empty()) return;
  OfKind& of_kind = held_out_on_[setup.devices.front()];
  if (is_undecided) --of_kind.count;
  if (is_undecided && of_kind.undecided++ == 0) of_kind.explored_since = true;
}

std::optional<ConfirmationSetup> KindHoldOuts::due(const Situation& situation,
                                                   std::optional<TrialId> incumbent,
                                                   double pair_sd) const {
  if (situation.exploring || !situation.duels || situation.kinds.size() < 2 ||
      settings_.hold_out_most == 0) {
    return std::nullopt;
  }
  for (const auto& [kind, devices] : situation.kinds) {
    const auto best = best_on(devices);
    if (!best || best->second == incumbent) continue;
    const auto shown = incumbent ? effects_.joined(*incumbent, devices) : std::nullopt;
    const double bar = shown ? std::min(std::exp(-shown->mean), 1.0) : 1;
    if (!(best->first < bar * (1 - settings_.min_improvement))) continue;
    const auto earlier = held_out_on_.find(devices.front());
    const OfKind before = earlier == held_out_on_.end() ? OfKind{0, 0, true} : earlier->second;
    if (!before.explored_since) continue;
    ConfirmationSetup setup;
    setup.purpose = Purpose::kHoldOut;
    setup.candidate = best->second;
    setup.devices = devices;
    const auto count = static_cast<int>(devices.size());
    setup.pairs = search::hold_out_pairs(pair_sd, -std::log(best->first), count, settings_);
    const double share = settings_.level / static_cast<double>(situation.kinds.size());
    setup.level = std::ldexp(share, -before.count);
    return setup;
  }
  return std::nullopt;
}

}  // namespace nightshift::scheduler
