#include "search/acceptance/recheck.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/statistics/distributions.h"

namespace nightshift::search {
namespace {

constexpr double kHeldOutside = 0.025;  // above the interval by which half of a gain is left

bool is_same(const std::string& before, const std::string& now, const RecheckFacts& facts) {
  if (!facts.is_built) return !facts.source_changed;
  return !now.empty() && before == now;
}

bool winner_is_same(const RecheckFacts& f) { return is_same(f.winner_before, f.winner_now, f); }

// One machine code gains nothing over itself, which no pair has to show.
bool is_baseline_code(const RecheckFacts& f) {
  return f.is_built && !f.winner_now.empty() && f.winner_now == f.baseline_now;
}

bool is_undecided(const Verdict& verdict) {
  return std::holds_alternative<Undecided>(verdict.acceptance);
}

double freedom_of(const Verdict& verdict) {
  return verdict.looks.back().pairs - static_cast<double>(verdict.devices.size());
}

// The ratio that the true one is not above, with 97.5 %.
double most_of(const Verdict& verdict) {
  if (verdict.looks.empty() || !(freedom_of(verdict) >= 1)) return verdict.interval.high;
  const double reach = student_upper_quantile(kHeldOutside, freedom_of(verdict));
  return verdict.ratio * std::exp(reach * verdict.looks.back().standard_error);
}

// The gain differs from the stored one in this direction, and that is no chance.
enum class Direction : std::int8_t { kLess = 1, kMore = -1 };
bool is_shown(Direction direction, const RecheckFacts& facts) {
  const Verdict& now = *facts.against_baseline;
  if (now.looks.empty()) return false;
  const double error = now.looks.back().standard_error;
  const double stored_error =
      (std::log(facts.stored_interval.high) - std::log(facts.stored_interval.low)) /
      (2 * normal_upper_quantile((1 - facts.stored_interval.confidence) / 2));
  const double difference =
      static_cast<double>(direction) * (std::log(now.ratio) - std::log(facts.stored_ratio));
  const double joint = std::hypot(error, stored_error);
  const double df = freedom_of(now);
  if (!(std::isfinite(joint) && joint > 0 && df >= 1)) return false;
  return student_upper_tail(difference / joint, df) <= facts.level &&
         -std::expm1(-difference) >= facts.margin;
}

}  // namespace

RecheckStep next_step(const RecheckFacts& facts) {
  if (!facts.broken.empty() || !facts.incomparable.empty()) return RecheckStep::kNothing;
  const bool same_winner = winner_is_same(facts);
  if (same_winner && is_same(facts.baseline_before, facts.baseline_now, facts) &&
      !facts.machine_changed && !facts.asked_otherwise) {
    return RecheckStep::kNothing;
  }
  if (!same_winner && facts.unpaired.empty() && !facts.against_old) return RecheckStep::kAgainstOld;
  return facts.against_baseline ? RecheckStep::kNothing : RecheckStep::kAgainstBaseline;
}

SpeedChange speed_change(const RecheckFacts& facts) {
  if (!facts.against_old) return SpeedChange::kNotAsked;
  const Verdict& v = *facts.against_old;
  if (is_undecided(v)) return SpeedChange::kUndecided;
  const double share = 1 - std::min(v.ratio, 1 / v.ratio);
  if (is_accepted(v) && share >= facts.margin) {
    return v.ratio < 1 ? SpeedChange::kFaster : SpeedChange::kRegressed;
  }
  const bool within = v.interval.low > 1 - facts.margin && v.interval.high < 1 / (1 - facts.margin);
  return is_accepted(v) || within ? SpeedChange::kSame : SpeedChange::kUndecided;
}

AdvantageChange advantage_change(const RecheckFacts& facts) {
  if (!facts.against_baseline) return AdvantageChange::kNotAsked;
  if (is_baseline_code(facts)) return AdvantageChange::kLost;
  const Verdict& v = *facts.against_baseline;
  if (is_undecided(v)) return AdvantageChange::kUndecided;
  if (is_accepted(v) && v.ratio > 1) return AdvantageChange::kLost;
  const bool smaller = is_shown(Direction::kLess, facts);
  if (!is_accepted(v)) return smaller ? AdvantageChange::kLost : AdvantageChange::kUndecided;
  if (smaller) return AdvantageChange::kSmaller;
  const bool half_is_left = most_of(v) <= 1 - (1 - facts.stored_ratio) / 2;
  return half_is_left ? AdvantageChange::kHeld : AdvantageChange::kUndecided;
}

ClaimVerdict claim_verdict_of(const RecheckFacts& facts) {
  if (!facts.broken.empty()) return ClaimVerdict::kBroken;
  switch (advantage_change(facts)) {
    case AdvantageChange::kNotAsked:
      return ClaimVerdict::kNotReached;
    case AdvantageChange::kHeld:
      return is_shown(Direction::kMore, facts) ? ClaimVerdict::kLarger : ClaimVerdict::kHolds;
    case AdvantageChange::kSmaller:
      return ClaimVerdict::kSmaller;
    case AdvantageChange::kLost:
      return ClaimVerdict::kLost;
    case AdvantageChange::kUndecided:
      break;
  }
  return ClaimVerdict::kUndecided;
}

std::string_view name_of(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, 7> kNames = {
      "broken", "lost", "smaller", "undecided", "not reached", "larger", "holds"};
  return kNames[static_cast<std::size_t>(verdict)];
}

RecheckVerdict verdict_of(const RecheckFacts& facts) {
  if (!facts.broken.empty()) return RecheckVerdict::kBroken;
  const SpeedChange speed = speed_change(facts);
  const AdvantageChange advantage = advantage_change(facts);
  if (advantage == AdvantageChange::kLost) return RecheckVerdict::kLost;
  if (speed == SpeedChange::kRegressed) return RecheckVerdict::kRegressed;
  if (advantage == AdvantageChange::kSmaller) return RecheckVerdict::kSmaller;
  if (!facts.incomparable.empty()) return RecheckVerdict::kUndecided;
  if (!facts.reached) return RecheckVerdict::kNotReached;
  if (speed == SpeedChange::kUndecided || advantage == AdvantageChange::kUndecided) {
    return RecheckVerdict::kUndecided;
  }
  if (speed == SpeedChange::kFaster) return RecheckVerdict::kFaster;
  if (speed == SpeedChange::kSame) return RecheckVerdict::kSameSpeed;
  return advantage == AdvantageChange::kHeld ? RecheckVerdict::kHeld : RecheckVerdict::kUnchanged;
}

std::string_view name_of(RecheckVerdict verdict) {
  constexpr std::array<std::string_view, kRecheckVerdicts> kNames = {
      "broken",      "lost",   "regressed",  "smaller", "undecided",
      "not reached", "faster", "same speed", "held",    "unchanged"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(SpeedChange change) {
  constexpr std::array<std::string_view, 5> kNames = {"not asked", "same", "faster", "regressed",
                                                      "undecided"};
  return kNames[static_cast<std::size_t>(change)];
}

std::string_view name_of(AdvantageChange change) {
  constexpr std::array<std::string_view, 5> kNames = {"not asked", "held", "smaller", "lost",
                                                      "undecided"};
  return kNames[static_cast<std::size_t>(change)];
}

bool is_worse(RecheckVerdict verdict) {
  return verdict == RecheckVerdict::kLost || verdict == RecheckVerdict::kRegressed ||
         verdict == RecheckVerdict::kSmaller;
}

double shared_level(double level, std::size_t open) {
  return level / (2 * static_cast<double>(std::max<std::size_t>(open, 1)));
}

AcceptanceSettings settings_of(RecheckStep step, AcceptanceSettings asked, double level) {
  asked.level = level;
  if (step != RecheckStep::kAgainstBaseline) return asked;
  constexpr int kFewest = 8;
  asked.test = DuelTest::kFixed;
  asked.max_pairs = std::max(kFewest, asked.max_pairs / 4);
  return asked;
}

bool ask_in_turn(const std::vector<RecheckFacts*>& winners, const RecheckTurns& turns) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    if (next_step(*winners[i]) != RecheckStep::kNothing) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return winners[i]->stored_ratio; });
  std::size_t open = order.size();
  for (const std::size_t i : order) winners[i]->reached = false;
  for (const std::size_t i : order) {
    RecheckFacts& facts = *winners[i];
    if (turns.is_late()) continue;
    facts.level = shared_level(turns.level(i), open);
    for (auto step = next_step(facts); step != RecheckStep::kNothing; step = next_step(facts)) {
      if (!turns.ask(i, step)) return false;
    }
    facts.reached = true;
    const RecheckVerdict verdict = verdict_of(facts);
    if (is_worse(verdict) || verdict == RecheckVerdict::kFaster) --open;
  }
  return true;
}

}  // namespace nightshift::search
