#pragma once

#include <string>
#include <vector>

#include "search/configuration.h"

namespace nightshift::tools {

// As the value of a key of TOML.
std::string toml_list(const std::vector<std::string>& texts);
std::string toml_list(const std::vector<search::Configuration>& configurations);

}  // namespace nightshift::tools
