#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/readers/diagnostics.h"
#include "search/value.h"

namespace nightshift::kernels {

// Overrides are parsed as documents of their own under a name that starts so; they have no lines.
inline constexpr std::string_view kOverrideSource = "--set ";

SourceLocation location_of(const toml::source_region& region);
LocatedString located_string(const toml::node& node);  // of a text node
// "the text 'abc'", "the integer 5", "a table", ...
std::string describe(const toml::node& node);
// nullopt for tables, arrays and dates.
std::optional<search::Value> scalar(const toml::node& node);

// Walks one table of the TOML form. Each reader below takes a key with the type that it should have
// and leaves the target as it was where the key is absent or wrong; what is wrong is noted.
// finish() notes every key that nobody asked for.
class TableReader {
 public:
  // `name` is the table's dotted name, empty for the whole file.
  TableReader(const toml::table& table, std::string name, Diagnostics& diagnostics);

  const toml::table& table() const { return *table_; }
  Diagnostics& diagnostics() const { return *diagnostics_; }
  SourceLocation location() const;
  SourceLocation location_of(
      std::string_view key) const;  // of its value; of the table where absent
  std::string full_name(std::string_view key) const;
  void error(std::string_view key, const std::string& message) const;  // "NAME.KEY message"

  bool has(std::string_view key) const { return table_->contains(key); }
  const toml::node* take(std::string_view key);  // nullptr where absent
  bool require(std::string_view key);            // notes where it is absent

  bool string(std::string_view key, std::string& target);
  bool strings(std::string_view key, std::vector<std::string>& target);
  bool boolean(std::string_view key, bool& target);  // true or false
  bool number(std::string_view key, double& target, double least, double most);
  // A number of seconds, or a text such as "90s".
  bool duration(std::string_view key, double& target, double least);
  // A number of bytes, or a text such as "2GiB".
  bool bytes(std::string_view key, std::uint64_t& target, std::uint64_t least);
  template <class Integer>
  bool integer(std::string_view key, Integer& target, std::int64_t least, std::int64_t most) {
    const auto value = integer_within(key, least, most);
    if (value) target = static_cast<Integer>(*value);
    return value.has_value();
  }
  template <class Choice>
  bool choice(std::string_view key, Choice& target,
              std::initializer_list<std::pair<std::string_view, Choice>> known) {
    std::vector<std::string> names;
    for (const auto& [name, value] : known) names.emplace_back(name);
    const auto chosen = chosen_of(key, names);
    if (chosen) target = (known.begin() + *chosen)->second;
    return chosen.has_value();
  }
  // A file of `folder` that exists, as an absolute path.
  bool file(std::string_view key, const std::filesystem::path& folder, std::string& target);

  std::optional<TableReader> subtable(std::string_view key);
  std::vector<TableReader> subtables(std::string_view key);  // [[key]]

  void finish();

 private:
  std::optional<std::int64_t> integer_within(std::string_view key, std::int64_t least,
                                             std::int64_t most);
  std::optional<std::ptrdiff_t> chosen_of(std::string_view key,
                                          const std::vector<std::string>& names);

  const toml::table* table_;
  std::string name_;
  Diagnostics* diagnostics_;
  std::vector<std::string> known_;
};

}  // namespace nightshift::kernels
