#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/configuration.h"

namespace nightshift::evaluator {

// `text` with every {name} replaced by the value of that parameter. {{ stands for one brace, and so
// does one that no name follows; a closing brace by itself means itself. Throws std::runtime_error for a name that the
// configuration does not set, or a brace that is not closed.
std::string substituted(std::string_view text, const search::Configuration& configuration);

// The same for every word of a command line.
std::vector<std::string> substituted(const std::vector<std::string>& words,
                                     const search::Configuration& configuration);

}  // namespace nightshift::evaluator
