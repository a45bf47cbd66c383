// RMSNorm over the rows of a matrix, the normalisation in front of every transformer layer
// (Zhang and Sennrich, 2019):
//
//   y[r][c] = x[r][c] * weight[c] / sqrt(mean over c of x[r][c]^2 + epsilon)
//
// x, y: M x N of DTYPE; weight: N of DTYPE; sums in float32. The kernel moves 2 * M * N elements
// and does next to no arithmetic, so what counts is how many bytes are in flight at any time. With
// AFFINE, a size, 0 there is no weight, and it is not read.
//
// Parameters: those of common/row_shape.cuh and common/row_pieces.cuh, and
//
//   WEIGHT_LOAD  when the weight is loaded, a ColumnLoad
//   WEIGHT_HINT  a CacheHint for these loads
#include "common/column_vectors.cuh"
#include "common/row_reduce.cuh"
#include "common/row_spans.cuh"

using Columns = ColumnsOf<AFFINE == 1>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    rmsnorm_forward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight, float epsilon,
                    DTYPE* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  Columns weights(weight);

  for_each_stored_tile(x, y, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    float sums[ROWS_PER_THREAD] = {};
    for_each_part([&]<class Part>(Part part) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        if (!is_part(part, row_of(index, r))) continue;
        float values[Part::kWidth];
        tile.read(r, part).to_floats(values);
        replace_foreign(part, row_of(index, r), values, 0);
        add_squares(sums[r], values);
      }
    });
    reduce(sums, Sum());

    float scales[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) scales[r] = rsqrtf(mean_of(sums[r]) + epsilon);
    for_each_part([&]<class Part>(Part part) {
      const auto share = weights.share(part, row_of(index, 0));
      ColumnFloats<Part, decltype(share)> factors(share, row_of(index, 0));
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row) || !is_part(part, row)) continue;
        float values[Part::kWidth];
        tile.read_last(r, part).to_floats(values);
#pragma unroll
        for (float& value : values) value *= scales[r];
        if constexpr (Columns::kAreThere) {
          const auto& factor = factors.of(row);
#pragma unroll
          for (int i = 0; i < Part::kWidth; ++i) values[i] *= factor[i];
        }
        store_part(tile, y, row, r, part, PartVector<Part>::from_floats(values));
      }
    });
  });
}
