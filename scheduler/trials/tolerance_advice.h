#pragma once

#include <string>

#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// What to write where a right baseline of a [host] problem only rounds more than the tolerance that
// counts where the problem has none: "; where the baseline is right, ...". Empty for any other
// failure: with a tolerance of the problem's own, of integers, or where the error is over a hundred
// times what is allowed, which no rounding explains.
std::string tolerance_advice(const search::Problem& problem, const search::TrialOutcome& failure);

}  // namespace nightshift::scheduler
