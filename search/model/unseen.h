#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/id.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// The configurations that a searcher has neither proposed nor been told of. Memory grows with what
// was seen, except that a small space has a bit for each.
class Unseen {
 public:
  // For a counted space.
  explicit Unseen(base::Wide size) : size_(size), undrawn_(size) {
    if (size <= kMaxBits) bits_.resize(static_cast<std::size_t>(size));
  }
  // For any space, which outlives this.
  explicit Unseen(const ParameterSpace& space)
      : Unseen(space.size(), space.counted() ? nullptr : &space) {}

  // False where it was seen before, or is none of the space.
  bool mark_seen(ConfigurationIndex i) {
    if (i.value >= size_) return false;
    if (bits_.empty()) return set_.insert(i).second;
    const auto place = static_cast<std::size_t>(i.value);
    if (bits_[place]) return false;
    bits_[place] = true;
    return true;
  }
  bool is_seen(ConfigurationIndex i) const {
    if (i.value >= size_) return true;
    return bits_.empty() ? set_.contains(i) : bits_[static_cast<std::size_t>(i.value)];
  }

  // A uniformly chosen unseen one, marked seen; nullopt when none is left. A shuffle of the whole
  // space, of which only the part is stored that differs from the identity: memory grows with the
  // draws, not with the space. Of a space that is not counted: a sample, as uniform as those are,
  // and nullopt where many in a row were seen before.
  std::optional<ConfigurationIndex> draw(base::Rng& rng) {
    for (int i = 0; uncounted_ != nullptr && i < kSamples; ++i) {
      const ConfigurationIndex sample = uncounted_->sample(rng);
      if (mark_seen(sample)) return sample;
    }
    if (uncounted_ != nullptr) return std::nullopt;
    while (undrawn_ > 0) {
      const base::Wide place = rng.below_wide(undrawn_);
      --undrawn_;
      const base::Wide last = take(undrawn_);
      const base::Wide chosen = place == undrawn_ ? last : replace(place, last);
      if (mark_seen({chosen})) return ConfigurationIndex{chosen};
    }
    return std::nullopt;
  }

 private:
  static constexpr base::Wide kMaxBits = base::Wide{1} << 26;
  static constexpr int kSamples = 200;

  // Few positions of an uncounted space may be valid, so it gets no bits.
  Unseen(base::Wide size, const ParameterSpace* uncounted)
      : size_(size), uncounted_(uncounted), undrawn_(size) {
    if (uncounted == nullptr && size <= kMaxBits) bits_.resize(static_cast<std::size_t>(size));
  }

  base::Wide take(base::Wide place) {
    const auto moved = moved_.find({place});
    if (moved == moved_.end()) return place;
    const base::Wide item = moved->second;
    moved_.erase(moved);
    return item;
  }
  base::Wide replace(base::Wide place, base::Wide item) {
    const auto [moved, is_new] = moved_.try_emplace({place}, item);
    if (is_new) return place;
    return std::exchange(moved->second, item);
  }

  base::Wide size_;
  const ParameterSpace* uncounted_ = nullptr;  // where it is not counted
  std::vector<bool> bits_;
  std::unordered_set<ConfigurationIndex> set_;                // instead of `bits_` in a large space
  base::Wide undrawn_;                                        // places below are still in the urn
  std::unordered_map<ConfigurationIndex, base::Wide> moved_;  // place -> what lies there instead
};

}  // namespace nightshift::search
