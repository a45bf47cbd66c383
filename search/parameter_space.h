#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rng.h"
#include "search/configuration.h"
#include "search/expression.h"
#include "search/id.h"
#include "search/parameter.h"

namespace nightshift::search {

// All configurations that satisfy the constraints, as an index: position i is a configuration and
// each configuration has one position. Nothing is listed: parameters that constraints tie together
// form groups, each group is held as a decision diagram, and the space is their product. So its
// size costs nothing, 1e30 configurations included; the order of the positions is not that of the
// declared parameters.
//
// A group whose diagram would take too much memory is not counted. Then size() is a bound: a
// position below it may be invalid, and contains() and index_of() tell.
class ParameterSpace {
 public:
  // Throws SpaceError.
  ParameterSpace(std::vector<Parameter> parameters, std::vector<Expression> constraints,
                 const SpaceLimits& limits = {});
  // Only the listed configurations exist (a recorded space); each names every parameter. Each
  // exists with every combination of values of `free` parameters, which stand behind the others: the
  // last of them changes fastest with the position.
  static ParameterSpace from_list(std::vector<Parameter> parameters,
                                  const std::vector<Configuration>& configurations,
                                  const std::vector<Parameter>& free = {});
  ~ParameterSpace();
  ParameterSpace(ParameterSpace&&) noexcept;
  ParameterSpace& operator=(ParameterSpace&&) noexcept;
  ParameterSpace(const ParameterSpace&) = delete;
  ParameterSpace& operator=(const ParameterSpace&) = delete;

  const std::vector<Parameter>& parameters() const;
  const std::vector<Expression>& constraints() const;
  // Whether size() is the number of configurations that satisfy the constraints, and not only a
  // bound of it.
  bool counted() const;
  base::Wide size() const;
  double cartesian_size() const;  // product of the value counts, before constraints

  // i < size(). Where the space is not counted these also give what is no configuration of it.
  Configuration configuration(ConfigurationIndex i) const;
  // Positions within each parameter's `values`, in parameter order.
  std::vector<std::uint32_t> digits(ConfigurationIndex i) const;

  std::optional<ConfigurationIndex> index_of(const Configuration& c) const;  // nullopt: not in it
  std::optional<ConfigurationIndex> index_of_digits(std::span<const std::uint32_t> digits) const;
  bool contains(std::span<const std::uint32_t> digits) const;
  bool contains(ConfigurationIndex i) const;

  // Uniform over the valid configurations. Where the space is not counted: valid, but those whose
  // group leaves few choices come more often than others.
  ConfigurationIndex sample(base::Rng& rng) const;
  enum class Neighbourhood : std::uint8_t {
    kAdjacent,      // one parameter moved to the next valid value up or down its list
    kOneParameter,  // one parameter set to any other of its values
  };
  // Valid neighbours of `i`, in parameter order; never `i` itself.
  std::vector<ConfigurationIndex> neighbours(ConfigurationIndex i, Neighbourhood kind) const;
  // As with kOneParameter, but of a parameter with many values only `looks` are looked at, spread
  // over its list. The same, and nothing is drawn, where no parameter has more.
  std::vector<ConfigurationIndex> some_neighbours(ConfigurationIndex i, std::size_t looks,
                                                  base::Rng& rng) const;

 private:
  struct Index;
  explicit ParameterSpace(std::unique_ptr<Index> index);
  std::unique_ptr<Index> index_;
};

}  // namespace nightshift::search
