#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/parameter.h"

namespace nightshift::search {

// Finds the digit of a value: its position in the list of a parameter's values.
class ValueDigits {
 public:
  // Throws SpaceError where the parameters cannot make a space.
  explicit ValueDigits(const std::vector<Parameter>& parameters);

  // By Python's equality. `parameters`: those of the constructor, or a copy.
  std::optional<std::uint32_t> digit_of(const std::vector<Parameter>& parameters, std::size_t k,
                                        const Value& value) const;

 private:
  using Places = std::vector<std::uint32_t>;  // open addressing: digit + 1; 0 = free
  static std::size_t find(const Places& places, const Parameter& parameter, const Value& value);
  static Places places_of(const Parameter& parameter);

  std::vector<Places> places_;  // of each parameter
};

}  // namespace nightshift::search
