#pragma once

#include <cstdio>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "tools/library/space_parts.h"

namespace nightshift {

using Objective = std::function<std::vector<double>(const Configuration&)>;

// The configuration that an object of JSON names, with values of the kinds that the space has: JSON
// writes 2.0 as it likes. Throws Error for what is not in the space.
Configuration configuration_in(const Space::Parts& space, const nlohmann::json& object);

// Answers each line of `requests` with one of `answers`, as servers of [command] do
// (evaluator/README.md): figures under "figure", or the words of what the objective throws. Returns
// at the end of the requests.
void serve_callable(const Space::Parts& space, const Configuration& baseline,
                    const Objective& objective, std::FILE* requests, std::FILE* answers);

}  // namespace nightshift
