#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/problem_table.h"
#include "problems/readers/table_reader.h"

namespace nightshift::problems {

// Kinds of values that only rows have: a word for each meaning, and 0 with a meaning of its own
// where what is more begins at `least`.
template <class Meaning>
struct Words {
  std::vector<std::pair<std::string_view, Meaning>> all;
};
template <class Bounds>
struct OrZero {
  Bounds bounds;
  double least = 0;
  std::string_view zero;      // what 0 means
  std::string_view why = {};  // nothing may stand between
};

// A default as TOML.
std::string toml_of(bool value);
std::string toml_of(std::int64_t value);
std::string toml_of(double value);
std::string toml_of(std::string_view value);
std::string toml_of(const std::vector<std::string>& value);
std::string toml_of_bytes(std::uint64_t value);  // "1MiB" where that is what it is

// What each kind is to people, its default, and how it is read: a reader leaves the member as it
// was where the key is absent or wrong, and says whether it was neither.
template <class Kind>
ValueKind shape_of(const Kind& kind) {
  return kind;
}
template <class Kind, class Value>
std::string default_of(const Kind&, const Value& value) {
  return toml_of(value);
}
template <class Value>
std::string default_of(const Integer&, const Value& value) {
  return toml_of(static_cast<std::int64_t>(value));
}
inline std::string default_of(const Bytes&, std::uint64_t value) { return toml_of_bytes(value); }

template <class Value>
bool read(TableReader& table, std::string_view key, const Integer&, Value& value) {
  return table.integer(key, value);
}
// One of the words, as it stands.
bool read(TableReader& table, std::string_view key, const Choice& kind, std::string& value);
inline bool read(TableReader& table, std::string_view key, const Texts&,
                 std::vector<std::string>& value) {
  return table.strings(key, value);
}
inline bool read(TableReader& table, std::string_view key, const Truth&, bool& value) {
  return table.boolean(key, value);
}
inline bool read(TableReader& table, std::string_view key, const Number&, double& value) {
  return table.number(key, value);
}
inline bool read(TableReader& table, std::string_view key, const Share&, double& value) {
  return table.share(key, value);
}
inline bool read(TableReader& table, std::string_view key, const Duration&, double& value) {
  return table.duration(key, value);
}
inline bool read(TableReader& table, std::string_view key, const Bytes&, std::uint64_t& value) {
  return table.bytes(key, value);
}

template <class Meaning>
ValueKind shape_of(const Words<Meaning>& words) {
  Choice choice;
  for (const auto& [word, meaning] : words.all) choice.words.emplace_back(word);
  return choice;
}
template <class Meaning>
std::string default_of(const Words<Meaning>& words, const Meaning& value) {
  for (const auto& [word, meaning] : words.all) {
    if (meaning == value) return toml_of(word);
  }
  return "";
}
template <class Meaning>
bool read(TableReader& table, std::string_view key, const Words<Meaning>& words, Meaning& value) {
  return table.choice(key, value, words.all);
}

template <class Bounds>
ValueKind shape_of(const OrZero<Bounds>& kind) {
  return kind.bounds;
}
template <class Bounds, class Value>
std::string default_of(const OrZero<Bounds>& kind, const Value& value) {
  return default_of(kind.bounds, value);
}
template <class Bounds, class Value>
bool read(TableReader& table, std::string_view key, const OrZero<Bounds>& kind, Value& value) {
  if (!read(table, key, kind.bounds, value)) return false;
  if (value > 0 && value < static_cast<Value>(kind.least)) {
    table.error(key, "must be 0 (" + std::string(kind.zero) + ") or at least " +
                         toml_of(kind.least) + std::string(kind.why));
  }
  return true;
}

}  // namespace nightshift::problems
