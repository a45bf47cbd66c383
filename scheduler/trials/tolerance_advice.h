#pragma once

#include <string>

#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// What to write where a right answer of a [host] problem, the baseline's or a candidate's, only rounds
// more than the tolerance that counts where the problem has none: "; where that is right, ...". Empty for any other
// failure: with a tolerance of the problem's own, of integers, or where the error is over a hundred
// times what is allowed, which no rounding explains.
std::string tolerance_advice(const search::Problem& problem, const search::TrialOutcome& failure);

}  // namespace nightshift::scheduler
