#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/override.h"

namespace nightshift::kernels {

// Tables of several sources that become one.

// `own` over `under`, key by key; lists are replaced as a whole. Places of nodes stay their own.
void put_over(toml::table& under, toml::table& own);

// Those of the overrides that are about the key or what is in its table.
std::vector<Override> overrides_of(std::string_view key, const std::vector<Override>& overrides);

std::string text_of(const toml::table& table);

}  // namespace nightshift::kernels
