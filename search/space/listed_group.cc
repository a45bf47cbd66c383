#include "search/space/listed_group.h"

#include <numeric>

namespace nightshift::search {

ListedGroup::ListedGroup(DigitTable table, std::vector<std::size_t> value_counts)
    : table_(std::move(table)), value_counts_(std::move(value_counts)) {
  parameters_.resize(value_counts_.size());
  std::iota(parameters_.begin(), parameters_.end(), 0U);
}

std::optional<Wide> ListedGroup::rank_of(std::span<const std::uint32_t> row) const {
  const auto found = table_.find(row);
  return found ? std::optional<Wide>(*found) : std::nullopt;
}

void ListedGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                               const Places& places, const Each& each) const {
  std::vector<std::uint32_t> changed(row.begin(), row.end());
  places.evaluation(value_counts_[parameter], [&](std::size_t place) {
    const auto digit = static_cast<std::uint32_t>(place);
    changed[parameter] = digit;
    if (digit == row[parameter]) return;
    if (const auto found = table_.find(changed)) each(digit, *found);
  });
}

}  // namespace nightshift::search
