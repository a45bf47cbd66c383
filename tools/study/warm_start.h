#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::tools {

// What the studies in `folders` found, as far as it fits `space`: trials whose values are all
// configurations of it by name; a parameter that the earlier study did not have stands at its
// default. The best of each folder come first. Scores are relative to each study's own baseline.
// Throws UsageError for a folder that holds no study, or none of whose trials fits.
std::vector<search::KnownTrial> warm_start(const std::vector<std::string>& folders,
                                           const search::ParameterSpace& space);

// Those of `folders` that have a trial which fits the problem's space, the last `most` of them.
std::vector<std::string> that_fit(const std::vector<std::string>& folders,
                                  const search::Problem& problem, std::size_t most);

}  // namespace nightshift::tools
