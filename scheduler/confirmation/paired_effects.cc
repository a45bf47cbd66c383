#include "scheduler/confirmation/paired_effects.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nightshift::scheduler {
namespace {

PairedEffect effect_of(const search::DeviceEffect& effect) {
  return {effect.effect, effect.standard_error * effect.standard_error, effect.pairs - 1.0,
          effect.pairs, false};
}

// The degrees of freedom are those of the shorter one at least.
PairedEffect both_steps(const PairedEffect& a, const PairedEffect& b) {
  return {a.mean + b.mean, a.variance + b.variance, std::min(a.df, b.df),
          std::min(a.pairs, b.pairs), false};
}

}  // namespace

void PairedEffects::concluded(const ConfirmationSetup& setup, const search::Verdict& verdict) {
  const bool holds_out = setup.purpose == Purpose::kHoldOut;
  const bool finishes = setup.purpose == Purpose::kFinishing;
  if (setup.candidate.value == 0 || (!holds_out && !finishes && setup.purpose != Purpose::kDuel)) {
    return;
  }
  const auto opponent = candidates_.find(setup.opponent);
  const bool same_code = finishes && setup.devices.empty();
  if (same_code && opponent != candidates_.end()) {
    Candidate copy = opponent->second;
    candidates_[setup.candidate] = std::move(copy);
    return;
  }
  std::map<std::string, PairedEffect> found;
  for (const search::DeviceEffect& d : verdict.devices) {
    if (d.pairs < 2 || !std::isfinite(d.effect) || !std::isfinite(d.standard_error)) continue;
    if (setup.opponent.value == 0) {
      found[d.device] = effect_of(d);
      found[d.device].held_out = holds_out;
    } else if (opponent != candidates_.end() && opponent->second.devices.contains(d.device)) {
      found[d.device] = both_steps(effect_of(d), opponent->second.devices.at(d.device));
    }
  }
  if (found.empty()) return;
  Candidate& known = candidates_[setup.candidate];
  if (holds_out) known.level = setup.level;
  found.merge(known.devices);
  known.devices = std::move(found);
}

std::optional<PairedEffect> PairedEffects::joined(search::TrialId candidate,
                                                  const std::vector<std::string>& devices) const {
  const auto known = candidates_.find(candidate);
  if (known == candidates_.end()) return std::nullopt;
  PairedEffect all;
  all.held_out = true;
  double count = 0, squares = 0;
  for (const std::string& device : devices) {
    const auto found = known->second.devices.find(device);
    if (found == known->second.devices.end()) continue;
    const PairedEffect& e = found->second;
    all.mean += e.mean;
    all.variance += e.variance;
    all.pairs += e.pairs;
    all.held_out = all.held_out && e.held_out;
    squares += e.variance * e.variance / e.df;
    ++count;
  }
  if (count == 0) return std::nullopt;
  all.df = squares > 0 ? all.variance * all.variance / squares : all.pairs - count;
  all.mean /= count;
  all.variance /= count * count;
  return all;
}

}  // namespace nightshift::scheduler
