// Rows whose values are quantised to 8 bits, with a scale for each row or for each GROUP columns of
// a row: q times its scale is the value. Quantised is Float8 or signed char.
//
// Parameter, of kernels that make something of a row's elements, where rows have a scale each: VALUES of
// between_passes.cuh, for what was made of them to find the largest.
#pragma once

#include "common/between_passes.cuh"
#include "common/float8.cuh"
#include "common/rounded_bytes.cuh"
#include "common/row_loop.cuh"
#include "common/row_reduce.cuh"

// pair() is the numbers of two values * by, which are at most kLargest in size, rounded to nearest, ties to
// even.
template <class Quantised>
struct Quantisation;

template <>
struct Quantisation<Float8> {
  static constexpr float kLargest = kLargestFloat8;
  __device__ static unsigned short pair(float low, float high, float by) {
    return float8_pair(low * by, high * by);
  }
};

template <>
struct Quantisation<signed char> {
  static constexpr float kLargest = 127;
  __device__ static unsigned short pair(float low, float high, float by) {
    return joined_bytes(rounded_byte(low, by), rounded_byte(high, by));
  }
};

using KeptValues = BetweenPasses<FloatsOf>;

// Of a row: the sum of its squares, and the largest absolute value of what is made of it.
struct Extent {
  float squares;
  float largest;
};

struct MergeExtents {
  __device__ Extent operator()(const Extent& a, const Extent& b) const {
    return {a.squares + b.squares, fmaxf(a.largest, b.largest)};
  }
};

template <int kWidth>
__device__ inline void copy(const float (&from)[kWidth], float (&to)[kWidth]) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) to[i] = from[i];
}

template <int kWidth>
__device__ inline void multiply(float (&values)[kWidth], const Vector<DTYPE, kWidth>& by) {
  float factors[kWidth];
  by.to_floats(factors);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) values[i] *= factors[i];
}

template <int kWidth>
__device__ inline float largest_of(const float (&values)[kWidth]) {
  float largest = 0;
#pragma unroll
  for (float value : values) largest = fmaxf(largest, fabsf(value));
  return largest;
}

template <class Quantised, int kWidth>
__device__ inline void store_quantised(const float (&values)[kWidth], float by, Quantised* to) {
  using How = Quantisation<Quantised>;
  if constexpr (kWidth == 1) {
    reinterpret_cast<unsigned char&>(*to) = static_cast<unsigned char>(How::pair(values[0], 0, by));
  } else {
    using Word = typename WordOf<kWidth>::Type;
    Word word;
#pragma unroll
    for (int i = 0; i < kWidth; i += 2) {
      reinterpret_cast<unsigned short*>(&word)[i / 2] = How::pair(values[i], values[i + 1], by);
    }
    store_word<kStoreHint>(reinterpret_cast<Word*>(to), word);
  }
}

// What values with this largest absolute value are multiplied by, and the scale. Zeros alone have a
// scale of 1. The factor is finite whatever the largest is, so that zeros stay zeros.
template <class Quantised>
__device__ inline float factor_of(float largest) {
  return largest > 0 ? fminf(Quantisation<Quantised>::kLargest / largest, kLargestFloat) : 1.0f;
}
template <class Quantised>
__device__ inline float scale_of(float largest) {
  return largest > 0 ? largest / Quantisation<Quantised>::kLargest : 1.0f;
}

// Writes q of a tile whose values are at most largest[r], and the scale of each row: q times it is
// root[r] times the values. of(part)(r, row, values) gives those of a part.
template <class Quantised, class Of>
__device__ inline void quantise_tile(int index, const float (&largest)[ROWS_PER_THREAD],
                                     const float (&root)[ROWS_PER_THREAD], Quantised* q,
                                     float* scale, Of of) {
  float factors[ROWS_PER_THREAD];
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    factors[r] = factor_of<Quantised>(largest[r]);
    const bool is_first = thread_in_row() == 0 && block_in_row() == 0;
    const int row = row_of(index, r);
    if (is_first && is_row(row)) scale[row] = scale_of<Quantised>(largest[r] * root[r]);
  }
  for_each_part([&]<class Part>(Part part) {
    const auto values_of = of(part);
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row) || !is_part(part, row)) continue;
      float values[Part::kWidth];
      values_of(r, row, values);
      store_quantised(values, factors[r], q + offset_of(row, part));
    }
  });
}

