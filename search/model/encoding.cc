#include "search/model/encoding.h"

#include <algorithm>
#include <cmath>

namespace nightshift::search {

namespace {

bool is_numeric(const Parameter& parameter) {
  return std::ranges::none_of(parameter.values, [](const Value& v) {
    return std::holds_alternative<std::string>(v) || std::holds_alternative<bool>(v);
  });
}

// Steps that grow with the values call for logarithms.
bool is_geometric(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return low > 0 && high / low >= 4 && static_cast<double>(values.size()) < (high - low) / low;
}

std::vector<double> scaled(std::vector<double> values) {
  const auto [low, high] = std::ranges::minmax(values);
  for (double& v : values) v = high > low ? (v - low) / (high - low) : 0;
  return values;
}

std::vector<double> ordered_coordinates(const Parameter& parameter) {
  std::vector<double> values;
  for (const Value& value : parameter.values) values.push_back(as_number(value));
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<double> ranks;
  for (const double v : values) {
    ranks.push_back(static_cast<double>(std::ranges::lower_bound(sorted, v) - sorted.begin()));
  }
  if (is_geometric(values)) {
    for (double& v : values) v = std::log2(v);
  }
  values = scaled(std::move(values));
  ranks = scaled(std::move(ranks));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * (values[i] + ranks[i]);
  return values;
}

}  // namespace

Encoding::Encoding(const ParameterSpace& space) {
  for (std::size_t k = 0; k < space.parameters().size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    if (parameter.values.size() < 2) continue;
    Dimension dimension;
    dimension.parameter = k;
    dimension.ordered = is_numeric(parameter);
    if (dimension.ordered) {
      dimension.coordinates = ordered_coordinates(parameter);
    } else {
      for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        dimension.coordinates.push_back(static_cast<double>(i));
      }
    }
    dimensions_.push_back(std::move(dimension));
  }
}

void Encoding::encode(std::span<const std::uint32_t> digits, std::span<double> point) const {
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    point[k] = dimensions_[k].coordinates[digits[dimensions_[k].parameter]];
  }
}

std::vector<double> Encoding::encode(std::span<const std::uint32_t> digits) const {
  std::vector<double> point(size());
  encode(digits, point);
  return point;
}

}  // namespace nightshift::search
