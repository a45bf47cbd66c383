#include "scheduler/pool/spare_order.h"

#include <algorithm>

namespace nightshift::scheduler {

std::optional<std::size_t> next_spare(const std::vector<SparePlace>& places) {
  if (std::ranges::any_of(places, &SparePlace::awaited)) return std::nullopt;
  const bool busy = std::ranges::any_of(
      places, [](const SparePlace& place) { return place.gpu && place.starting; });
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SparePlace& place = places[i];
    if (!place.due || (place.gpu && (busy || !place.settled))) continue;
    if (!next || place.spares < places[*next].spares) next = i;
  }
  return next;
}

}  // namespace nightshift::scheduler
