#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "search/problem.h"

namespace nightshift::tools {

// How much one parameter alone has to do with what was measured.
struct ValueEffect {
  std::string label;  // the value, or "first .. last" of a bin
  std::size_t count = 0;
  double low = 0, median = 0, high = 0;  // quartiles (type 7) of the primary objective
  double best = 0;
};
struct ParameterEffect {
  std::string name;
  // The share of the variance of ln(figure) that the groups of `values` account for, less what as
  // many groups would account for by chance: Kelley's epsilon squared,
  //   1 - (SS within / (n - k)) / (SS total / (n - 1)),
  // of n figures in k groups, which is the adjusted R^2 of a one-way analysis of variance. Not
  // below 0, and 0 where nothing varies. Of the figures themselves where one is not positive.
  // nullopt where each value was measured in one configuration alone (n <= k): other parameters may
  // have made the difference. 1 where no other parameter varied.
  std::optional<double> explained = {};
  bool is_only = false;             // no other parameter varied
  std::vector<ValueEffect> values;  // those that were measured, in the parameter's order
};

inline constexpr std::size_t kMostBins = 20;

// Of every parameter of which two values at least were measured, the one that explains most first.
// What counts are explored configurations that were measured, within limits or not. More than
// kMostBins values are put into bins of as many neighbouring values each (the last has what is
// left).
//
// These are marginals of what the searcher chose to try: it dwells where configurations are good,
// so a parameter that it settled early shows less than it would in a random sample.
std::vector<ParameterEffect> parameter_effects(const scheduler::History& history,
                                               const search::Problem& problem);

// The formula above; nullopt where n <= k.
std::optional<double> explained_share(const std::vector<std::vector<double>>& groups);

// "97.50 %", "all (nothing else varied)" or "unknown (one configuration a value)".
std::string explained_text(const ParameterEffect& effect);

}  // namespace nightshift::tools
