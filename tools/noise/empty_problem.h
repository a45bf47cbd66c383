#pragma once

#include <optional>
#include <string>

#include "search/problem.h"

namespace nightshift::tools {

// A problem that does nothing, measured in the way of `problem`: what of a figure is the call, the
// launch or the start of a program. Its sources are written into `folder`. nullopt where the figure
// is no time, or not of our taking: servers, programs that print their figures, recordings.
std::optional<search::Problem> empty_problem(const search::Problem& problem,
                                             const std::string& folder);

}  // namespace nightshift::tools
