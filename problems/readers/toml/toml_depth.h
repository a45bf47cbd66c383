#pragma once

#include <optional>
#include <string_view>

namespace nightshift::problems {

// The line, from 1, where TOML or JSON text nests deeper than any problem does: tables within
// tables, be it by brackets or by the dots of keys. The parser and the destructor of what it makes
// recurse, and would end the program. nullopt: nowhere.
std::optional<int> too_deep(std::string_view toml);

}  // namespace nightshift::problems
