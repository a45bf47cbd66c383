// The sum of each row of a matrix:
//
//   y[r] = sum over c of x[r][c]
//
// x: M x N of DTYPE; y: M of float32. Reads M * N elements.
//
// Parameters: those of common/row_shape.cuh with `reread` residence, which here reads only once.
#define RESIDENCE reread
#define STAGES 1
#define RELOAD_HINT standard
#define STORE_HINT standard
#include "common/row_loop.cuh"
#include "common/row_reduce.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    row_sum(const DTYPE* __restrict__ x, float* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);

  for_each_tile(x, [&](const auto& tile, int index) {
    float sums[ROWS_PER_THREAD] = {};
    for_each_part([&]<class Part>(Part part) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        if (!is_part(part, row_of(index, r))) continue;
        float values[Part::kWidth];
        tile.read(r, part).to_floats(values);
        sums[r] += sum_of(values);
      }
    });
    reduce(sums, Sum());

    if (thread_in_row() != 0 || (CLUSTER > 1 && cluster_rank() != 0)) return;
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (is_row(row)) y[row] = sums[r];
    }
  });
}
