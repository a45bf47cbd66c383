// LayerNorm's arithmetic on a tile of rows: mean and variance of each row, and what is stored.
//
// Parameters: those of common/row_shape.cuh and common/row_pieces.cuh, WEIGHT_LOAD, a ColumnLoad, and
//
//   VARIANCE  `two_pass`: the mean first, then the deviations from it; two reductions. `merged`:
//             each thread takes mean and deviations of its own share, and the shares are merged
//             after Chan, Golub and LeVeque (1979); one reduction of more arithmetic.
//
// Rejected: the sum and the sum of squares in one pass, which loses the variance of rows whose mean
// is large.
#pragma once

#include "common/column_vectors.cuh"
#include "common/row_reduce.cuh"
#include "common/row_spans.cuh"

enum class Variance { two_pass, merged };

constexpr bool kMerged = Variance::VARIANCE == Variance::merged;

// `squares` is the sum of the squared deviations of `count` values from their mean.
struct Moments {
  float count;
  float mean;
  float squares;
};

struct MergeMoments {
  __device__ Moments operator()(const Moments& a, const Moments& b) const {
    const float count = a.count + b.count;
    const float share = count > 0 ? __fdividef(b.count, count) : 0.0f;
    const float distance = b.mean - a.mean;
    // Written alike for both orders of a and b, so that all threads of a row agree to the bit.
    const float mean = count > 0 ? __fdividef(a.count * a.mean + b.count * b.mean, count) : 0.0f;
    return {count, mean, a.squares + b.squares + distance * distance * (a.count * share)};
  }
};

template <bool>
struct ReducedOf {
  using Type = float;
};
template <>
struct ReducedOf<true> {
  using Type = Moments;
};
using Reduced = ReducedOf<kMerged>::Type;

// Where the two passes of a tile leave their results.
struct RowMoments {
  float mean[ROWS_PER_THREAD];
  float variance[ROWS_PER_THREAD];
};

template <class Tile>
__device__ float own_sum(const Tile& tile, int row, int r) {
  float sum = 0;
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    to_floats(tile.read(r, part), values);
    replace_foreign(part, row, values, 0);
    sum += sum_of(values);
  });
  return sum;
}

template <class Tile>
__device__ float own_squares(const Tile& tile, int row, int r, float mean) {
  float squares = 0;
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    to_floats(tile.read(r, part), values);
    replace_foreign(part, row, values, mean);
#pragma unroll
    for (float& value : values) value -= mean;
    add_squares(squares, values);
  });
  return squares;
}

template <class Tile, class Reducer>
__device__ RowMoments two_pass_moments(const Tile& tile, int index, Reducer& reduce) {
  RowMoments row;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) row.mean[r] = own_sum(tile, row_of(index, r), r);
  reduce(row.mean, Sum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    row.mean[r] /= N;
    row.variance[r] = own_squares(tile, row_of(index, r), r, row.mean[r]);
  }
  reduce(row.variance, Sum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) row.variance[r] /= N;
  return row;
}

// Mean first, deviations second: in registers the second visit is free.
template <class Tile>
__device__ Moments own_moments(const Tile& tile, int row, int r) {
  int count = 0;
  for_each_part([&]<class Part>(Part part) {
    if (is_part(part, row)) count += own_elements(part, row);
  });
  const float mean = count > 0 ? own_sum(tile, row, r) / count : 0.0f;
  return {static_cast<float>(count), mean, own_squares(tile, row, r, mean)};
}

// One visit per vector, for rows in memory: each vector's moments are merged into the share's.
template <class Tile>
__device__ Moments own_running_moments(const Tile& tile, int row, int r) {
  Moments own = {0, 0, 0};
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    to_floats(tile.read(r, part), values);
    replace_foreign(part, row, values, 0);
    const int width = own_elements(part, row);
    const float mean = sum_of(values) / width;
    replace_foreign(part, row, values, mean);
#pragma unroll
    for (float& value : values) value -= mean;
    const float distance = mean - own.mean;
    const float share = __fdividef(width, own.count + width);  // of all so far
    own.mean += distance * share;
    own.squares += sum_of_squares(values) + distance * distance * (own.count * share);
    own.count += width;
  });
  return own;
}

template <class Tile, class Reducer>
__device__ RowMoments merged_moments(const Tile& tile, int index, Reducer& reduce) {
  constexpr bool kHeld = kResidence == Residence::registers || (kInBulk && kVector == 1);
  Moments moments[ROWS_PER_THREAD];
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    moments[r] = kHeld ? own_moments(tile, row, r) : own_running_moments(tile, row, r);
  }
  reduce(moments, MergeMoments());
  RowMoments row;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    row.mean[r] = moments[r].mean;
    row.variance[r] = moments[r].squares / N;
  }
  return row;
}

template <class Tile, class Reducer>
__device__ RowMoments row_moments(const Tile& tile, int index, Reducer& reduce) {
  if constexpr (kMerged) {
    return merged_moments(tile, index, reduce);
  } else {
    return two_pass_moments(tile, index, reduce);
  }
}

// `weights` and `biases` are ColumnVectors, or NoColumns both.
template <class Tile, class Columns>
__device__ void store_normalised(const Tile& tile, int index, const RowMoments& moments,
                                 float epsilon, const Columns& weights, const Columns& biases,
                                 DTYPE* y) {
  float scales[ROWS_PER_THREAD];
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) scales[r] = rsqrtf(moments.variance[r] + epsilon);
  for_each_part([&]<class Part>(Part part) {
    const auto weight = weights.share(part, row_of(index, 0));
    const auto bias = biases.share(part, row_of(index, 0));
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row) || !is_part(part, row)) continue;
      float values[Part::kWidth];
      to_floats(tile.read_last(r, part), values);
#pragma unroll
      for (float& value : values) value = (value - moments.mean[r]) * scales[r];
      if constexpr (Columns::kAreThere) {
        float factors[Part::kWidth];
        float offsets[Part::kWidth];
        to_floats(weight.of(row), factors);
        to_floats(bias.of(row), offsets);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) values[i] = values[i] * factors[i] + offsets[i];
      }
      store_part(tile, y, row, r, part, PartVector<Part>::from_floats(values));
    }
  });
}
