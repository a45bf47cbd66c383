#pragma once

#include <toml++/toml.h>

#include <vector>

#include "problems/override.h"
#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// Sets each dotted key of the TOML form in `root`, making tables where there are none; a part that
// is a number counts the elements of a list from 0 (objective.0.unit). Diagnostics about a value
// name "--set key=value" as their source rather than the file.
void apply_overrides(toml::table& root, const std::vector<Override>& overrides,
                     Diagnostics& diagnostics);

}  // namespace nightshift::problems
