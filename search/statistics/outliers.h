#pragma once

#include <span>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::search {

// Values far from the others are labelled, never dropped: a slow launch is part of what a kernel
// does. As in criterion.rs and hyperfine. Empty input gives empty output; a NaN among the values
// makes every fence NaN and every label kNone.

enum class OutlierLabel { kNone, kLowSevere, kLowMild, kHighMild, kHighSevere };

// Tukey's fences, "Exploratory Data Analysis" (1977): 1.5 (mild) and 3 (severe) interquartile
// ranges beyond the type-7 quartiles. A value on a fence is inside.
struct TukeyFences {
  Interval mild, severe;
};
TukeyFences tukey_fences(std::span<const double> values);
std::vector<OutlierLabel> tukey_labels(std::span<const double> values);

}  // namespace nightshift::search
