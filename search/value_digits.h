#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

// Finds the digit of a value: its position in the list of a parameter's values.
class ValueDigits {
 public:
  // Throws SpaceError where the parameters cannot make a space.
  explicit ValueDigits(const std::vector<Parameter>& parameters);

  // By Python's equality.
  std::optional<std::uint32_t> digit_of(std::size_t parameter, const Value& value) const;

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const;
  };
  struct Equal {
    bool operator()(const Value& a, const Value& b) const { return same_value(a, b); }
  };
  using DigitByValue = std::unordered_map<Value, std::uint32_t, Hash, Equal>;
  static DigitByValue digits_of(const Parameter& parameter);

  std::vector<DigitByValue> digits_;  // of each parameter
};

}  // namespace nightshift::search
