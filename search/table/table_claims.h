#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "search/statistics/interval.h"

namespace nightshift::search {

// The level of the next shape that is asked whether its choice is no worse than the default, where
// `shown` of `shapes` have been shown so. Over all of them the chance of one false "no worse" is at
// most `level`: Holm's procedure in the order of asking. Before the first false one only true ones
// were shown, so that its level is at most level / (false ones there are).
double level_in_turn(double level, std::size_t shapes, std::size_t shown);

// The pairs of one shape in the hold-out of a table.
struct HoldOutShape {
  double weight = 1;
  std::vector<double>
      effects;  // ln(default) - ln(table), one a pair; empty: the table has the default
};

// The table against the default over all its shapes.
struct TableClaim {
  bool accepted = false;
  double ratio = 1;          // weighted geometric mean of table / default
  Interval interval{1, 1};   // 95 %
  double p_value = 1;        // one-sided, that the table is no better
  double signed_rank_p = 1;  // of the shapes' means, two-sided and unweighted; beside the claim
  std::size_t pairs = 0;
  std::size_t shapes = 0;  // that have another choice than the default
  std::string reason;
};

// A t test of the weighted mean of the shapes' means, each shape a stratum with a variance of its
// own (Satterthwaite's degrees of freedom); shapes with the default count with an effect of 0. Which
// shapes have another choice, and how many pairs there are of each, must not depend on these pairs.
// A shape of fewer than two pairs, or an effect that is not finite: no evidence.
TableClaim judge_table(std::span<const HoldOutShape> shapes, double level, bool rises);

}  // namespace nightshift::search
