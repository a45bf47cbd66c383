#include "search/model/parameter_scale.h"

#include <algorithm>
#include <string>
#include <variant>

namespace nightshift::search {

bool is_number(const Value& value) {
  return !std::holds_alternative<std::string>(value) && !std::holds_alternative<bool>(value);
}

bool is_numeric(const Parameter& parameter) {
  return std::ranges::all_of(parameter.values, is_number);
}

std::vector<double> numbers_of(const Parameter& parameter) {
  std::vector<double> numbers;
  for (const Value& value : parameter.values) numbers.push_back(as_number(value));
  return numbers;
}

std::vector<double> to_unit_interval(std::vector<double> values) {
  const auto [low, high] = std::ranges::minmax(values);
  for (double& v : values) v = high > low ? (v - low) / (high - low) : 0;
  return values;
}

}  // namespace nightshift::search
