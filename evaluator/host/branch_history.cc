#include "evaluator/host/branch_history.h"

#include <cstddef>
#include <utility>

namespace nightshift::evaluator {
namespace {

constexpr int kRounds = 1024;
constexpr std::size_t kWords = 16;  // of 64 branches, each at a place of its own

// A xorshift generator by Marsaglia (2003), inlined between the branches.
inline std::uint64_t next(std::uint64_t& random) {
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return random;
}

// The empty statements keep it a branch, where the compiler would choose without one.
template <std::size_t bit>
[[gnu::always_inline]] inline void branch(std::uint64_t word, std::uint64_t& sum) {
  if ((word >> bit & 1) != 0) {
    asm volatile("" : "+r"(sum));
    sum += bit;
  } else {
    asm volatile("" : "+r"(sum));
    sum ^= bit + 1;
  }
}

template <std::size_t... bits>
[[gnu::always_inline]] inline void branches(std::uint64_t word, std::uint64_t& sum,
                                            std::index_sequence<bits...>) {
  (branch<bits>(word, sum), ...);
}

template <std::size_t... words>
std::uint64_t round(std::uint64_t& random, std::uint64_t sum, std::index_sequence<words...>) {
  ((static_cast<void>(words), branches(next(random), sum, std::make_index_sequence<64>())), ...);
  return sum;
}

}  // namespace

void forget_branches(std::uint64_t& random) {
  std::uint64_t sum = 0;
  for (int i = 0; i < kRounds; ++i) sum = round(random, sum, std::make_index_sequence<kWords>());
  asm volatile("" : : "r"(sum));
}

}  // namespace nightshift::evaluator
