// The cross-entropy loss of each row of logits, as it ends every language model:
//
//   lse[r]  = log of the sum over c of e^x[r][c]
//   loss[r] = lse[r] - x[r][target[r]], or 0 where target[r] is IGNORED
//
// x: M x N of DTYPE; target: M of int64; loss, lse: M of float32. Reads M * N elements and writes
// next to nothing.
//
// Parameters: those of common/row_shape.cuh without RELOAD_HINT and STORE_HINT.
// Each value is read once, and nothing is stored by vectors.
#define RELOAD_HINT standard
#define STORE_HINT standard
#include "common/exponential.cuh"
#include "common/row_loop.cuh"
#include "common/row_reduce.cuh"

constexpr long long kIgnored = -100;  // the label that PyTorch ignores by default

// In registers the share is visited twice; elsewhere once, and the sum so far is scaled down when
// the maximum grows.
template <class Tile>
__device__ ExponentialSum own_sum(const Tile& tile, int row, int r) {
  ExponentialSum own = {minus_infinity(), 0};
  if constexpr (kResidence == Residence::registers) {
    for_each_part([&]<class Part>(Part part) {
      if (!is_part(part, row)) return;
      float values[Part::kWidth];
      tile.read(r, part).to_floats(values);
#pragma unroll
      for (float value : values) own.maximum = fmaxf(own.maximum, value);
    });
  }
  for_each_part([&]<class Part>(Part part) {
    if (!is_part(part, row)) return;
    float values[Part::kWidth];
    tile.read(r, part).to_floats(values);
    if constexpr (kResidence != Residence::registers) {
      float maximum = own.maximum;
#pragma unroll
      for (float value : values) maximum = fmaxf(maximum, value);
      own.sum *= power_of_two(own.maximum * kLog2E - base_of(maximum));
      own.maximum = maximum;
    }
    const float base = base_of(own.maximum);
#pragma unroll
    for (float& value : values) value = power_of_two(value * kLog2E - base);
    own.sum += sum_of(values);
  });
  return own;
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    cross_entropy_forward(const DTYPE* __restrict__ x, const long long* __restrict__ target,
                          float* __restrict__ loss, float* __restrict__ lse) {
  using Reducer = RowReducer<ExponentialSum>;
  __shared__ Reducer::Storage storage;
  Reducer reduce(storage);

  for_each_tile(x, [&](const auto& tile, int index) {
    ExponentialSum sums[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) sums[r] = own_sum(tile, row_of(index, r), r);
    reduce(sums, MergeExponentialSums());

    if (thread_in_row() != 0 || (CLUSTER > 1 && cluster_rank() != 0)) return;
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      if (!is_row(row)) continue;
      const float log_sum = sums[r].maximum + kLn2 * __log2f(sums[r].sum);
      const long long label = target[row];
      lse[row] = log_sum;
      loss[row] = label == kIgnored ? 0.0f : log_sum - to_float(x[offset_of(row, 0) + label]);
    }
  });
}
