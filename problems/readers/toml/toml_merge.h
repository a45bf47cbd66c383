#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "problems/override.h"
#include "problems/readers/diagnostics.h"

namespace nightshift::problems {

// Tables of several sources that become one.

// `own` over `under`, key by key; lists are replaced as a whole. Places of nodes stay their own.
void put_over(toml::table& under, toml::table& own);

// Takes what `own` has under the key, with the overrides of it, into a table of its own; empty
// where there is nothing.
toml::table taken(toml::table& own, std::string_view key, const std::vector<Override>& overrides,
                  Diagnostics& diagnostics);

}  // namespace nightshift::problems
