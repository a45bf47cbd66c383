#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

// Something about a configuration that its cost may depend on, with few levels.
struct Aspect {
  std::string name;                     // for people
  bool ordered = true;                  // false: only equality of levels means anything
  std::vector<double> coordinates;      // of each level, ascending in [0, 1] where ordered
  std::vector<std::size_t> parameters;  // that it is computed from: positions in the space

  // Logarithm of the product of the parameters' values, where there are several; `levels` holds
  // the upper bounds between neighbouring levels.
  std::vector<std::vector<double>> logarithms;  // by parameter and digit
  std::vector<double> bounds;
  std::vector<std::uint8_t> level_of_digit;  // where there is one parameter
};

// What models see of a space, instead of the bare parameters:
// - each parameter that varies: numbers on a logarithmic scale where they span a factor of four or
//   more, texts and booleans unordered;
// - how often two divides the value, and whether it is a power of two, where a list mixes powers of
//   two with other whole numbers: hardware comes in powers of two, so 48 and 80 are more alike than
//   48 and 64;
// - the product of each family of parameters, names that differ in one axis letter or number
//   (block_size_x and block_size_y, MWG and NWG, tile0 and tile1): threads of a block, elements of
//   a tile.
class Aspects {
 public:
  static constexpr std::size_t kMaxLevels = 64;

  explicit Aspects(const ParameterSpace& space);

  std::size_t size() const { return aspects_.size(); }
  const Aspect& operator[](std::size_t k) const { return aspects_[k]; }

  // `digits` of the whole space; `levels` has size() elements.
  void levels(std::span<const std::uint32_t> digits, std::span<std::uint8_t> levels) const;

 private:
  void add_parameter(const Parameter& parameter, std::size_t position);
  void add_divisibility(const Parameter& parameter, std::size_t position);
  void add_families(const ParameterSpace& space);
  void add_single(std::string name, bool ordered, const std::vector<double>& values,
                  std::size_t position);

  std::vector<Aspect> aspects_;
};

// Whether the list mixes powers of two with other whole numbers; then powers of two are the better
// guess.
bool mixes_powers_of_two(const Parameter& parameter);
bool is_power_of_two(const Value& value);

}  // namespace nightshift::search
