#include "base/rng.h"

#include <bit>
#include <cmath>

#include "base/portable_math.h"

namespace nightshift::base {

namespace {

// SplitMix64 by Steele, Lea and Flood (2014): advances `state` and mixes it.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t n) {
  // The lowest 2^64 mod n values are rejected, so that each remainder is equally frequent.
  const std::uint64_t rejected = (0 - n) % n;
  std::uint64_t word = next();
  while (word < rejected) word = next();
  return word % n;
}

Wide Rng::below_wide(Wide n) {
  if (n >> 64 == 0) return below(static_cast<std::uint64_t>(n));
  const Wide rejected = (0 - n) % n;
  for (;;) {
    const Wide high = next();
    const Wide word = high << 64 | next();
    if (word >= rejected) return word % n;
  }
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Rng::normal() {
  // Marsaglia's polar method; the second of the pair is dropped to keep the state four words.
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = std::fma(u, u, v * v);
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t part) {
  std::uint64_t state = part;
  state = seed ^ split_mix(state);
  return split_mix(state);
}

}  // namespace nightshift::base
