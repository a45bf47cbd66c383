#include "search/model/aspects.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "search/model/parameter_scale.h"

namespace nightshift::search {

namespace {

// The value as a whole number >= 1; 0 where it is none.
std::uint64_t whole(const Value& value) {
  if (!is_number(value)) return 0;
  const double number = as_number(value);
  const bool fits = number >= 1 && number < 0x1p53 && number == std::floor(number);
  return fits ? static_cast<std::uint64_t>(number) : 0;
}

// To [0, 1], by logarithms where the values span a factor of four.
std::vector<double> scaled(std::vector<double> values) {
  const auto [low, high] = std::ranges::minmax(values);
  if (low > 0 && high >= 4 * low) {
    for (double& v : values) v = std::log(v / low) / std::log(high / low);
    return values;
  }
  return to_unit_interval(std::move(values));
}

// Sorted, without those closer than `step` to their predecessor.
std::vector<double> distinct(std::vector<double> values, double step) {
  std::ranges::sort(values);
  std::vector<double> kept;
  for (const double v : values) {
    if (kept.empty() || v - kept.back() > step) kept.push_back(v);
  }
  return kept;
}

std::vector<double> levels_of(const std::vector<double>& values) {
  std::vector<double> levels = distinct(values, 1e-9);
  const double range = levels.back() - levels.front();
  for (double step = range / Aspects::kMaxLevels; levels.size() > Aspects::kMaxLevels;
       step *= 1.1) {
    levels = distinct(values, step);
  }
  return levels;
}

std::vector<double> bounds_between(const std::vector<double>& levels) {
  std::vector<double> bounds;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    bounds.push_back(0.5 * (levels[i] + levels[i + 1]));
  }
  return bounds;
}

std::uint8_t level_at(const std::vector<double>& bounds, double value) {
  return static_cast<std::uint8_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
}

// Axis letters that stand for each other; 0 for a character that names no axis.
char axis_of(char c) {
  if (c >= '0' && c <= '9') return '0';
  switch (std::tolower(static_cast<unsigned char>(c))) {
    case 'x':
    case 'y':
    case 'z':
      return 'x';
    case 'm':
    case 'n':
    case 'k':
      return 'm';
    case 'a':
    case 'b':
      return 'a';
    default:
      return 0;
  }
}

bool same_family(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (++differing > 1 || axis_of(a[i]) == 0 || axis_of(a[i]) != axis_of(b[i])) return false;
  }
  return differing == 1;
}

}  // namespace

bool is_power_of_two(const Value& value) { return std::has_single_bit(whole(value)); }

bool mixes_powers_of_two(const Parameter& parameter) {
  if (parameter.values.size() < 4) return false;
  if (std::ranges::any_of(parameter.values, [](const Value& v) { return whole(v) == 0; })) {
    return false;
  }
  const auto powers = std::ranges::count_if(parameter.values, is_power_of_two);
  return powers > 1 && static_cast<std::size_t>(powers) < parameter.values.size();
}

Aspects::Aspects(const ParameterSpace& space) {
  for (std::size_t k = 0; k < space.parameters().size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    if (parameter.values.size() < 2) continue;
    add_parameter(parameter, k);
    if (mixes_powers_of_two(parameter)) add_divisibility(parameter, k);
  }
  add_families(space);
}

void Aspects::add_parameter(const Parameter& parameter, std::size_t position) {
  const bool ordered = is_numeric(parameter);
  std::vector<double> values;
  if (ordered) {
    values = scaled(numbers_of(parameter));
  } else {
    values.resize(parameter.values.size());
    std::iota(values.begin(), values.end(), 0.0);
  }
  add_single(parameter.name, ordered, values, position);
}

void Aspects::add_divisibility(const Parameter& parameter, std::size_t position) {
  std::vector<double> order;
  std::vector<double> is_power;
  for (const Value& value : parameter.values) {
    order.push_back(std::countr_zero(whole(value)));
    is_power.push_back(is_power_of_two(value) ? 1 : 0);
  }
  add_single("powers of two in " + parameter.name, true, to_unit_interval(std::move(order)),
             position);
  add_single(parameter.name + " is a power of two", true, is_power, position);
}

void Aspects::add_single(std::string name, bool ordered, const std::vector<double>& values,
                         std::size_t position) {
  Aspect aspect;
  aspect.name = std::move(name);
  aspect.ordered = ordered;
  aspect.parameters = {position};
  aspect.coordinates = levels_of(values);
  if (aspect.coordinates.size() < 2) return;
  const std::vector<double> bounds = bounds_between(aspect.coordinates);
  for (const double v : values) aspect.level_of_digit.push_back(level_at(bounds, v));
  aspects_.push_back(std::move(aspect));
}

void Aspects::add_families(const ParameterSpace& space) {
  const std::vector<Parameter>& parameters = space.parameters();
  const auto may_join = [](const Parameter& p) {
    return p.values.size() > 2 && is_numeric(p) &&
           std::ranges::all_of(p.values, [](const Value& v) { return as_number(v) > 0; });
  };
  std::vector<bool> taken(parameters.size());
  for (std::size_t first = 0; first < parameters.size(); ++first) {
    if (taken[first] || !may_join(parameters[first])) continue;
    Aspect aspect;
    std::vector<double> products = {0};
    for (std::size_t k = first; k < parameters.size(); ++k) {
      const bool joins = k == first || (!taken[k] && may_join(parameters[k]) &&
                                        same_family(parameters[first].name, parameters[k].name));
      if (!joins) continue;
      taken[k] = true;
      aspect.parameters.push_back(k);
      aspect.name += (aspect.name.empty() ? "" : " * ") + parameters[k].name;
      std::vector<double> logarithms;
      for (const double v : numbers_of(parameters[k])) logarithms.push_back(std::log2(v));
      std::vector<double> longer;
      for (const double product : products) {
        for (const double l : logarithms) longer.push_back(product + l);
      }
      products = levels_of(longer);
      aspect.logarithms.push_back(std::move(logarithms));
    }
    if (aspect.parameters.size() < 2 || products.size() < 2) continue;
    aspect.bounds = bounds_between(products);
    const double low = products.front(), range = products.back() - low;
    for (const double p : products) aspect.coordinates.push_back((p - low) / range);
    aspects_.push_back(std::move(aspect));
  }
}

void Aspects::levels(std::span<const std::uint32_t> digits, std::span<std::uint8_t> levels) const {
  for (std::size_t k = 0; k < aspects_.size(); ++k) {
    const Aspect& aspect = aspects_[k];
    if (aspect.parameters.size() == 1) {
      levels[k] = aspect.level_of_digit[digits[aspect.parameters.front()]];
      continue;
    }
    double product = 0;
    for (std::size_t i = 0; i < aspect.parameters.size(); ++i) {
      product += aspect.logarithms[i][digits[aspect.parameters[i]]];
    }
    levels[k] = level_at(aspect.bounds, product);
  }
}

}  // namespace nightshift::search
