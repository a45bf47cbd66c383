#include "search/space/space_group.h"

#include <algorithm>
#include <numeric>

namespace nightshift::search {

DiagramGroup::DiagramGroup(std::vector<SpaceDiagram::Layer> layers) : diagram_(std::move(layers)) {
  for (const SpaceDiagram::Layer& layer : diagram_.layers()) {
    parameters_.push_back(layer.parameter);
  }
}

void DiagramGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                                const Places& places, const Each& each) const {
  const auto place = std::ranges::find(parameters_, parameter);
  diagram_.alternatives(static_cast<std::size_t>(place - parameters_.begin()), row, places, each);
}

std::optional<base::Wide> FreeGroup::rank_of(std::span<const std::uint32_t> row) const {
  const std::uint32_t digit = row[parameters_.front()];
  const auto place = std::ranges::lower_bound(digits_, digit);
  if (place == digits_.end() || *place != digit) return std::nullopt;
  return static_cast<std::size_t>(place - digits_.begin());
}

void FreeGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                             const Places& places, const Each& each) const {
  places.for_each(digits_.size(), [&](std::size_t rank) {
    if (digits_[rank] != row[parameter]) each(digits_[rank], rank);
  });
}

ListedGroup::ListedGroup(DigitTable table, std::vector<std::size_t> value_counts)
    : table_(std::move(table)), value_counts_(std::move(value_counts)) {
  parameters_.resize(value_counts_.size());
  std::iota(parameters_.begin(), parameters_.end(), 0U);
}

std::optional<base::Wide> ListedGroup::rank_of(std::span<const std::uint32_t> row) const {
  const auto found = table_.find(row);
  return found ? std::optional<base::Wide>(*found) : std::nullopt;
}

void ListedGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                               const Places& places, const Each& each) const {
  std::vector<std::uint32_t> changed(row.begin(), row.end());
  places.for_each(value_counts_[parameter], [&](std::size_t place) {
    const auto digit = static_cast<std::uint32_t>(place);
    changed[parameter] = digit;
    if (digit == row[parameter]) return;
    if (const auto found = table_.find(changed)) each(digit, *found);
  });
}

}  // namespace nightshift::search
