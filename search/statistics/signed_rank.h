#pragma once

#include <cstddef>
#include <span>

namespace nightshift::search {

// Wilcoxon's signed-rank test (1945), exact: the chance that signs drawn by a fair coin make the
// ranks of the positive differences add up to as much. That is what a coin for the order of each
// pair does to them, however they scatter. Equal sizes share their mean rank; zeros say nothing
// and are left out. 1 where none is left or one is not finite. Of more than kMostExactRanks
// differences by the normal approximation with a correction for continuity.
double signed_rank_p(std::span<const double> differences);
inline constexpr std::size_t kMostExactRanks = 256;

// So many differences at least show something at that level, which is when all are positive.
int fewest_for_signed_rank(double level);

}  // namespace nightshift::search
