#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/model/forest.h"

namespace nightshift::search {

// Positions of up to `count` rows: again and again the highest score less `penalty` times the mean
// similarity to those picked before. Two rows are as similar as the share of the forest's trees in
// which they end in the same leaf (Helion's selection, so that a batch is not one point many times
// over). Rows past the last score count as picked before. Ties go to the first.
std::vector<std::size_t> diverse_picks(const Forest& forest, const PointTable& rows,
                                       std::span<const double> scores, std::size_t count,
                                       double penalty);

}  // namespace nightshift::search
