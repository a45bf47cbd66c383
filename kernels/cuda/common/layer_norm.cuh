// LayerNorm's arithmetic on a tile of rows: mean and variance of each row, and what is stored.
//
// Parameters: those of common/row_shape.cuh, common/row_pieces.cuh and common/column_vectors.cuh, and
//
//   VARIANCE  `two_pass`: the mean first, then the deviations from it; two reductions. `merged`:
//             each thread takes mean and deviations of its own share, and the shares are merged
//             after Chan, Golub and LeVeque (1979); one reduction of more arithmetic. `shifted`,
//             for rows in registers or with STORED_BY=bulk: sum and squares of the deviations from
//             the row's first element; one reduction. That element is at most sqrt(N) standard
//             deviations off the mean, so that the variance loses at most a factor of N of float32's
//             accuracy, and mostly none.
//
// Rejected: the sum and the sum of squares in one pass, which loses the variance of rows whose mean
// is large.
#pragma once

#include "common/column_vectors.cuh"
#include "common/row_moments.cuh"
#include "common/row_reduce.cuh"
#include "common/row_spans.cuh"

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
    tile.read(r, part).to_floats(values);
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
    tile.read(r, part).to_floats(values);
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
    row.mean[r] = mean_of(row.mean[r]);
    row.variance[r] = own_squares(tile, row_of(index, r), r, row.mean[r]);
  }
  reduce(row.variance, Sum());
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) row.variance[r] = mean_of(row.variance[r]);
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
    tile.read(r, part).to_floats(values);
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
    row.variance[r] = mean_of(moments[r].squares);
  }
  return row;
}

template <class Tile, class Reducer>
__device__ RowMoments shifted_moments(const Tile& tile, int index, Reducer& reduce) {
  float shifts[ROWS_PER_THREAD];
  Deviations own[ROWS_PER_THREAD] = {};
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    shifts[r] = to_float(tile.first(r));
    for_each_part([&]<class Part>(Part part) {
      if (!is_part(part, row)) return;
      float values[Part::kWidth];
      tile.read(r, part).to_floats(values);
      replace_foreign(part, row, values, shifts[r]);
#pragma unroll
      for (float& value : values) value -= shifts[r];
      own[r].sum += sum_of(values);
      add_squares(own[r].squares, values);
    });
  }
  reduce(own, Sum());
  RowMoments row;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const float distance = mean_of(own[r].sum);
    row.mean[r] = shifts[r] + distance;
    const float variance = mean_of(own[r].squares) - distance * distance;
    row.variance[r] = variance < 0 ? 0 : variance;
  }
  return row;
}

template <class Tile, class Reducer>
__device__ RowMoments row_moments(const Tile& tile, int index, Reducer& reduce) {
  if constexpr (kShifted) {
    return shifted_moments(tile, index, reduce);
  } else if constexpr (kMerged) {
    return merged_moments(tile, index, reduce);
  } else {
    return two_pass_moments(tile, index, reduce);
  }
}

// What makes a value of mean 0 and variance 1. With rows of 16 bits by one instruction: its error of
// |mean| * scale / 2^24 is less than what rounding has cost the elements.
class Normaliser {
 public:
  __device__ Normaliser(float mean, float scale)
      : scale_(scale), subtracted_(kFused ? mean * scale : mean) {}
  __device__ float operator()(float value) const {
    return kFused ? value * scale_ - subtracted_ : (value - subtracted_) * scale_;
  }

 private:
  static constexpr bool kFused = sizeof(DTYPE) == 2;

  float scale_;
  float subtracted_;
};

// `weights` and `biases` are of one type, which ColumnsOf names.
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
    ColumnFloats<Part, decltype(weight)> factors(weight, row_of(index, 0));
    ColumnFloats<Part, decltype(bias)> offsets(bias, row_of(index, 0));
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row) || !is_part(part, row)) continue;
      float values[Part::kWidth];
      tile.read_last(r, part).to_floats(values);
#pragma unroll
      for (float& value : values) value = Normaliser(moments.mean[r], scales[r])(value);
      if constexpr (Columns::kAreThere) {
        const auto& scale = factors.of(row);
        const auto& offset = offsets.of(row);
#pragma unroll
        for (int i = 0; i < Part::kWidth; ++i) values[i] = values[i] * scale[i] + offset[i];
      }
      store_part(tile, y, row, r, part, PartVector<Part>::from_floats(values));
    }
  });
}
