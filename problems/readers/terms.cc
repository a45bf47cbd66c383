#include "problems/readers/terms.h"

#include <toml++/toml.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "problems/readers/diagnostics.h"
#include "problems/readers/overrides.h"

namespace nightshift::problems {
namespace {

using Terms = std::map<std::string, std::string>;

constexpr std::array<std::string_view, 11> kNoTerms = {
    "name",     "parameters", "constraints", "search", "budget", "acceptance",
    "schedule", "limits",     "device",      "stop",   "python"};

std::string written(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) {
    using Node = std::remove_cvref_t<decltype(value)>;
    if constexpr (!std::is_same_v<Node, toml::table>) text << value;
  });
  return text.str();
}

void add(const std::string& key, const toml::node& node, Terms& terms) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [name, value] : *table) {
      add((key.empty() ? "" : key + ".") + std::string(name.str()), value, terms);
    }
    return;
  }
  const toml::array* list = node.as_array();
  if (list == nullptr || !list->is_array_of_tables()) {
    terms[key] = written(node);
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    add(key + "." + std::to_string(i), *list->get(i), terms);
  }
}

}  // namespace

Terms terms_of(std::string_view text, const std::vector<Override>& overrides) {
  Terms terms;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object()) {
    const auto flat = json.flatten();
    for (const auto& [key, value] : flat.items()) terms[key] = value.dump();
    return terms;
  }
  try {
    toml::table root = toml::parse(text);
    Diagnostics ignored("");
    apply_overrides(root, overrides, ignored);
    for (const std::string_view key : kNoTerms) root.erase(key);
    add("", root, terms);
  } catch (const toml::parse_error&) {
    terms.clear();
  }
  return terms;
}

}  // namespace nightshift::problems
