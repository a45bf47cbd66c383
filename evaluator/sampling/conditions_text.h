#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluator/sampling/stopping_rule.h"
#include "evaluator/sampling/warm_up_rule.h"

namespace nightshift::evaluator {

using Conditions = std::vector<std::pair<std::string, std::string>>;

// `value` rounded to 1 / `steps`, as text.
std::string rounded(double value, double steps);

// How an evaluation was sampled, and what its samples look like, as conditions of its measurement:
// warm-up, precision, autocorrelation, shape, outliers. `tick`: resolution of a sample, seconds.
void describe_sampling(const WarmUpRule& warm_up, const StoppingRule& rule,
                       const std::vector<double>& seconds, double tick, Conditions& conditions);

}  // namespace nightshift::evaluator