// The same with a scale for each kGroup columns, at scale[group * M + row], as products with a scale
// for each block of k read them. A group is in neighbouring lanes of a warp, so nothing is known of
// it beforehand.
template <int kGroup, class Quantised, class Of>
__device__ inline void quantise_groups(int index, const float (&root)[ROWS_PER_THREAD],
                                       Quantised* q, float* scale, Of of) {
  constexpr int kLanes = kGroup / kVector;
  static_assert(kAligned && kGroup % kVector == 0 && N % kGroup == 0);
  static_assert(kLanes <= kWarpSize && THREADS_PER_ROW % kLanes == 0 && kChunk % kLanes == 0);
#pragma unroll kUnroll
  for (int step = 0; step < kSteps; ++step) {
    const VectorPart part = {step};
    const auto values_of = of(part);
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      const bool is_there = owns(step) && is_row(row);
      float values[kVector] = {};
      if (is_there) values_of(r, row, values);
      const float largest = reduce_lanes<kLanes>(largest_of(values), Maximum());  // by whole warps
      if (!is_there) continue;
      store_quantised(values, factor_of<Quantised>(largest), q + offset_of(row, part));
      if (thread_in_row() % kLanes != 0) continue;
      const long long group = vector_of(step) / kLanes;
      scale[group * M + row] = scale_of<Quantised>(largest * root[r]);
    }
  }
}

// quantise_tile() of values that were kept; of(part) gives those that were not.
template <class Quantised, class Of>
__device__ inline void quantise_kept(int index, const float (&largest)[ROWS_PER_THREAD],
                                     const float (&root)[ROWS_PER_THREAD], const KeptValues& kept,
                                     Quantised* q, float* scale, Of of) {
  if constexpr (kValuesKept) {
    quantise_tile(index, largest, root, q, scale, [&](auto part) {
      return [&, part](int r, int, auto& values) { copy(kept.of(r, part).values, values); };
    });
  } else {
    quantise_tile(index, largest, root, q, scale, of);
  }
}

// The same of values as they are, with a scale for each kGroup columns, or for each row where that is
// N. first(part) gives them where they are looked at before, as of(part) does when they are written.
template <int kGroup, class Quantised, class First, class Of>
__device__ inline void quantise_values(int index, RowReducer<float>& reduce, Quantised* q,
                                       float* scale, First first, Of of) {
  float ones[ROWS_PER_THREAD];
#pragma unroll
  for (float& one : ones) one = 1;
  if constexpr (kGroup < N) {
    quantise_groups<kGroup>(index, ones, q, scale, of);
  } else {
    float largest[ROWS_PER_THREAD] = {};
    KeptValues kept;
    for_each_part([&]<class Part>(Part part) {
      const auto values_of = first(part);
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_part(part, row)) continue;
        FloatsOf<Part::kWidth> made;
        values_of(r, row, made.values);
        kept.keep(r, part, made);
        largest[r] = fmaxf(largest[r], largest_of(made.values));
      }
    });
    reduce(largest, Maximum());
    quantise_kept(index, largest, ones, kept, q, scale, of);
  }
}

// Quantises rows that are in memory in DTYPE. kGroup is N for a scale for each row.
template <int kGroup, class Quantised>
__device__ inline void quantise_rows(const DTYPE* y, Quantised* q, float* scale) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  for_each_tile(y, [&](const auto& tile, int index) {
    quantise_values<kGroup>(
        index, reduce, q, scale,
        [&](auto part) {
          return [&, part](int r, int, auto& values) { tile.read(r, part).to_floats(values); };
        },
        [&](auto part) {
          return [&, part](int r, int, auto& values) { tile.read_last(r, part).to_floats(values); };
        });
  });
}
