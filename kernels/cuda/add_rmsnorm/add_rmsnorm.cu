// The residual connection and the normalisation that follows it, in one pass:
//
//   sum[r][c] = x[r][c] + residual[r][c]
//   y[r][c]   = sum[r][c] * weight[c] / sqrt(mean over c of sum[r][c]^2 + epsilon)
//
// x, residual, sum, y: M x N of DTYPE; weight: N of DTYPE. What is normalised is the sum as it is
// stored, rounded to DTYPE. The kernel moves 4 * M * N elements.
//
// Parameters: those of common/row_shape.cuh and WEIGHT_LOAD as in rmsnorm.cu. With `shared`
// residence the second pass adds again, with `reread` it reads `sum` again.
#define RELOAD_HINT standard  // `sum` is read back through the cache that it was written to
#include "common/column_vectors.cuh"
#include "common/row_loop.cuh"
#include "common/row_reduce.cuh"

constexpr bool kHeld = kResidence == Residence::registers;

__device__ inline RowVector add(const RowVector& a, const RowVector& b) {
  float left[kVector];
  float right[kVector];
  a.to_floats(left);
  b.to_floats(right);
#pragma unroll
  for (int i = 0; i < kVector; ++i) left[i] += right[i];
  return RowVector::from_floats(left);
}

__device__ inline RowVector scale(const RowVector& vector, float by, const RowVector& weight) {
  float values[kVector];
  float factors[kVector];
  vector.to_floats(values);
  weight.to_floats(factors);
#pragma unroll
  for (int i = 0; i < kVector; ++i) values[i] *= by * factors[i];
  return RowVector::from_floats(values);
}

// Reads x and residual from memory.
class RereadPair {
 public:
  __device__ RereadPair(const Matrices& from, int tile) : a(from.a, tile), b(from.b, tile) {}

  RereadTile a;
  RereadTile b;
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    add_rmsnorm_forward(const DTYPE* __restrict__ x, const DTYPE* __restrict__ residual,
                        const DTYPE* __restrict__ weight, float epsilon, DTYPE* sum,
                        DTYPE* __restrict__ y) {
  __shared__ RowReducer<float>::Storage storage;
  RowReducer<float> reduce(storage);
  ColumnVectors weights(weight);

  const auto work = [&](const auto& pair, int index) {
    weights.prepare();
    RowVector held[ROWS_PER_THREAD][kHeld ? kSteps : 1];
    float squares[ROWS_PER_THREAD] = {};
    for_each_step([&](int step) {
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const RowVector added = add(pair.a.read(r, step), pair.b.read(r, step));
        if (kHeld) held[r][step] = added;
        float values[kVector];
        const int row = row_of(index, r);
        added.to_floats(values);
        replace_outside(values, row, step, 0);
        squares[r] += sum_of_squares(values);
        if (is_row(row)) store_row_vector<kStoreHint>(added, sum, row, step);
      }
    });
    reduce(squares, Sum());

    for_each_step([&](int step) {
      const ColumnShare share = weights.read(step);
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = row_of(index, r);
        if (!is_row(row)) continue;
        RowVector added;
        if constexpr (kResidence == Residence::registers) {
          added = held[r][step];
        } else if constexpr (kResidence == Residence::shared) {
          added = add(pair.a.read(r, step), pair.b.read(r, step));
        } else {
          added = read_back_row_vector(sum, row, step);
        }
        const RowVector scaled =
            scale(added, rsqrtf(squares[r] / N + epsilon), share.of_row(row));
        store_row_vector<kStoreHint>(scaled, y, row, step);
      }
    });
  };

  const Matrices inputs = {x, residual};
  if constexpr (kResidence != Residence::reread) {
    for_each_pair(inputs, work);
  } else {
    for (int tile = blockIdx.x / CLUSTER; tile < kTiles; tile += gridDim.x / CLUSTER) {
      work(RereadPair(inputs, tile), tile);
      if (BLOCKS_PER_SM == 0) break;
    }
  }
}
