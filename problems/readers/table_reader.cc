#include "problems/readers/table_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantity.h"
#include "problems/readers/file_paths.h"

namespace nightshift::problems {
namespace {

// " from 1 to 9", " 1 or more", or nothing.
std::string in_range(double least, double most) {
  const auto text = [](double number) {
    const bool whole = std::floor(number) == number && std::abs(number) < 1e15;
    return whole ? std::to_string(static_cast<std::int64_t>(number)) : search::to_text(number);
  };
  if (!std::isfinite(most)) return " " + text(least) + " or more";
  return " from " + text(least) + " to " + text(most);
}

std::string in_range(std::int64_t least, std::int64_t most) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (least == -kMost && most == kMost) return "";
  if (most == kMost) return " " + std::to_string(least) + " or more";
  return " from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

SourceLocation location_of(const toml::source_region& region) {
  SourceLocation location;
  if (region.path) location.file = *region.path;
  if (!location.file.starts_with(kOverrideSource)) {
    location.line = static_cast<int>(region.begin.line);
    location.column = static_cast<int>(region.begin.column);
  }
  return location;
}

LocatedString located_string(const toml::node& node) {
  LocatedString located{node.value_or(std::string()), location_of(node.source()), false};
  const toml::source_region& region = node.source();
  const std::size_t width = region.end.column - region.begin.column;
  // In quotes, on one line and nothing escaped: then the text stands in the file as it is.
  if (located.location.line > 0 && region.begin.line == region.end.line &&
      width == located.text.size() + 2) {
    located.exact = true;
    ++located.location.column;
  }
  return located;
}

std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) return "the text " + in_quotes(text->get());
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  if (const auto value = scalar(node)) {
    const char* kind = node.is_integer() ? "the integer " : node.is_boolean() ? "" : "the number ";
    const double* real = std::get_if<double>(&*value);
    return kind + (real ? search::to_text(*value) : search::to_json(*value));
  }
  return "a date or time";
}

std::optional<search::Value> scalar(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  return std::nullopt;
}

TableReader::TableReader(const toml::table& table, const ProblemTable& keys, std::string name,
                         Diagnostics& diagnostics)
    : table_(&table), keys_(&keys), name_(std::move(name)), diagnostics_(&diagnostics) {}

const ProblemKey& TableReader::declared(std::string_view key) const {
  const ProblemKey* found = keys_->find(key);
  if (found == nullptr) std::abort();
  return *found;
}

const ProblemTable& TableReader::inner_keys(std::string_view key) const {
  const ProblemTable* inner = declared(key).table;
  if (inner == nullptr) std::abort();
  return *inner;
}

SourceLocation TableReader::location() const {
  return name_.empty() ? SourceLocation{} : problems::location_of(table_->source());
}

SourceLocation TableReader::location_of(std::string_view key) const {
  const toml::node* node = table_->get(key);
  return node == nullptr ? location() : problems::location_of(node->source());
}

std::string TableReader::full_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

void TableReader::error(std::string_view key, const std::string& message) const {
  diagnostics_->add(location_of(key), full_name(key) + " " + message);
}

const toml::node* TableReader::take(std::string_view key) {
  declared(key);
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return table_->get(key);
}

bool TableReader::require(std::string_view key) {
  if (take(key) != nullptr) return true;
  error(key, "is missing");
  return false;
}

bool TableReader::string(std::string_view key, std::string& target) {
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  const auto* value = node->as_string();
  if (value == nullptr) {
    error(key, "must be a text, not " + describe(*node));
  } else if (value->get().empty()) {
    error(key, "must not be empty");
  } else if (value->get().find('\0') != std::string::npos) {
    error(key, "must not contain a NUL character");
  } else {
    target = value->get();
    return true;
  }
  return false;
}

bool TableReader::strings(std::string_view key, std::vector<std::string>& target) {
  kind<Texts>(key);
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    error(key, "must be a list of texts, not " + describe(*node));
    return false;
  }
  std::vector<std::string> found;
  for (const toml::node& element : *array) {
    const auto* value = element.as_string();
    if (value == nullptr || value->get().find('\0') != std::string::npos) {
      diagnostics_->add(problems::location_of(element.source()),
                        full_name(key) + " must be a list of texts; here is " +
                            (value ? "one with a NUL character" : describe(element)));
      return false;
    }
    found.push_back(value->get());
  }
  target = std::move(found);
  return true;
}

bool TableReader::boolean(std::string_view key, bool& target) {
  kind<Truth>(key);
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  const auto* value = node->as_boolean();
  if (value == nullptr) {
    error(key, "must be true or false, not " + describe(*node));
    return false;
  }
  target = value->get();
  return true;
}

bool TableReader::number(std::string_view key, double& target) {
  const auto [least, most] = kind<Number>(key);
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  const auto* whole = node->as_integer();
  if (whole != nullptr && !search::same_value(whole->get(), static_cast<double>(whole->get()))) {
    error(key, "is " + std::to_string(whole->get()) +
                   ", which would be read as the nearest double; whole numbers are read exactly up "
                   "to 9007199254740992");
    return false;
  }
  // toml::node::value<double>() has none of whole numbers from 2^53 on.
  const double value = whole != nullptr ? static_cast<double>(whole->get())
                                        : node->value<double>().value_or(std::nan(""));
  if (!(value >= least && value <= most) || !std::isfinite(value)) {
    error(key, "must be a number" + in_range(least, most) + ", not " + describe(*node));
    return false;
  }
  target = value;
  return true;
}

