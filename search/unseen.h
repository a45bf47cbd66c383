#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/id.h"
#include "search/rng.h"

namespace nightshift::search {

// The configurations that a searcher has neither proposed nor been told of.
class Unseen {
 public:
  explicit Unseen(std::uint64_t size) : seen_(size), undrawn_(size) {}

  // False where it was seen before, or is none of the space.
  bool mark_seen(ConfigurationIndex i) {
    if (i.value >= seen_.size() || seen_[i.value]) return false;
    seen_[i.value] = true;
    return true;
  }
  bool is_seen(ConfigurationIndex i) const { return i.value >= seen_.size() || seen_[i.value]; }

  // A uniformly chosen unseen one, marked seen; nullopt when none is left. A shuffle of the whole
  // space, of which only the part is stored that differs from the identity: memory grows with the
  // draws, not with the space.
  std::optional<ConfigurationIndex> draw(Rng& rng) {
    while (undrawn_ > 0) {
      const std::uint64_t place = rng.below(undrawn_);
      --undrawn_;
      const std::uint64_t last = take(undrawn_);
      const std::uint64_t chosen = place == undrawn_ ? last : replace(place, last);
      if (mark_seen({chosen})) return ConfigurationIndex{chosen};
    }
    return std::nullopt;
  }

 private:
  std::uint64_t take(std::uint64_t place) {
    const auto moved = moved_.find(place);
    if (moved == moved_.end()) return place;
    const std::uint64_t item = moved->second;
    moved_.erase(moved);
    return item;
  }
  std::uint64_t replace(std::uint64_t place, std::uint64_t item) {
    const auto [moved, is_new] = moved_.try_emplace(place, item);
    if (is_new) return place;
    return std::exchange(moved->second, item);
  }

  std::vector<bool> seen_;
  std::uint64_t undrawn_;                                   // places below are still in the urn
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;  // place -> what lies there instead
};

}  // namespace nightshift::search
