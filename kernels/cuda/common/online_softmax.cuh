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
constexpr bool kAlwaysRescales = kRescale == Rescale::always;
constexpr float kSlack = kRescale == Rescale::late ? 8.0f : 0.0f;  // powers of two

// Below all scores that count, and finite, so that differences are numbers.
constexpr float kLowest = -1e30f;

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
  float base[kRowsOfThread] = {kLowest, kLowest};  // of the exponents: the maximum times the scale
  float sum[kRowsOfThread] = {};                   // of this thread's share, relative to it
  float correction[kRowsOfThread];  // by the latest tile, of what was added up before it

  // Scores of a tile become 2^(score * scale - base); scale > 0. Minus infinity is a score that does not
  // count. In two halves of about as long, so that something can be done between them: scores of the second
  // row are still as they were after the first half, and `correction` is known.
  template <int kScores>
  __device__ void begin(float (&scores)[kScores], float scale) {
    grow(scores, 0, scale);
    exponentiate(scores, 0, scale);
    grow(scores, 1, scale);
  }
  template <int kScores>
  __device__ void finish(float (&scores)[kScores], float scale) {
    exponentiate(scores, 1, scale);
  }
  // The same second half apart from the scores, whose place is free then: hold() keeps exponents of the
  // second row, which finish() makes exponentials.
  template <int kExponents>
  __device__ void hold(const float (&scores)[2 * kExponents], float (&exponents)[kExponents],
                       float scale) const {
#pragma unroll
    for (int i = 0; i < kExponents; ++i) {
      exponents[i] = fmaf(scores[i / 2 * 4 + 2 + i % 2], scale, -base[1]);
    }
  }
  template <int kExponents>
  __device__ void finish(float (&exponents)[kExponents]) {
    float sum_of_tile = 0;
#pragma unroll
    for (float& exponent : exponents) {
      exponent = power_of_two(exponent);
      sum_of_tile += exponent;
    }
    sum[1] = sum[1] * correction[1] + sum_of_tile;
  }

  // Whether earlier sums are to be corrected, the same for a warp; where they always are, nothing asks.
  __device__ bool grew() const { return __any_sync(~0u, correction[0] != 1 || correction[1] != 1); }
  // Corrects sums of the shape of a product, which go with earlier tiles.
  template <int kSums>
  __device__ void correct(float (&sums)[kSums]) const {
#pragma unroll
    for (int at = 0; at < kSums; ++at) sums[at] *= correction[at / 2 % kRowsOfThread];
  }

  // What sums of the shape of a product are to be multiplied by at the end; 0 for a row without scores.
  __device__ float share(int i) const {
    const float whole = over_lanes_of_row(sum[i], [](float a, float b) { return a + b; });
    return whole == 0 ? 0 : 1 / whole;
  }

 private:
  // Takes the scores of row i into its base. Several maxima at a time: an instruction that needs the one
  // before would wait for it.
  template <int kScores>
  __device__ void grow(const float (&scores)[kScores], int i, float scale) {
    constexpr int kAtATime = 4;
    float most[kAtATime] = {minus_infinity(), minus_infinity(), minus_infinity(), minus_infinity()};
#pragma unroll
    for (int at = 2 * i; at < kScores; at += 4) {
      const int chain = at / 4 * 2 % kAtATime;
      most[chain] = fmaxf(most[chain], scores[at]);
      most[chain + 1] = fmaxf(most[chain + 1], scores[at + 1]);
    }
    const float of_thread = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
    const float of_tile =
        scale * over_lanes_of_row(of_thread, [](float a, float b) { return fmaxf(a, b); });
    const float before = base[i];
    base[i] = kSlack == 0 ? fmaxf(of_tile, before) : of_tile > before + kSlack ? of_tile : before;
    correction[i] = power_of_two(before - base[i]);
  }

  template <int kScores>
  __device__ void exponentiate(float (&scores)[kScores], int i, float scale) {
    float sum_of_tile = 0;
#pragma unroll
    for (int at = 2 * i; at < kScores; at += 4) {
#pragma unroll
      for (int e = at; e < at + 2; ++e) {
        scores[e] = power_of_two(fmaf(scores[e], scale, -base[i]));
        sum_of_tile += scores[e];
      }
    }
    sum[i] = sum[i] * correction[i] + sum_of_tile;
  }
};
