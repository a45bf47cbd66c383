// How the sums of warpgroup_gemm.cuh leave the registers.
#pragma once

#include "common/warpgroup_gemm.cuh"

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

__device__ inline unsigned rounded_pair(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(both);
}

// Calls visit(m, p, half) for each row m of the result that this thread has sums of, in sums[p] at
// 2 * half and every 4 further on. `row` is the warpgroup's first.
template <class Visit>
__device__ inline void for_each_row_of_sums(int row, Visit visit) {
  const int warp = threadIdx.x % kWarpgroup / 32;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      visit(row + p * kStepM + warp * 16 + half * 8 + lane / 4, p, half);
    }
  }
}

// c: M x N of bfloat16. `result(p, half, i, pair)` puts into `pair` what becomes of the sums number
// i and i + 1 of piece p, neighbours in a row, which may lie beyond M.
template <class Result>
__device__ inline void write_rounded(bfloat16* c, int row, int column, Result result) {
  const int lane = threadIdx.x % 32;
  for_each_row_of_sums(row, [&](int m, int p, int half) {
#pragma unroll
    for (int j = 0; j < BLOCK_N / 8; j += 4) {
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float pair[2];
        result(p, half, 4 * (j + i) + 2 * half, pair);
        words[i] = rounded_pair(pair[0], pair[1]);
      }
      exchange(words);
      const int n = column + 8 * (j + lane % 4);
      if (m < M && n < N) {
        *reinterpret_cast<uint4*>(c + static_cast<long long>(m) * N + n) =
            make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
  });
}

// The sums of a part of k as they are, M x N. Four lanes fill a sector of 32 bytes.
template <class Number>
__device__ inline void write_part(const Number (&sums)[kPieces][kSums], Number* part, int row,
                                  int column) {
  static_assert(sizeof(Number) == 4);
  const int first = column + threadIdx.x % 4 * 2;
  for_each_row_of_sums(row, [&](int m, int p, int half) {
    if (m >= M) return;
    auto* pairs = reinterpret_cast<uint2*>(part + static_cast<long long>(m) * N + first);
#pragma unroll
    for (int j = 0; j < BLOCK_N / 8; ++j) {
      const int at = 4 * j + 2 * half;
      const uint2 pair = {reinterpret_cast<const unsigned&>(sums[p][at]),
                          reinterpret_cast<const unsigned&>(sums[p][at + 1])};
      if (first + 8 * j < N) __stcg(pairs + 4 * j, pair);
    }
  });
}

// The sums themselves, rounded, or those of a part of k.
__device__ inline void write_sums(const float (&sums)[kPieces][kSums], const Unit& unit,
                                  bfloat16* c, float* partials) {
  const int row = unit.place.m + unit.row;
  if constexpr (SPLIT_K == 1) {
    write_rounded(c, row, unit.place.n, [&](int p, int, int i, float(&pair)[2]) {
      pair[0] = sums[p][i];
      pair[1] = sums[p][i + 1];
    });
  } else {
    write_part(sums, partials + unit.part * kResults, row, unit.place.n);
  }
}

constexpr int kFinishThreads = 128;  // 4 results each

// Adds SPLIT_K parts of the sums, in the order of k, and calls finish(at, sums) for the 4 from
// number `at` on. For blocks of kFinishThreads.
template <class Finish>
__device__ inline void add_parts(const Sum* parts, Finish finish) {
  const long long at = 4 * (static_cast<long long>(blockIdx.x) * kFinishThreads + threadIdx.x);
  if (at >= kResults) return;
  uint4 words[SPLIT_K];
#pragma unroll
  for (int i = 0; i < SPLIT_K; ++i) {
    words[i] = __ldcs(reinterpret_cast<const uint4*>(parts + i * kResults + at));
  }
  Sum sums[4] = {};
#pragma unroll
  for (int i = 0; i < SPLIT_K; ++i) {
    const Sum* part = reinterpret_cast<const Sum*>(&words[i]);
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[j] += part[j];
  }
  finish(at, sums);
}
