// RMSNorm over the rows of a matrix, the normalisation in front of every transformer layer
// (Zhang and Sennrich, 2019):
//
//   y[r][c] = x[r][c] * weight[c] / sqrt(mean over c of x[r][c]^2 + epsilon)
//
// x, y: M x N of DTYPE; weight: N of DTYPE; sums in float32. The kernel moves 2 * M * N elements
// and does next to no arithmetic, so what counts is how many bytes are in flight at any time.
//
// Parameters: those of common/row_shape.cuh and common/row_pieces.cuh, and
//
//   WEIGHT_LOAD  when the weight is loaded, a ColumnLoad
#include "common/column_vectors.cuh"
#include "common/row_pieces.cuh"
#include "common/row_reduce.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    rmsnorm_forward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight, float epsilon,
                    DTYPE* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  ColumnVectors weights(weight);

  for_each_whole_row_tile(x, [&](const auto& tile, int index) {
    weights.prepare();
    float sums[ROWS_PER_THREAD] = {};
    for_each_step([&](int step) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        float values[kVector];
        tile.read(r, step).to_floats(values);
        replace_outside(values, row_of(index, r), step, 0);
        sums[r] += sum_of_squares(values);
      }
    });
    reduce(sums, Sum());

    float scales[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) scales[r] = rsqrtf(sums[r] / N + epsilon);
    for_each_step([&](int step) {
      const ColumnShare share = weights.read(step);
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row)) continue;
        float values[kVector];
        float factors[kVector];
        tile.read_last(r, step).to_floats(values);
        share.of_row(row).to_floats(factors);
#pragma unroll
        for (int i = 0; i < kVector; ++i) values[i] *= scales[r] * factors[i];
        store_row_vector<kStoreHint>(RowVector::from_floats(values), y, row, step);
      }
    });
  });
}
