// A number of each row that an earlier kernel left, such as its mean, for blocks that stay: loaded while the
// tile before is worked on. The rows themselves are there by then, and would wait for it.
#pragma once

#include "common/row_shape.cuh"

class RowNumbers {
 public:
  __device__ explicit RowNumbers(const float* numbers) : numbers_(numbers) {
    load(blockIdx.x / CLUSTER);
  }

  // Those of a thread's rows of the block's next tile, 0 where there is no row. For each tile once.
  __device__ void take(int tile, float (&taken)[ROWS_PER_THREAD]) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) taken[r] = ahead_[r];
    load(tile + gridDim.x / CLUSTER);
  }

 private:
  __device__ void load(int tile) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(tile, r);
      ahead_[r] = tile < kTiles && is_row(row) ? __ldg(numbers_ + row) : 0;
    }
  }

  const float* numbers_;
  float ahead_[ROWS_PER_THREAD];
};
