#include "problems/readers/toml/toml_merge.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "problems/readers/overrides.h"

namespace nightshift::problems {
namespace {

// Those about the key or what is in its table.
std::vector<Override> overrides_of(std::string_view key, const std::vector<Override>& overrides) {
  const std::string member = std::string(key) + ".";
  std::vector<Override> its;
  std::ranges::copy_if(overrides, std::back_inserter(its), [&](const Override& setting) {
    return setting.first == key || setting.first.starts_with(member);
  });
  return its;
}

}  // namespace

// Only moved nodes keep the place that they were read at.
void put_over(toml::table& under, toml::table& own) {
  for (auto&& [its_key, its_node] : own) {
    const toml::key& key = its_key;  // clang 14 hands no binding on to a lambda
    toml::node& node = its_node;
    toml::node* there = under.get(key.str());
    if (there != nullptr && there->is_table() && node.is_table()) {
      put_over(*there->as_table(), *node.as_table());
    } else {
      node.visit([&](auto& value) { under.insert_or_assign(key, std::move(value)); });
    }
  }
}

toml::table taken(toml::table& own, std::string_view key, const std::vector<Override>& overrides,
                  Diagnostics& diagnostics) {
  toml::table its;
  if (toml::node* node = own.get(key)) {
    node->visit([&](auto& value) { its.insert(key, std::move(value)); });
    own.erase(key);
  }
  apply_overrides(its, overrides_of(key, overrides), diagnostics);
  return its;
}

}  // namespace nightshift::problems
