#include "search/importance/parameter_levels.h"

#include <algorithm>
#include <numeric>

#include "search/model/parameter_scale.h"

namespace nightshift::search {

ParameterLevels::ParameterLevels(const std::vector<Parameter>& parameters) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    parameters_.push_back(levels_of(parameters[p]));
    const std::size_t levels = count(p);
    const bool is_choice = !is_numeric(parameters[p]) && parameters[p].values.size() <= kMost;
    if (is_choice && levels > 2) {
      for (std::size_t level = 0; level < levels; ++level) columns_.push_back({p, false, level});
    } else if (levels > 1) {
      columns_.push_back({p, true, 0});
    }
  }
}

ParameterLevels::Levels ParameterLevels::levels_of(const Parameter& parameter) {
  const std::size_t values = parameter.values.size();
  std::vector<std::uint32_t> order(values);
  std::iota(order.begin(), order.end(), 0U);
  if (is_numeric(parameter)) {
    const std::vector<double> numbers = numbers_of(parameter);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t digit) { return numbers[digit]; });
  }
  const std::size_t count = std::min(values, kMost);
  Levels levels{std::vector<std::size_t>(values), std::vector<double>(count),
                std::vector<Ends>(count)};
  for (std::size_t rank = 0; rank < values; ++rank) {
    const std::size_t level = rank * count / values;
    levels.level_of[order[rank]] = level;
    if (levels.weights[level] == 0) levels.ends[level].first = order[rank];
    levels.ends[level].last = order[rank];
    levels.weights[level] += 1 / static_cast<double>(values);
  }
  return levels;
}

double ParameterLevels::coordinate(std::size_t column, std::size_t level) const {
  const Column& its = columns_[column];
  if (its.is_ordered) return static_cast<double>(level);
  return its.level == level ? 1 : 0;
}

void ParameterLevels::append(std::span<const std::uint32_t> digits,
                             std::vector<double>& rows) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::size_t p = columns_[c].parameter;
    rows.push_back(coordinate(c, level(p, digits[p])));
  }
}

}  // namespace nightshift::search
