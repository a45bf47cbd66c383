#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nightshift::problems {

// What a problem file may hold: every table and key of its TOML form, with the bounds that the
// readers enforce. The tables of problem_keys.h are the one place that says so. Readers look their
// keys up there (readers/table_reader.h) and abort on one that is not declared; `nightshift help
// problem` prints them.

struct ProblemTable;

struct Text {
  std::string_view what = "text";  // for people
};
struct Texts {};
struct Truth {};
struct Integer {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
struct Number {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};
struct Share {  // 0.01, or "1%"
  double least = 0;
  double most = 1;
};
struct Duration {
  double least = 0;  // seconds
};
struct Bytes {
  std::uint64_t least = 0;
};
struct Choice {
  std::vector<std::string> words;
};
struct Table {};
struct Tables {};  // each under [[name]]
struct Mixed {
  std::string_view what;  // for people; the reader checks it by itself
};
using ValueKind = std::variant<Text, Texts, Truth, Integer, Number, Share, Duration, Bytes, Choice,
                               Table, Tables, Mixed>;

enum class Presence : std::uint8_t { kOptional, kRequired };

struct ProblemKey {
  std::string name;  // NAME in capitals: any name that the user chooses
  ValueKind kind;
  std::string fallback;  // TOML for what holds where the key is absent; empty: see `meaning`
  std::string meaning;   // one line, with the unit
  Presence presence = Presence::kOptional;
  const ProblemTable* table = nullptr;  // of the tables that may stand under it
};

struct ProblemTable {
  std::string name;  // "cuda.argument"; empty for the whole file
  std::string meaning;
  bool repeated = false;  // [[name]]
  std::vector<ProblemKey> keys;

  // nullptr where there is no such key. A name that a user chooses finds the key NAME.
  const ProblemKey* find(std::string_view key) const;
};

// For declarations. A table that a key refers to stays where it is.
const ProblemTable* kept(ProblemTable table);
// A table of names that the user chooses.
const ProblemTable* open_table(std::string name, std::string meaning, ValueKind kind,
                               std::string of_each, bool repeated = false);
ProblemKey table_key(std::string name, const ProblemTable* table,
                     Presence presence = Presence::kOptional);

}  // namespace nightshift::problems
