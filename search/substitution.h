#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/configuration.h"

namespace nightshift::search {

// `text` with every {name} replaced by the value of that parameter. {{ stands for one brace, and so
// does one that no name follows; a closing brace by itself means itself. Throws std::runtime_error
// for a name that the configuration does not set, or a brace that is not closed.
std::string substituted(std::string_view text, const Configuration& configuration);

// The same for every word of a command line.
std::vector<std::string> substituted(const std::vector<std::string>& words,
                                     const Configuration& configuration);

// Of a text with braces around names: the names, in order, each once.
std::vector<std::string> placeholders(std::string_view text);

}  // namespace nightshift::search
