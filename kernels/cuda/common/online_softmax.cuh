// Softmax over rows that come tile by tile, as a product by a warpgroup leaves them in registers: each
// tile becomes exponentials relative to the maximum so far, and what was added up before is corrected
// when the maximum grows (Milakov and Gimelshein, 2018). A parameter:
//
//   RESCALE  when earlier sums are corrected. `always`: with every tile; `changed`: where a maximum of the
//            warp's rows grew; `late`: where one grew by more than 2^8, since float has room for that
//            (FlashAttention-4, 2025, does so)
#pragma once

#include "common/element.cuh"
#include "common/exponential.cuh"

enum class Rescale { always, changed, late };
constexpr Rescale kRescale = Rescale::RESCALE;
constexpr float kSlack = kRescale == Rescale::late ? 8.0f : 0.0f;  // powers of two

// Rows of a tile that a thread has a share of: row % 8 is its lane / 4. The four lanes of a row have
// other columns of it.
constexpr int kRowsOfThread = 2;

// The four lanes of a row, combined.
template <class Operation>
__device__ inline float over_lanes_of_row(float value, Operation operation) {
  value = operation(value, __shfl_xor_sync(~0u, value, 1));
  return operation(value, __shfl_xor_sync(~0u, value, 2));
}

// What is known of a thread's rows. Scores number 4 * j + 2 * i and the next one are of row i, as are
// those of Product.
struct SoftmaxRows {
  float maximum[kRowsOfThread] = {minus_infinity(), minus_infinity()};
  float sum[kRowsOfThread] = {};    // of this thread's share, relative to the maximum
  float correction[kRowsOfThread];  // by the latest tile, of what was added up before it

  // Scores of a tile become 2^(score * scale - base); scale > 0. Minus infinity is a score that does not
  // count.
  template <int kScores>
  __device__ void add(float (&scores)[kScores], float scale) {
#pragma unroll
    for (int i = 0; i < kRowsOfThread; ++i) {
      const float base = grow(scores, i, scale);
      float sum_of_tile = 0;
#pragma unroll
      for (int at = 2 * i; at < kScores; at += 4) {
#pragma unroll
        for (int e = at; e < at + 2; ++e) {
          scores[e] = power_of_two(fmaf(scores[e], scale, -base));
          sum_of_tile += scores[e];
        }
      }
      sum[i] = sum[i] * correction[i] + sum_of_tile;
    }
  }

  // Corrects sums of the shape of a product, which go with earlier tiles.
  template <int kSums>
  __device__ void correct(float (&sums)[kSums]) const {
    if (kRescale != Rescale::always && !__any_sync(~0u, correction[0] != 1 || correction[1] != 1))
      return;
#pragma unroll
    for (int at = 0; at < kSums; ++at) sums[at] *= correction[at / 2 % kRowsOfThread];
  }

  // What sums of the shape of a product are to be multiplied by at the end; 0 for a row without scores.
  __device__ float share(int i) const {
    const float whole = over_lanes_of_row(sum[i], [](float a, float b) { return a + b; });
    return whole == 0 ? 0 : 1 / whole;
  }

 private:
  // Takes the scores of row i into its maximum; returns the base of the tile's exponents.
  template <int kScores>
  __device__ float grow(const float (&scores)[kScores], int i, float scale) {
    const float before = maximum[i];
    float now = before;
#pragma unroll
    for (int at = 2 * i; at < kScores; at += 4) now = fmaxf(now, fmaxf(scores[at], scores[at + 1]));
    now = over_lanes_of_row(now, [](float a, float b) { return fmaxf(a, b); });
    if (kSlack > 0 && !((now - before) * scale > kSlack)) now = before;
    const float base = base_of(now, scale);
    maximum[i] = now;
    correction[i] = power_of_two(before * scale - base);
    return base;
  }
};
