#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/configuration.h"
#include "search/expression.h"
#include "search/id.h"
#include "search/rng.h"

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

// All configurations that satisfy the constraints, as an index: position i is a configuration and
// each configuration has one position. Built by depth-first search that checks each constraint as
// soon as its last parameter is set; stores one byte or two per parameter and configuration.
class ParameterSpace {
 public:
  // Throws SpaceError.
  ParameterSpace(std::vector<Parameter> parameters, std::vector<Expression> constraints);
  // Only the listed configurations exist (a recorded space); each names every parameter.
  static ParameterSpace from_list(std::vector<Parameter> parameters,
                                  const std::vector<Configuration>& configurations);
  ~ParameterSpace();
  ParameterSpace(ParameterSpace&&) noexcept;
  ParameterSpace& operator=(ParameterSpace&&) noexcept;
  ParameterSpace(const ParameterSpace&) = delete;
  ParameterSpace& operator=(const ParameterSpace&) = delete;

  const std::vector<Parameter>& parameters() const;
  const std::vector<Expression>& constraints() const;
  Wide size() const;              // configurations that satisfy the constraints
  double cartesian_size() const;  // product of the value counts, before constraints

  Configuration configuration(ConfigurationIndex i) const;                   // i < size()
  std::optional<ConfigurationIndex> index_of(const Configuration& c) const;  // nullopt: not in it
  // Positions within each parameter's `values`, in parameter order.
  std::vector<std::uint32_t> digits(ConfigurationIndex i) const;
  std::optional<ConfigurationIndex> index_of_digits(std::span<const std::uint32_t> digits) const;

  ConfigurationIndex sample(Rng& rng) const;  // uniform over the valid configurations
  enum class Neighbourhood : std::uint8_t {
    kAdjacent,      // one parameter moved to the next valid value up or down its list
    kOneParameter,  // one parameter set to any other of its values
  };
  // Valid neighbours of `i`, in parameter order; never `i` itself.
  std::vector<ConfigurationIndex> neighbours(ConfigurationIndex i, Neighbourhood kind) const;

 private:
  struct Index;
  explicit ParameterSpace(std::unique_ptr<Index> index);
  std::unique_ptr<Index> index_;
};

}  // namespace nightshift::search