bool TableReader::share(std::string_view key, double& target) {
  const auto [least, most] = kind<Share>(key);
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  std::optional<double> value;
  if (const auto* text = node->as_string()) {
    value = base::parse_percentage(text->get());
  } else if (node->is_number()) {
    value = node->value<double>();
  }
  if (!value || !(*value >= least && *value <= most)) {
    error(key, "must be a number" + in_range(least, most) + ", or a percentage such as '1%', not " +
                   describe(*node));
    return false;
  }
  target = *value;
  return true;
}

bool TableReader::duration(std::string_view key, double& target) {
  const double least = kind<Duration>(key).least;
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  std::optional<double> seconds;
  if (const auto* text = node->as_string()) {
    seconds = base::parse_seconds(text->get());
  } else if (node->is_number()) {
    seconds = node->value<double>();
  }
  if (!seconds || !std::isfinite(*seconds) || *seconds < least) {
    error(key, "must be a time: seconds, or a text such as '90s', '10m' or '1h', " +
                   std::string(least > 0 ? "and more than 0, not " : "not ") + describe(*node));
    return false;
  }
  target = *seconds;
  return true;
}

bool TableReader::bytes(std::string_view key, std::uint64_t& target) {
  const std::uint64_t least = kind<Bytes>(key).least;
  const toml::node* node = take(key);
  if (node == nullptr) return false;
  std::optional<std::uint64_t> size;
  if (const auto* text = node->as_string()) {
    size = base::parse_bytes(text->get());
  } else if (const auto* whole = node->as_integer(); whole && whole->get() >= 0) {
    size = static_cast<std::uint64_t>(whole->get());
  }
  if (!size || *size < least) {
    error(key,
          "must be a size: bytes, or a text such as '64MiB' or '2GiB', not " + describe(*node));
    return false;
  }
  target = *size;
  return true;
}

std::optional<std::int64_t> TableReader::integer_within(std::string_view key, std::int64_t least,
                                                        std::int64_t most) {
  const toml::node* node = take(key);
  if (node == nullptr) return std::nullopt;
  const auto* value = node->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    error(key, "must be an integer" + in_range(least, most) + ", not " + describe(*node));
    return std::nullopt;
  }
  return value->get();
}

std::optional<std::ptrdiff_t> TableReader::chosen_of(std::string_view key,
                                                     const std::vector<std::string>& words) {
  const toml::node* node = take(key);
  if (node == nullptr) return std::nullopt;
  const auto* value = node->as_string();
  const auto found = value ? std::find(words.begin(), words.end(), value->get()) : words.end();
  if (found == words.end()) {
    error(key, "must be " + alternatives(words) + ", not " + describe(*node) +
                   (value ? suggestion(value->get(), words) : ""));
    return std::nullopt;
  }
  return found - words.begin();
}

bool TableReader::file(std::string_view key, const std::filesystem::path& folder,
                       std::string& target) {
  std::string given;
  if (!string(key, given)) return false;
  auto path = path_of(key, given, location_of(key), folder);
  if (path) target = std::move(*path);
  return path.has_value();
}

void TableReader::files(std::string_view key, const std::filesystem::path& folder,
                        std::vector<LocatedString>& target) {
  kind<Mixed>(key);
  const toml::node* node = take(key);
  if (node == nullptr) return;
  const auto add = [&](const toml::node& one) {
    const SourceLocation location = nightshift::problems::location_of(one.source());
    if (const auto* text = one.as_string()) {
      auto path = path_of(key, text->get(), location, folder);
      if (path) target.push_back({std::move(*path), location});
    } else {
      diagnostics_->add(
          location, full_name(key) + " must be a file or a list of files, not " + describe(one));
    }
  };
  if (const toml::array* list = node->as_array()) {
    for (const toml::node& one : *list) add(one);
  } else {
    add(*node);
  }
}

// Of a file that is named there; nullopt where it is missing, which is noted.
std::optional<std::string> TableReader::path_of(std::string_view key, const std::string& given,
                                                const SourceLocation& location,
                                                const std::filesystem::path& folder) {
  if (diagnostics_->needs_files() && !find_file(folder, given)) {
    diagnostics_->add(location, full_name(key) + " " + no_such_file(folder, given));
    return std::nullopt;
  }
  return (folder / given).lexically_normal().string();
}

std::optional<TableReader> TableReader::subtable(std::string_view key) {
  const toml::node* node = take(key);
  if (node == nullptr) return std::nullopt;
  if (const toml::table* inner = node->as_table()) {
    return TableReader(*inner, inner_keys(key), full_name(key), *diagnostics_);
  }
  error(key, "must be a table, not " + describe(*node));
  return std::nullopt;
}

std::vector<TableReader> TableReader::subtables(std::string_view key) {
  std::vector<TableReader> readers;
  const toml::node* node = take(key);
  if (node == nullptr) return readers;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    error(key, "must be a list of tables, each under [[" + full_name(key) + "]], not " +
                   describe(*node));
    return readers;
  }
  for (const toml::node& element : *array) {
    if (const toml::table* inner = element.as_table()) {
      readers.emplace_back(*inner, inner_keys(key), full_name(key), *diagnostics_);
    } else {
      diagnostics_->add(problems::location_of(element.source()),
                        full_name(key) + " must be a list of tables; here is " + describe(element));
    }
  }
  return readers;
}

void TableReader::finish() {
  for (const auto& [key, node] : *table_) {
    const std::string_view name = key.str();
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    SourceLocation location = problems::location_of(key.source());
    if (location.file.empty()) location = problems::location_of(node.source());
    const std::string near = suggestion(name, known_);
    diagnostics_->add(location, "unknown key " + in_quotes(name) +
                                    (name_.empty() ? "" : " in [" + name_ + "]") +
                                    (near.empty() ? "; known are " + alternatives(known_) : near));
  }
}

}  // namespace nightshift::problems
