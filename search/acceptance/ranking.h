#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/acceptance/device_pairs.h"
#include "search/acceptance/duel.h"
#include "search/statistics/interval.h"

namespace nightshift::search {

// Several contenders, each pair of which is asked whether it differs. They are measured in rounds:
// one evaluation of each on the same device, in random order, so that any two of a round are a
// pair.

// Two of them by position, first < second.
struct RankedPair {
  std::size_t first = 0, second = 0;
  std::vector<DevicePairs> devices;  // d = ln(first) - ln(second), one a round
  std::optional<Verdict> verdict;    // of the second against the first; absent while it is open
  Interval joint;  // of the verdict's ratio; those of all pairs hold together with 95 %
};
// (0, 1), (0, 2), ..., (1, 2), ...: nothing measured yet.
std::vector<RankedPair> pairs_among(std::size_t contenders,
                                    const std::vector<std::string>& devices);

// When one looks: rounds on each device as those of a comparison. Its levels are not used.
DuelPlan plan_ranking(int devices, const AcceptanceSettings& settings);

// Takes look `look` at every pair that is open: judge_comparison() gives it a verdict or leaves it
// open, the last look leaves none. The chance that any two equal contenders are told apart is at
// most settings.level, however many there are: Holm's procedure over all pairs, each with a
// group-sequential test whose level is settings.level / (pairs not told apart yet) (Maurer and
// Bretz, "Multiple testing in group sequential trials using graphical approaches", 2013; levels of
// a look rise with the level of the whole, which that needs). A pair that ends without a difference
// gives no level back. Of 1,000 rankings of four equals at a level of 5 % 45 told any two apart.
//
// `others`: pairs of other rankings that share the level, as SharedLevel counts them.
// Needs plan.pairs[look] rounds in each open pair on every device.
void judge_pairs(std::span<RankedPair> pairs, std::size_t look, const AcceptanceSettings& settings,
                 std::size_t others = 0);

// Rankings, one after another, all pairs of which share one level: the same procedure over all of
// them, where a ranking that has ended is asked no more. What it has told apart gives its share to
// those that follow.
class SharedLevel {
 public:
  explicit SharedLevel(const std::vector<std::size_t>& contenders);  // of each ranking
  // Pairs of all the other rankings that are not told apart.
  std::size_t others(std::size_t ranking) const;
  // Pairs that could not be measured are left out: they are no question any more.
  void ended(std::size_t ranking, std::span<const RankedPair> pairs);

 private:
  std::vector<std::size_t> open_;  // pairs of each ranking that are not told apart
};

// One contender in the order of all, best first.
struct Standing {
  std::size_t contender = 0;
  std::size_t rank = 1;  // one more than there are contenders that are shown to be better
  // That it belongs to, ascending; 0 is one of the best. Two contenders share one if and only if
  // they were not told apart.
  std::vector<std::size_t> groups;
};
std::string letter_of_group(std::size_t group);  // "a", "b", ..., "z", "a2", ...
inline constexpr std::size_t kMostRanked = 26;   // their pairs share the error level

// All pairs have verdicts. Told apart are those whose verdict is Accept with a difference of at
// least `min_difference`. The order is that of the mean logarithm against all others.
std::vector<Standing> standings_of(std::span<const RankedPair> pairs, std::size_t contenders,
                                   double min_difference);
bool told_apart(const RankedPair& pair, double min_difference);

}  // namespace nightshift::search
