#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "search/configuration.h"
#include "search/statistics/interval.h"

namespace nightshift::search {

// Whose agreement an acceptance needs.
enum class Consensus : std::uint8_t {
  kConsistent,  // the mean over the devices is better, and none of them speaks against it
  kStrict,      // every device shows it alone, at the full level
  kMajority,    // the mean is better, and on so many devices
  kFleet,       // the devices are a sample of many: t test over the devices' means
};
enum class DuelTest : std::uint8_t {
  kGroupSequential,  // looks after 8, 16, 32, ... pairs, the error level spent over them
  kClipped,          // the same with outliers limited, and looks after every few pairs
  kAnytime,          // e-process: may be looked at after every pair, needs no plan
  kFixed,            // one look, after all pairs: an estimate that no early end flatters
};
// What becomes of a candidate whose typical time is better and whose tail (p95) is worse.
enum class TailRule : std::uint8_t { kIgnore, kReport, kReject };

// How confirmations are run and judged; from the problem file. `confidence` there sets several of
// them at once.
struct AcceptanceSettings {
  double level = 0.01;  // one-sided error level of each duel and of the final claim
  // The smallest gain over the incumbent that is worth accepting; 0.005 = 0.5 %.
  double min_improvement = 0.005;
  // What is judged is a rate, and words say by how much it rises; not of a file, see judging().
  bool rises = false;
  double difference_scale = 0;  // of what is judged, and its unit; the same
  std::string difference_unit = {};
  Consensus consensus = Consensus::kConsistent;
  int majority = 0;  // devices that must agree under kMajority; 0 = more than half
  DuelTest test = DuelTest::kClipped;
  TailRule tail = TailRule::kReport;
  bool duels = true;  // false: nothing is confirmed, and so nothing is accepted
  // What was explored as worse than the incumbent by less than this meets it in a duel too; 0 =
  // only what promises min_improvement.
  double duel_margin = 0;
  int devices = 0;        // that take part; 0 = four, where there are as many
  int devices_least = 1;  // that must have judged the final claim
  int max_pairs = 128;    // of a duel, over all its devices
  // While configurations are explored under a budget of time, no pair of a duel is begun once duels
  // have taken this share of the time that was measured: where evaluations are noisy, duels are
  // long. 0 = duels only when exploration has ended, 1 = no limit.
  double duel_share = 0.35;
  int self_test_pairs = 16;         // A/A pairs on each device; 0 = no self-test
  double self_test_seconds = 7200;  // until it is repeated
  int hold_out_least = 12;          // pairs on each device for the final claim, at least
  int hold_out_most = 128;          // and at most; 0 = no hold-out, and so no claim
  // Studies whose claims are to hold together, as a batch's are: a hold-out is judged at `level`,
  // and has pairs for level / claims_together.
  int claims_together = 1;
  Configuration canary;  // known to be slower than the baseline; empty = none
  // What is simpler than the winner takes its place where it is worse by less than this; 0 =
  // nothing is tried. See search/acceptance/no_worse.h.
  double finish_margin = 0.003;
  double finish_share = 0.1;  // of a budget of time, for that; at most
  // Members of the Pareto front are measured again, in so many pairs with the baseline, over all
  // devices; 0 = they are handed over as they were explored.
  int front_pairs = 4;
  double front_share = 0.15;  // of a budget of time, which is kept for that; at most
};

struct Accept {
  std::string reason;
};
struct Reject {
  std::string reason;
};
// Further pairs on each device.
struct NeedMore {
  int pairs = 0;
  std::string reason;
};
// What was measured cannot be judged: a device was lost, or its evaluations were disturbed. Never
// counts as agreement.
struct Undecided {
  std::string reason;
};
using Acceptance = std::variant<Accept, Reject, NeedMore, Undecided>;

// One look at the pairs of a duel: what was known then, and what would have been enough.
struct Look {
  int pairs = 0;              // over all devices
  double effect = 0;          // ln(opponent) - ln(candidate), mean of the devices' means
  double standard_error = 0;  // of `effect`; infinite where nothing is known of it
  double p_value = 1;         // one-sided; of the anytime test 1/E, at most 1
  double level = 0;           // accepted where p_value is not above
  friend bool operator==(const Look&, const Look&) = default;
};

// What one device says.
struct DeviceEffect {
  std::string device;
  int pairs = 0;
  int voided = 0;  // pairs that did not count: disturbed, or one evaluation failed
  double effect = 0;
  double standard_error = 0;
  friend bool operator==(const DeviceEffect&, const DeviceEffect&) = default;
};

// Do the devices agree? Of one device, or where nothing is known: as initialised.
struct Heterogeneity {
  double p_value = 1;    // Cochran's Q
  double tau = 0;        // sd between devices, DerSimonian-Laird
  Interval prediction;   // 95 % of the effect on a device that was not asked; {0, 0} where unknown
  bool depends = false;  // p < 1 %, or tau above half of the effect: do not extrapolate
};

// The joined answer of a confirmation.
struct Verdict {
  Acceptance acceptance;
  double ratio = 1;    // candidate over opponent, geometric mean over devices; lower is better
  Interval interval;   // of `ratio`, by the test that ended it, at its level (claim_interval.h)
  double p_value = 1;  // that the candidate is no better than the opponent
  std::vector<Look> looks;
  std::vector<DeviceEffect> devices;
  Heterogeneity heterogeneity;
  // "faster but wider: p95 is 4.1 % worse", where the typical figure is better and the tail is not.
  std::string shape;
};

std::string_view name_of(const Acceptance& acceptance);  // "accept", "reject", "need more", ...
const std::string& reason_of(const Acceptance& acceptance);
bool is_accepted(const Verdict& verdict);

}  // namespace nightshift::search
