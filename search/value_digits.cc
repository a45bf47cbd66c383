#include "search/value_digits.h"

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace nightshift::search {

std::size_t ValueDigits::Hash::operator()(const Value& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return std::hash<std::string>()(*text);
  std::int64_t whole = 0;
  if (const double* number = std::get_if<double>(&value)) {
    const bool is_whole = *number == std::floor(*number) && std::abs(*number) < 0x1p63;
    if (!is_whole) return std::hash<double>()(*number);
    whole = static_cast<std::int64_t>(*number);
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    whole = *flag ? 1 : 0;
  } else {
    whole = std::get<std::int64_t>(value);
  }
  return static_cast<std::size_t>(whole) * 0x9E3779B97F4A7C15U;
}

ValueDigits::DigitByValue ValueDigits::digits_of(const Parameter& parameter) {
  if (parameter.values.empty()) {
    throw SpaceError("parameter '" + parameter.name + "' has no values");
  }
  DigitByValue digits;
  digits.reserve(parameter.values.size());
  for (const Value& value : parameter.values) {
    const double* number = std::get_if<double>(&value);
    if (number && !std::isfinite(*number)) {
      throw SpaceError("parameter '" + parameter.name + "' has a value that is not finite");
    }
    if (!digits.emplace(value, static_cast<std::uint32_t>(digits.size())).second) {
      throw SpaceError("parameter '" + parameter.name + "' lists the value " + to_json(value) +
                       " twice");
    }
  }
  if (!digits.contains(parameter.default_or_first())) {
    throw SpaceError("the default " + to_json(*parameter.default_value) + " of parameter '" +
                     parameter.name + "' is none of its values");
  }
  return digits;
}

ValueDigits::ValueDigits(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw SpaceError("there are no parameters");
  std::unordered_set<std::string_view> names;
  digits_.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      throw SpaceError("the parameter '" + parameter.name + "' is declared twice");
    }
    digits_.push_back(digits_of(parameter));
  }
}

std::optional<std::uint32_t> ValueDigits::digit_of(std::size_t parameter,
                                                   const Value& value) const {
  const auto found = digits_[parameter].find(value);
  return found == digits_[parameter].end() ? std::nullopt : std::optional(found->second);
}

}  // namespace nightshift::search
