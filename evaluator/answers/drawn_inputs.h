#pragma once

#include <vector>

#include "search/argument.h"

namespace nightshift::evaluator {

// Numbers of float32 between the bounds of a range that is drawn from.
inline constexpr double kFewestNumbers = 256;

// Whether each draw of the inputs says something anew: all floating vectors that are read are drawn
// from numbers that are many, or computed from such. What is the same in all draws rounds alike in
// all of them.
bool are_drawn(const std::vector<search::Argument>& arguments);

// A share of an answer that rounding may be off by with one sign where differences of the inputs are
// left of it: what is near each input's size has steps that are coarse beside the range which is
// drawn from, and roundings move each of two by half a step at most.
double share_of_steps(const std::vector<search::Argument>& arguments);

}  // namespace nightshift::evaluator
