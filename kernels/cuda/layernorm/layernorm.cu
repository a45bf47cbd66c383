// LayerNorm over the rows of a matrix (Ba, Kiros and Hinton, 2016):
//
//   y[r][c] = (x[r][c] - mean(r)) / sqrt(variance(r) + epsilon) * weight[c] + bias[c]
//
// x, y: M x N of DTYPE; weight, bias: N of DTYPE; sums in float32; the variance is the mean of the
// squared deviations. With AFFINE, a size, 0 there is no weight and no bias, and they are not read.
//
// Parameters: those of common/layer_norm.cuh.
#include "common/layer_norm.cuh"

using Columns = ColumnsOf<AFFINE == 1>;

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    layernorm_forward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ weight,
                      const DTYPE* __restrict__ bias, float epsilon, DTYPE* __restrict__ y) {
  using Reducer = RowReducer<Reduced>;
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);
  Columns weights(weight);
  Columns biases(bias, 1);

  for_each_stored_tile(x, y, [&](const auto& tile, int index) {
    weights.prepare(row_of(index, 0));
    biases.prepare(row_of(index, 0));
    const RowMoments moments = row_moments(tile, index, reduce);
    store_normalised(tile, index, moments, epsilon, weights, biases, y);
  });
}
