#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/value.h"

namespace nightshift::search {

// What a searcher can be told beside its seed and its starts.
struct SearcherOption {
  enum class Kind : std::uint8_t { kCount, kNumber, kTruth };
  std::string_view name;
  Kind kind = Kind::kNumber;
  double least = 0, most = 0;  // of counts and numbers, both included
  Value usual;                 // where nobody says anything
  std::string_view meaning;    // one line
};

// What was said: names with values.
using GivenOptions = std::vector<std::pair<std::string, Value>>;

// Whether the option takes the value: a count is an integer, a number may be one.
bool takes(const SearcherOption& option, const Value& value);

// Throws std::invalid_argument for a name that is not among `known`, or a value that it does not
// take.
void check_options(std::string_view searcher, const std::vector<SearcherOption>& known,
                   const GivenOptions& given);

}  // namespace nightshift::search
