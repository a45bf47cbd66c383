#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

enum class ParameterKind : std::uint8_t {
  kGeometric,  // positive numbers, each a multiple of the one before, as powers of two are
  kNumber,     // any other list of numbers
  kChoice,     // texts and booleans: no order
};
ParameterKind kind_of(const Parameter& parameter);

// Configurations as rows for tree models, encoded as PyTorch Helion encodes them: geometric numbers
// by their base-2 logarithm, other numbers by value, two choices as 0 and 1, more choices as one
// column each. No scaling, which trees do not need. Parameters with one value have no column.
class OneHot {
 public:
  explicit OneHot(const ParameterSpace& space);

  std::size_t columns() const { return parameter_of_.size(); }
  // Position of the parameter that a column belongs to.
  std::size_t parameter_of(std::size_t column) const { return parameter_of_[column]; }
  ParameterKind kind(std::size_t parameter) const { return slots_[parameter].kind; }

  // `digits` of the whole space; `row` has columns() elements.
  void encode(std::span<const std::uint32_t> digits, std::span<double> row) const;
  // Writes the columns of one parameter only.
  void patch(std::size_t parameter, std::uint32_t digit, std::span<double> row) const;
  void append(std::span<const std::uint32_t> digits, std::vector<double>& rows) const;

 private:
  struct Slot {
    ParameterKind kind = ParameterKind::kChoice;
    std::size_t first = 0;  // column
    std::size_t count = 0;
    std::vector<double> numbers;  // by digit; empty where each value has its column
  };
  std::vector<Slot> slots_;  // by parameter
  std::vector<std::size_t> parameter_of_;
};

}  // namespace nightshift::search
