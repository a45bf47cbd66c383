#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/value.h"

namespace nightshift::search {

// One point of a ParameterSpace: names with values, in the order of the space.
// The empty configuration is the baseline.
class Configuration {
 public:
  using Entry = std::pair<std::string, Value>;

  Configuration() = default;
  explicit Configuration(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  bool is_baseline() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

  // nullptr where the configuration does not set `name`.
  const Value* find(std::string_view name) const;
  void set(std::string_view name, Value value);  // replaces, or appends

  // One line of JSON, {"a": 1, "b": "x"}; {} for the baseline.
  std::string to_json() const;

  // Same names with the same values (same_value), in the same order.
  friend bool operator==(const Configuration& a, const Configuration& b);

 private:
  std::vector<Entry> entries_;
};

}  // namespace nightshift::search
