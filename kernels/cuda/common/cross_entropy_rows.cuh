// The cross-entropy loss of rows of logits, and the labels that it is of.
#pragma once

#include "common/row_exponentials.cuh"

constexpr long long kIgnored = -100;  // the label that PyTorch ignores by default

// In registers the share is visited twice; elsewhere once, and the sum so far is scaled down when
// the maximum grows: own_running_sum() in another order of operations, that of the machine code
// which measured.json of cross_entropy is about.
template <class Tile>
__device__ ExponentialSum own_exponentials(const Tile& tile, int row, int r) {
  if constexpr (kResidence == Residence::registers) {
    const PlainLogits logits;
    const float maximum = own_maximum(logits, tile, row, r);
    const auto keep_none = [](int, auto, const auto&) {};
    return {maximum, own_sum(logits, tile, row, r, base_of(maximum), keep_none)};
  } else {
    ExponentialSum own = {minus_infinity(), 0};
    for_each_part([&]<class Part>(Part part) {
      if (!is_part(part, row)) return;
      float values[Part::kWidth];
      tile.read(r, part).to_floats(values);
      float maximum = own.maximum;
#pragma unroll
      for (float value : values) maximum = fmaxf(maximum, value);
      own.sum *= power_of_two(own.maximum * kLog2E - base_of(maximum));
      own.maximum = maximum;
      const float base = base_of(own.maximum);
#pragma unroll
      for (float& value : values) value = power_of_two(value * kLog2E - base);
      own.sum += sum_of(values);
    });
    return own;
  }
}

// Writes loss and lse of a tile, by one thread for each row.
__device__ inline void store_losses(int index, const ExponentialSum (&sums)[ROWS_PER_THREAD],
                                    const DTYPE* x, const long long* target, float* loss,
                                    float* lse) {
  if (thread_in_row() != 0 || (CLUSTER > 1 && cluster_rank() != 0)) return;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    if (!is_row(row)) continue;
    const float log_sum = log_of(sums[r]);
    const long long label = target[row];
    lse[row] = log_sum;
    loss[row] = label == kIgnored ? 0.0f : log_sum - to_float(x[offset_of(row, 0) + label]);
  }
}

// A whole kernel.
__device__ inline void loss_of_rows(const DTYPE* x, const long long* target, float* loss,
                                    float* lse) {
  using SumReducer = RowReducer<ExponentialSum>;
  __shared__ SumReducer::Storage storage;
  SumReducer reduce(storage);
  for_each_tile(x, [&](const auto& tile, int index) {
    ExponentialSum sums[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      sums[r] = own_exponentials(tile, row_of(index, r), r);
    }
    reduce(sums, MergeExponentialSums());
    store_losses(index, sums, x, target, loss, lse);
  });
}
