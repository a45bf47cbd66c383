#include "problems/readers/overrides.h"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "problems/readers/parse_complaint.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {
namespace {

std::vector<std::string> split_at_dots(std::string_view key) {
  std::vector<std::string> parts(1);
  for (const char c : key) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// An integer of TOML, whatever its size.
bool looks_whole(std::string_view value) {
  if (!value.empty() && (value.front() == '+' || value.front() == '-')) value.remove_prefix(1);
  const bool based = value.size() > 2 && value.front() == '0' &&
                     std::string_view("xob").find(value[1]) != std::string_view::npos;
  if (based) value.remove_prefix(2);
  const std::string_view digits = based ? "0123456789abcdefABCDEF_" : "0123456789_";
  return !value.empty() && value.front() != '_' &&
         value.find_first_not_of(digits) == std::string_view::npos;
}

// "1e400": digits with an exponent that no double has.
bool looks_too_large(std::string_view value) {
  if (!value.empty() && (value.front() == '+' || value.front() == '-')) value.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc::result_out_of_range && end == value.data() + value.size();
}

// {v = VALUE}; a value that is no TOML is a text unless it begins like something else, or is a
// number too large. Throws toml::parse_error.
toml::table parse_value(const std::string& value, std::string_view source) {
  const bool structured =
      !value.empty() && std::string_view("[{\"'").find(value.front()) != std::string_view::npos;
  try {
    toml::table parsed = toml::parse("v = " + value, source);
    if (parsed.size() == 1) return parsed;
  } catch (const toml::parse_error& error) {
    const bool beyond = error.description().find("64 bits") != std::string_view::npos;
    if (structured || (beyond && looks_whole(value)) || looks_too_large(value)) throw;
  }
  // A TOML text in double quotes knows every escape of a JSON text.
  return toml::parse("v = " + search::json_quoted(value), source);
}

toml::node* element(toml::array& array, std::string_view part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool good = error == std::errc{} && end == part.data() + part.size();
  return good && index < array.size() ? array.get(index) : nullptr;
}

// The table or list that `part` names in `within`; nullptr where it is something else.
toml::node* step_into(toml::node& within, const std::string& part, const toml::key& key) {
  if (toml::array* array = within.as_array()) return element(*array, part);
  toml::table* table = within.as_table();
  if (table == nullptr) return nullptr;
  toml::node* next = table->get(part);
  if (next == nullptr) next = &table->insert(key, toml::table{}).first->second;
  return next->is_table() || next->is_array() ? next : nullptr;
}

bool put(toml::node& within, const std::string& part, const toml::key& key, toml::node& value) {
  if (toml::array* array = within.as_array()) {
    const toml::node* old = element(*array, part);
    if (old == nullptr) return false;
    for (auto it = array->begin(); it != array->end(); ++it) {
      if (&*it == old) {
        value.visit([&](auto& node) { array->replace(it, std::move(node)); });
        return true;
      }
    }
  }
  toml::table* table = within.as_table();
  if (table == nullptr) return false;
  // Only moved nodes keep the place that they were read at.
  value.visit([&](auto& node) { table->insert_or_assign(key, std::move(node)); });
  return true;
}

void apply(toml::table& root, const Override& setting, Diagnostics& diagnostics) {
  const auto& [name, value] = setting;
  const std::string source = std::string(kOverrideSource) + name + "=" + value;
  const SourceLocation location{source, 0, 0};
  const std::vector<std::string> parts = split_at_dots(name);
  for (const std::string& part : parts) {
    if (!part.empty()) continue;
    diagnostics.add(location, "the key must be names joined by dots, such as budget.trials");
    return;
  }
  try {
    toml::table parsed = parse_value(value, source);
    const toml::source_region region = parsed.get("v")->source();
    const auto key = [&](const std::string& part) {
      return toml::key(part, toml::source_region(region));
    };
    toml::node* within = &root;
    for (std::size_t i = 0; i + 1 < parts.size() && within != nullptr; ++i) {
      within = step_into(*within, parts[i], key(parts[i]));
    }
    if (within == nullptr || !put(*within, parts.back(), key(parts.back()), *parsed.get("v"))) {
      diagnostics.add(location, in_quotes(name) + " leads through something that is no table");
    }
  } catch (const toml::parse_error& error) {
    diagnostics.add(location, "the value is no TOML: " + complaint_of(error));
  }
}

}  // namespace

void apply_overrides(toml::table& root, const std::vector<Override>& overrides,
                     Diagnostics& diagnostics) {
  for (const Override& setting : overrides) apply(root, setting, diagnostics);
}

}  // namespace nightshift::problems
