#pragma once

#include <cstddef>
#include <limits>

#include "base/rng.h"

namespace nightshift::search {

// Which places of a list are looked at: all of a short one; of a longer one only so many, one at
// random from each of as many stretches of equal length.
class Places {
 public:
  Places() = default;  // all
  Places(std::size_t most, base::Rng& rng) : most_(most), rng_(&rng) {}

  // look(place), ascending, for places below `count`. Nothing is drawn where all are looked at.
  template <class Look>
  void for_each(std::size_t count, const Look& look) const {
    if (count <= most_) {
      for (std::size_t place = 0; place < count; ++place) look(place);
      return;
    }
    std::size_t begin = 0;
    for (std::size_t stretch = 0; stretch < most_; ++stretch) {
      const std::size_t length = count / most_ + (stretch < count % most_ ? 1 : 0);
      look(begin + static_cast<std::size_t>(rng_->below(length)));
      begin += length;
    }
  }

 private:
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  base::Rng* rng_ = nullptr;
};

}  // namespace nightshift::search
