#pragma once

#include <string>
#include <utility>

namespace nightshift::problems {

// A key of the TOML form set from outside, e.g. {"acceptance.rounds", "3"}; the value is TOML, or a
// bare word taken as text.
using Override = std::pair<std::string, std::string>;

}  // namespace nightshift::problems
