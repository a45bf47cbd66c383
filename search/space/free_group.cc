#include "search/space/free_group.h"

#include <algorithm>

namespace nightshift::search {

std::optional<Wide> FreeGroup::rank_of(std::span<const std::uint32_t> row) const {
  const std::uint32_t digit = row[parameters_.front()];
  const auto place = std::ranges::lower_bound(digits_, digit);
  if (place == digits_.end() || *place != digit) return std::nullopt;
  return static_cast<std::size_t>(place - digits_.begin());
}

void FreeGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                             const Places& places, const Each& each) const {
  places.evaluation(digits_.size(), [&](std::size_t rank) {
    if (digits_[rank] != row[parameter]) each(digits_[rank], rank);
  });
}

}  // namespace nightshift::search
