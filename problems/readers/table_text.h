#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace nightshift::problems {

struct OrderedKey {
  const toml::key* key;
  const toml::node* node;
};
// A toml::table is sorted by name. The order of a problem is that of its file `own`; behind it
// comes what other files have, and last what was set from outside, which has no line.
std::vector<OrderedKey> keys_in_order(const toml::table& table, const std::string& own);

// The table as a TOML document whose keys stand in the order of keys_in_order(): who reads it again
// finds the parameters where they were. toml++ itself writes keys in the order of the alphabet.
// `own` is the problem file.
std::string text_of(const toml::table& table, const std::string& own);

}  // namespace nightshift::problems
