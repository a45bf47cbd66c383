#include "search/model/encoding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/model/parameter_scale.h"

namespace nightshift::search {

namespace {

// Steps that grow with the values call for logarithms.
bool is_geometric(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return low > 0 && high / low >= 4 && static_cast<double>(values.size()) < (high - low) / low;
}

std::vector<double> ordered_coordinates(const Parameter& parameter) {
  std::vector<double> values = numbers_of(parameter);
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<double> ranks;
  for (const double v : values) {
    ranks.push_back(static_cast<double>(std::ranges::lower_bound(sorted, v) - sorted.begin()));
  }
  if (is_geometric(values)) {
    for (double& v : values) v = std::log2(v);
  }
  values = to_unit_interval(std::move(values));
  ranks = to_unit_interval(std::move(ranks));
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
