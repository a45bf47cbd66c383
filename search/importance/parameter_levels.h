#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/parameter.h"

namespace nightshift::search {

// The values of parameters as few levels, and configurations as rows of a forest over these. A
// number keeps its order; more than kMost values become bins of neighbouring ones. Each of three or
// more texts has a column of its own; of more than kMost the order of the list is taken for one.
class ParameterLevels {
 public:
  static constexpr std::size_t kMost = 16;

  explicit ParameterLevels(const std::vector<Parameter>& parameters);

  std::size_t size() const { return parameters_.size(); }  // parameters
  std::size_t count(std::size_t parameter) const { return parameters_[parameter].weights.size(); }
  std::size_t level(std::size_t parameter, std::uint32_t digit) const {
    return parameters_[parameter].level_of[digit];
  }
  // The share of the parameter's values that the level has.
  double weight(std::size_t parameter, std::size_t level) const {
    return parameters_[parameter].weights[level];
  }
  // The first and the last value of a level, as positions in the list.
  struct Ends {
    std::uint32_t first = 0, last = 0;
  };
  Ends ends(std::size_t parameter, std::size_t level) const {
    return parameters_[parameter].ends[level];
  }

  std::size_t columns() const { return columns_.size(); }
  std::size_t parameter_of(std::size_t column) const { return columns_[column].parameter; }
  // What a row has in the column where its parameter is at the level.
  double coordinate(std::size_t column, std::size_t level) const;
  void append(std::span<const std::uint32_t> digits, std::vector<double>& rows) const;

 private:
  struct Levels {
    std::vector<std::size_t> level_of;  // by digit
    std::vector<double> weights;        // by level
    std::vector<Ends> ends;
  };
  struct Column {
    std::size_t parameter = 0;
    bool is_ordered = true;
    std::size_t level = 0;  // whose column it is, where it is not
  };
  static Levels levels_of(const Parameter& parameter);

  std::vector<Levels> parameters_;
  std::vector<Column> columns_;
};

}  // namespace nightshift::search
