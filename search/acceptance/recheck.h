#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/acceptance.h"
#include "search/statistics/interval.h"

namespace nightshift::search {

// A stored winner under today's compiler, driver and device: what was found so far, what is to be
// measured next, and the verdict. All pure.

struct RecheckFacts {
  // Why nothing can be said of the speed: today's winner or baseline cannot be built, or fails.
  std::string broken;
  bool reached = true;  // false: the budget was used up before
  // Hashes of machine code, then and now. Empty where it is not known, or nothing is built.
  std::string winner_before, winner_now, baseline_before, baseline_now;
  bool is_built = true;          // else files decide whether the program is another one
  bool source_changed = false;   // a file that figures depend on
  bool machine_changed = false;  // driver, processor, device, or its settings
  std::string unpaired;          // why old code cannot be measured beside new; empty: it can
  double stored_ratio = 1;       // winner over baseline as it was claimed; lower is better
  Interval stored_interval{1, 1};
  double margin = 0.005;  // smallest change worth mentioning
  double level = 0.01;    // of each question, see shared_level()
  // What figures follow from besides is asked otherwise, see problems::changed_terms().
  bool asked_otherwise = false;
  // Why what was stored cannot be compared with what would be measured; empty: it can.
  std::string incomparable;
  std::optional<Verdict> against_old;       // new winner over old winner, in pairs
  std::optional<Verdict> against_baseline;  // new winner over new baseline, a fixed number of pairs
};

enum class RecheckStep : std::uint8_t { kNothing, kAgainstOld, kAgainstBaseline };
// What has to be measured next. Equal machine code of both on the same machine, asked the same:
// nothing, nor of what cannot be compared. Other code of the winner: first against the old, where
// that can be. Then against the baseline, always.
RecheckStep next_step(const RecheckFacts& facts);

// The new machine code against the old.
enum class SpeedChange : std::uint8_t { kNotAsked, kSame, kFaster, kRegressed, kUndecided };
// kSame: no difference of `margin` is left in the 95 % interval, or what was shown is smaller.
SpeedChange speed_change(const RecheckFacts& facts);

// What is left of the gain over the baseline.
enum class AdvantageChange : std::uint8_t { kNotAsked, kHeld, kSmaller, kLost, kUndecided };
// kHeld: better than the baseline, by at least half of what was stored (95 %), and not shown to be
// less than that. kSmaller: better, and shown to be less. kLost: worse than the baseline, or not
// shown to be better while it is shown to be less than what was stored. "Shown to be less": a
// one-sided t test of both estimates at `level`, and by at least `margin`.
AdvantageChange advantage_change(const RecheckFacts& facts);

// A claim of somebody else, where the winner was measured against the baseline on this machine.
enum class ClaimVerdict : std::uint8_t {
  kBroken,      // nothing can be said of the speed
  kLost,        // as of AdvantageChange
  kSmaller,     // the same
  kUndecided,   // the same
  kNotReached,  // it was not measured
  kLarger,      // better, and shown to be more than was claimed
  kHolds,       // as AdvantageChange::kHeld, and not shown to be more
};
// "Shown to be more" as "shown to be less".
ClaimVerdict claim_verdict_of(const RecheckFacts& facts);
std::string_view name_of(ClaimVerdict verdict);  // "broken", "lost", ..., "larger", "holds"

// The worst of what was found, worst first but for the last two.
enum class RecheckVerdict : std::uint8_t {
  kBroken,
  kLost,
  kRegressed,
  kSmaller,
  kUndecided,
  kNotReached,
  kFaster,
  kSameSpeed,
  kHeld,
  kUnchanged,
};
inline constexpr std::size_t kRecheckVerdicts = 10;
RecheckVerdict verdict_of(const RecheckFacts& facts);
std::string_view name_of(RecheckVerdict verdict);  // "broken", "lost", ..., "same speed", ...
std::string_view name_of(SpeedChange change);      // "not asked", "same", "faster", ...
std::string_view name_of(AdvantageChange change);
bool is_worse(RecheckVerdict verdict);  // lost, regressed, smaller

// The level of each question, so that any false alarm over all winners has a chance of `level` at
// most: Holm's procedure, in the order of measuring. `open` winners are measured and not yet found
// worse or faster; the two questions of one share its part.
double shared_level(double level, std::size_t open);

// How the pairs of a step are judged: `asked`, at this level; against the baseline there is a fixed
// number of pairs, a fourth part of those asked for, since the ratio is compared with the stored
// one.
AcceptanceSettings settings_of(RecheckStep step, AcceptanceSettings asked, double level);

struct RecheckTurns {
  std::function<double(std::size_t winner)> level;  // that all winners share
  std::function<bool()> is_late;                    // no winner is begun any more
  // Measures what the step asks and notes it in the facts, as a verdict or as broken or unpaired.
  // False: it was stopped.
  std::function<bool(std::size_t winner, RecheckStep step)> ask;
};
// Asks about the winners that need a device, those with the largest stored gain first, at levels by
// shared_level(). Those that it comes not to are not `reached`. False where `ask` was stopped.
bool ask_in_turn(const std::vector<RecheckFacts*>& winners, const RecheckTurns& turns);

}  // namespace nightshift::search
