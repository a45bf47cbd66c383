// Sums of a product on their way out of registers, where a lane has two neighbours in each of a row's
// groups of 8 columns (PTX ISA, "wgmma.mma_async").
#pragma once

#include "common/element.cuh"

// Four lanes with 4 words each exchange them: lane i gets word i of all, in the order of lanes.
__device__ inline void exchange(unsigned (&words)[4]) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int distance = 1; distance <= 2; distance *= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) continue;
      const unsigned received =
          __shfl_xor_sync(~0u, upper ? words[i] : words[i + distance], distance);
      (upper ? words[i] : words[i + distance]) = received;
    }
  }
}

// Four matrices of 8 x 8 numbers of 2 bytes to shared memory: lane 8 * i + r names the place of row r of
// matrix number i, of which it has two neighbours in row lane / 4. PTX ISA, "stmatrix".
__device__ inline void store_matrices(unsigned to, unsigned first, unsigned second, unsigned third,
                                      unsigned fourth) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(first), "r"(second), "r"(third), "r"(fourth)
               : "memory");
}

// Two numbers of 2 bytes in a word, the first one in its lower half.
template <class T>
__device__ inline unsigned rounded_pair(float low, float high) {
  static_assert(sizeof(T) == 2);
  alignas(4) T both[2];
  round_pair(low, high, both);
  return reinterpret_cast<const unsigned&>(both);
}
