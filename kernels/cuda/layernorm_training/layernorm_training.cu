// LayerNorm (layernorm.cu) as a forward pass of training: what the backward pass needs of each row
// is stored beside the result.
//
//   y[r][c] = (x[r][c] - mean[r]) * rstd[r] * weight[c] + bias[c]
//   rstd[r] = 1 / sqrt(variance(r) + epsilon)
//
// x, y: M x N of DTYPE; weight, bias: N of DTYPE; mean, rstd: M of float32; sums in float32.
//
// Parameters: those of common/layer_norm.cuh.
#include "common/layer_norm.cuh"

using Columns = ColumnsOf<true>;

// One thread of each row.
__device__ inline void store_statistics(int index, const RowMoments& moments, float epsilon,
                                        float* mean, float* rstd) {
  if (thread_in_row() != 0 || (CLUSTER > 1 && cluster_rank() != 0)) return;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    if (!is_row(row)) continue;
    mean[row] = moments.mean[r];
    rstd[row] = rsqrtf(moments.variance[r] + epsilon);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    layernorm_training(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight,
                       const DTYPE* __restrict__ bias, float epsilon, DTYPE* __restrict__ y,
                       float* __restrict__ mean, float* __restrict__ rstd) {
  using Reducer = RowReducer<Reduced>;
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  Columns weights(weight);
  Columns biases(bias, 1);

  for_each_stored_tile(x, y, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    biases.prepare(row_of(index, 0));
    const RowMoments moments = row_moments(tile, index, reduce);
    store_statistics(index, moments, epsilon, mean, rstd);
    store_normalised(tile, index, moments, epsilon, weights, biases, y);
  });
}
