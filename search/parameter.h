#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/expression.h"
#include "search/value.h"

namespace nightshift::search {

enum class ParameterType : std::uint8_t { kBool, kInt, kFloat, kString };

// A name with the finite list of values that it may take, in the order that makes neighbours
// alike (ascending for numbers).
struct Parameter {
  std::string name;
  ParameterType type = ParameterType::kInt;
  std::vector<Value> values;
  std::optional<Value> default_value;     // one of `values`; the first where absent
  std::optional<Expression> active_when;  // where it is false the parameter is held at its default
  // What the user expects of each value: relative chances to be among the good ones, all positive.
  // Empty: no expectation. Searchers that learn begin with them; no value is ever excluded.
  std::vector<double> weights = {};

  const Value& default_or_first() const { return default_value ? *default_value : values.front(); }
};

// The space cannot be built: no values, a name twice, an unknown name in a constraint, no
// configuration satisfies the constraints, or there are too many to index.
class SpaceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the construction of a space may take before it leaves a group uncounted: some ten seconds.
// Bytes hold to within a factor of two; a transition takes 10 to 20 ns.
struct SpaceLimits {
  std::size_t bytes = std::size_t{512} << 20;
  std::size_t transitions = std::size_t{1} << 29;
  std::size_t interpreter_steps = std::size_t{1} << 27;
};

}  // namespace nightshift::search
