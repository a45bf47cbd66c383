#include "scheduler/study/duel_time.h"

#include <algorithm>
#include <cmath>

#include "search/acceptance/prospect.h"

namespace nightshift::scheduler {

using search::TrialId;

namespace {

constexpr double kLeastChance = 0.2;  // of a duel that goes on although time is short

}  // namespace

bool DuelTime::waits(TrialId candidate, const Now& now) const {
  if (!now.is_timed || !now.exploring) return false;
  const search::AcceptanceSettings& settings = problem_.acceptance;
  if (state_.duel_share() >= settings.duel_share) return true;
  const double gain = promise(candidate), pair_sd = state_.pair_sd(candidate);
  const Confirmation* duel = state_.confirmations().open().duel_of(candidate);
  // The evaluations that a duel takes are as many whatever the number of its devices.
  const double pairs =
      duel != nullptr
          ? duel->pairs_missing(gain, pair_sd) * static_cast<double>(duel->setup().devices.size())
          : search::pairs_to_show(gain, pair_sd, 1, search::plan_duel(1, settings), settings);
  return state_.duel_share(2 * pairs * state_.mean_seconds()) > settings.duel_share;
}

bool DuelTime::is_short(const Confirmation& duel, const Now& now) const {
  const auto devices = static_cast<double>(duel.setup().devices.size());
  const double whole = 2 * problem_.acceptance.max_pairs / devices * now.evaluation_seconds;
  return ConfirmationPlanner::kFinalDuels * whole > now.seconds_left;
}

bool DuelTime::is_lost(const Confirmation& duel, const Now& now) const {
  if (!is_short(duel, now) || !(now.evaluation_seconds > 0)) return false;
  const auto devices = static_cast<double>(duel.setup().devices.size());
  const double have = static_cast<double>(duel.measured()) / devices;
  const double further = std::max(0.0, now.seconds_left / (2 * now.evaluation_seconds));
  const auto most = static_cast<int>(std::min(have + further, 1e6));
  return duel.chance(state_.prospect(duel.setup().candidate), most) < kLeastChance;
}

bool DuelTime::gives_way(const Confirmation& duel, TrialId other, const Now& now) const {
  const double margin = -std::log1p(-problem_.acceptance.min_improvement);
  return is_short(duel, now) && promise(other) > promise(duel.setup().candidate) + margin;
}

}  // namespace nightshift::scheduler
