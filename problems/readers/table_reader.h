#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "problems/problem_table.h"
#include "problems/readers/diagnostics.h"
#include "search/value.h"

namespace nightshift::problems {

// Overrides are parsed as documents of their own under a name that starts so; they have no lines.
inline constexpr std::string_view kOverrideSource = "--set ";

SourceLocation location_of(const toml::source_region& region);
LocatedString located_string(const toml::node& node);  // of a text node
// "the text 'abc'", "the integer 5", "a table", ...
std::string describe(const toml::node& node);
// nullopt for tables, arrays and dates.
std::optional<search::Value> scalar(const toml::node& node);

// Walks one table of the TOML form. Each reader below takes a key with the type and the bounds that
// the table declares, and leaves the target as it was where the key is absent or wrong; what is
// wrong is noted. finish() notes every key that nobody asked for. A key that is not declared, or
// with another type, is a mistake of the program and aborts it.
class TableReader {
 public:
  // `keys` declares what may stand in it; `name` is the table's dotted name, empty for the whole
  // file.
  TableReader(const toml::table& table, const ProblemTable& keys, std::string name,
              Diagnostics& diagnostics);

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
  bool number(std::string_view key, double& target);
  // A number, or a percentage such as "0.5%".
  bool share(std::string_view key, double& target);
  // A number of seconds, or a text such as "90s".
  bool duration(std::string_view key, double& target);
  // A number of bytes, or a text such as "2GiB".
  bool bytes(std::string_view key, std::uint64_t& target);
  template <class Target>
  bool integer(std::string_view key, Target& target) {
    const auto& declared = kind<Integer>(key);
    return integer(key, target, declared.least, declared.most);
  }
  // Within narrower bounds than those declared, which depend on another key.
  template <class Target>
  bool integer(std::string_view key, Target& target, std::int64_t least, std::int64_t most) {
    const auto value = integer_within(key, least, most);
    if (value) target = static_cast<Target>(*value);
    return value.has_value();
  }
  // `known` are the words that are declared.
  template <class Target>
  bool choice(std::string_view key, Target& target,
              const std::vector<std::pair<std::string_view, Target>>& known) {
    std::vector<std::string> words;
    for (const auto& [word, value] : known) words.emplace_back(word);
    if (words != kind<Choice>(key).words) std::abort();
    const auto chosen = chosen_of(key, words);
    if (chosen) target = (known.begin() + *chosen)->second;
    return chosen.has_value();
  }
  // A file of `folder`, as an absolute path; it exists where the diagnostics need files.
  bool file(std::string_view key, const std::filesystem::path& folder, std::string& target);
  // One such file or a list of them, each with its place. Of a key that is declared Mixed.
  void files(std::string_view key, const std::filesystem::path& folder,
             std::vector<LocatedString>& target);

  std::optional<TableReader> subtable(std::string_view key);
  std::vector<TableReader> subtables(std::string_view key);  // [[key]]

  void finish();

 private:
  const ProblemKey& declared(std::string_view key) const;
  template <class Kind>
  const Kind& kind(std::string_view key) const {
    const Kind* found = std::get_if<Kind>(&declared(key).kind);
    if (found == nullptr) std::abort();
    return *found;
  }
  const ProblemTable& inner_keys(std::string_view key) const;
  std::optional<std::int64_t> integer_within(std::string_view key, std::int64_t least,
                                             std::int64_t most);
  std::optional<std::string> path_of(std::string_view key, const std::string& given,
                                     const SourceLocation& location,
                                     const std::filesystem::path& folder);
  std::optional<std::ptrdiff_t> chosen_of(std::string_view key,
                                          const std::vector<std::string>& words);

  const toml::table* table_;
  const ProblemTable* keys_;
  std::string name_;
  Diagnostics* diagnostics_;
  std::vector<std::string> known_;
};

}  // namespace nightshift::problems
