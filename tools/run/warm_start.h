#pragma once

#include <string>
#include <vector>

#include "search/parameter_space.h"
#include "search/searcher.h"

namespace nightshift::tools {

// What the studies in `folders` found, as far as it fits `space`: trials whose values are all
// configurations of it by name; a parameter that the earlier study did not have stands at its
// default. The best of each folder come first. Scores are relative to each study's own baseline.
// Throws UsageError for a folder that holds no study, or none of whose trials fits.
std::vector<search::KnownTrial> warm_start(const std::vector<std::string>& folders,
                                           const search::ParameterSpace& space);

}  // namespace nightshift::tools
