#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/wide.h"

namespace nightshift::base {

// xoshiro256** by Blackman and Vigna (2018), seeded through SplitMix64. The standard library's
// distributions differ between implementations; these do not, so a seed means the same everywhere.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();
  std::uint64_t below(std::uint64_t n);  // uniform in [0, n), n > 0, without modulo bias
  Wide below_wide(Wide n);               // the same; draws what below() draws where n has 64 bits
  double uniform();                      // in [0, 1), 53 bits
  double normal();                       // mean 0, standard deviation 1
  bool coin() { return (next() >> 63) != 0; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
};

// A seed for a part of a whole (trial 17 of study 42), unrelated to its neighbours.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t part);

}  // namespace nightshift::base
