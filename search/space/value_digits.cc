#include "search/space/value_digits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "base/overloaded.h"

namespace nightshift::search {

namespace {

// Equal for the values that same_value() calls equal.
std::uint64_t hash_of(const Value& value) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
  const auto of_whole = [](std::int64_t whole) { return static_cast<std::uint64_t>(whole) * kMix; };
  return std::visit(
      base::Overloaded{
          [&](bool flag) { return of_whole(flag ? 1 : 0); },
          [&](std::int64_t whole) { return of_whole(whole); },
          [&](double number) -> std::uint64_t {
            const bool is_whole = number == std::floor(number) && std::abs(number) < 0x1p63;
            if (is_whole) return of_whole(static_cast<std::int64_t>(number));
            return std::hash<double>()(number) * kMix;
          },
          [](const std::string& text) -> std::uint64_t { return std::hash<std::string>()(text); },
      },
      value);
}

}  // namespace

// The place of the value, or the free one where it would stand.
std::size_t ValueDigits::find(const Places& places, const Parameter& parameter,
                              const Value& value) {
  const std::size_t last = places.size() - 1;
  std::size_t place = hash_of(value) >> 32 & last;
  while (places[place] != 0 && !same_value(parameter.values[places[place] - 1], value)) {
    place = (place + 1) & last;
  }
  return place;
}

ValueDigits::Places ValueDigits::places_of(const Parameter& parameter) {
  if (parameter.values.empty()) {
    throw SpaceError("parameter '" + parameter.name + "' has no values");
  }
  Places places(std::bit_ceil(2 * parameter.values.size()));
  std::uint32_t count = 0;
  for (const Value& value : parameter.values) {
    const double* number = std::get_if<double>(&value);
    if (number && !std::isfinite(*number)) {
      throw SpaceError("parameter '" + parameter.name + "' has a value that is not finite");
    }
    std::uint32_t& place = places[find(places, parameter, value)];
    if (place != 0) {
      throw SpaceError("parameter '" + parameter.name + "' lists the value " + to_json(value) +
                       " twice");
    }
    place = ++count;
  }
  if (places[find(places, parameter, parameter.default_or_first())] == 0) {
    throw SpaceError("the default " + to_json(*parameter.default_value) + " of parameter '" +
                     parameter.name + "' is none of its values");
  }
  return places;
}

ValueDigits::ValueDigits(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw SpaceError("there are no parameters");
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end()) {
    throw SpaceError("the parameter '" + std::string(*twin) + "' is declared twice");
  }
  places_.reserve(parameters.size());
  for (const Parameter& parameter : parameters) places_.push_back(places_of(parameter));
}

std::optional<std::uint32_t> ValueDigits::digit_of(const std::vector<Parameter>& parameters,
                                                   std::size_t k, const Value& value) const {
  const std::uint32_t found = places_[k][find(places_[k], parameters[k], value)];
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

}  // namespace nightshift::search
