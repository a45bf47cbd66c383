// How the sums of warpgroup_gemm.cuh leave the registers. A parameter:
//
//   BOXES_OUT  0: threads store results; else so many boxes of 16 rows of a tile for each warp in
//              shared memory, behind the ring, from which the copy engine takes them. The warp goes
//              on with its next products while the last ones are taken.
#pragma once

#include "common/matrix_stores.cuh"
#include "common/warpgroup_gemm.cuh"

// Results of a warp on their way: boxes of kBoxRows rows and kBoxColumns columns, swizzled by as many
// bytes as their rows have, so that 8 rows at the same column are in different banks.
constexpr int kBoxRows = 16;
constexpr int kBoxColumns = BLOCK_N % 64 == 0 ? 64 : BLOCK_N % 32 == 0 ? 32 : 16;
constexpr int kBoxRowBytes = kBoxColumns * static_cast<int>(sizeof(bfloat16));
constexpr int kBoxBytes = kBoxRows * kBoxRowBytes;

class BoxesOut {
 public:
  // `boxes` are those of all warps that multiply.
  __device__ BoxesOut(const TensorMap& map, unsigned char* boxes)
      : map_(map),
        boxes_(of_warp(static_cast<unsigned>(shared_address(boxes) +
                                             threadIdx.x / 32 * (BOXES_OUT * kBoxBytes)))) {}

  // Results of rows from m on and columns from n on; words(j, half) are two neighbours of lane number
  // `lane`: in row lane / 4 + 8 * half, at column 8 * j + lane % 4 * 2.
  template <class Words>
  __device__ void write(int lane, int m, int n, Words words) {
    const unsigned box = boxes_ + next_ * kBoxBytes;
    next_ = next_ + 1 == BOXES_OUT ? 0 : next_ + 1;
    await_stores<BOXES_OUT - 1>();  // of lane 0, which orders them
    __syncwarp();
    // Lanes name rows of 8 columns, those of a group of 8 lanes the rows of one matrix.
    const unsigned row = box + lane % 16 * kBoxRowBytes;
    const unsigned mixed = row >> 7 & (kBoxRowBytes / 16 - 1);
#pragma unroll
    for (int j = 0; j < kBoxColumns / 8; j += 2) {
      store_matrices(row + ((j + lane / 16) ^ mixed) * 16, words(j, 0), words(j, 1),
                     words(j + 1, 0), words(j + 1, 1));
    }
    publish_to_copies();
    __syncwarp();
    if (lane == 0 && m < M && n < N) store_tile(map_, n, m, box);
    close_stores();
  }

  // At the end, by all threads.
  __device__ void finish() { await_stores<0>(); }

 private:
  const TensorMap& map_;
  unsigned boxes_;
  int next_ = 0;
};

// Where the results of a kernel go, M x N.
struct Output {
  bfloat16* c;
  BoxesOut boxes;

  __device__ Output(bfloat16* to, const TensorMap& map, unsigned char* behind_ring)
      : c(to), boxes(map, behind_ring) {}
  __device__ void finish() {
    if constexpr (BOXES_OUT > 0) boxes.finish();
  }
};

// The first row of each piece that this thread has sums of.
__device__ inline int row_in_piece() {
  return threadIdx.x % kWarpgroup / 32 * 16 + threadIdx.x % 32 / 4;
}

// Calls visit(m, p, half) for each row m of the result that this thread has sums of, in sums[p] at
// 2 * half and every 4 further on. `row` is the warpgroup's first.
template <class Visit>
__device__ inline void for_each_row_of_sums(int row, Visit visit) {
  const int first = row + row_in_piece();
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      visit(first + p * kStepM + half * 8, p, half);
    }
  }
}

// `result(p, half, i, pair)` puts into `pair` what becomes of the sums number i and i + 1 of piece p,
// neighbours in a row, which may lie beyond M.
template <class Result>
__device__ inline void write_rounded(Output& out, int row, int column, Result result) {
  const int lane = threadIdx.x % 32;
  const auto word = [&](int p, int half, int j) {
    float pair[2];
    result(p, half, 4 * j + 2 * half, pair);
    return rounded_pair<bfloat16>(pair[0], pair[1]);
  };
  if constexpr (BOXES_OUT > 0) {
    const int warp = of_warp(threadIdx.x) % kWarpgroup / 32;
    const int here = kept(lane);
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      for (int first = 0; first < BLOCK_N; first += kBoxColumns) {
        out.boxes.write(here, row + p * kStepM + warp * kBoxRows, column + first,
                        [&](int j, int half) { return word(p, half, first / 8 + j); });
      }
    }
    return;
  }
  for_each_row_of_sums(row, [&](int m, int p, int half) {
    bfloat16* const to = out.c + static_cast<long long>(m) * N;
#pragma unroll
    for (int j = 0; j + 4 <= BLOCK_N / 8; j += 4) {
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) words[i] = word(p, half, j + i);
      exchange(words);
      const int n = column + 8 * (j + lane % 4);
      if (m < M && n < N) {
        *reinterpret_cast<uint4*>(to + n) = make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
#pragma unroll
    for (int j = BLOCK_N / 32 * 4; j < BLOCK_N / 8; ++j) {
      const int n = column + 8 * j + lane % 4 * 2;
      const unsigned both = word(p, half, j);
      if (m < M && n < N) *reinterpret_cast<unsigned*>(to + n) = both;
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
                                  Output& out, float* partials) {
  const int row = unit.place.m + unit.row;
  if constexpr (SPLIT_K == 1) {
    write_rounded(out, row, unit.place.n, [&](int p, int, int i, float(&pair)[2]) {
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
