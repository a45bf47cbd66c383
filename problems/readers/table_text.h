#pragma once

#include <toml++/toml.h>

#include <string>

namespace nightshift::problems {

// The table as a TOML document whose keys stand in the order of keys_in_order(): who reads it again
// finds the parameters where they were. toml++ itself writes keys in the order of the alphabet.
// `own` is the problem file.
std::string text_of(const toml::table& table, const std::string& own);

}  // namespace nightshift::problems
