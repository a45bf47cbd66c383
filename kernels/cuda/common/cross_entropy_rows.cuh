// The cross-entropy loss of rows of logits, and the labels that it is of.
#pragma once

#include "common/row_exchange.cuh"
#include "common/row_exponentials.cuh"

constexpr long long kIgnored = -100;  // the label that PyTorch ignores by default

// In registers the share is visited twice; elsewhere once.
template <class Tile>
__device__ ExponentialSum own_exponentials(const Tile& tile, int row, int r) {
  const PlainLogits logits;
  if constexpr (kResidence == Residence::registers) {
    const float maximum = own_maximum(logits, tile, row, r);
    const auto keep_none = [](int, auto, const auto&) {};
    return {maximum, own_sum(logits, tile, row, r, base_of(maximum), keep_none)};
  } else {
    return own_running_sum(logits, tile, row, r);
  }
}

// Labels of a thread's rows; kNone where a row is ignored, no row, or not `wanted`.
class Labels {
 public:
  static constexpr int kNone = -1;

  __device__ Labels(const long long* target, int index, bool are_wanted = true) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const int row = row_of(index, r);
      const long long label = are_wanted && is_row(row) ? __ldg(target + row) : kIgnored;
      labels_[r] = label == kIgnored ? kNone : static_cast<int>(label);
    }
  }
  __device__ int of(int r) const { return labels_[r]; }
  __device__ bool is_ignored(int r) const { return labels_[r] == kNone; }

 private:
  int labels_[ROWS_PER_THREAD];
};

// Whether this thread may have to write what is one number for each of its rows.
__device__ inline bool writes_losses() {
  return thread_in_row() == 0 && (kThroughMemory || block_in_row() == 0);
}

// Logits of the labels, for the thread that writes losses. Loaded ahead of the reduction: behind it, as
// the label before, a whole block would wait for them.
struct LabelLogits {
  float of[ROWS_PER_THREAD];

  __device__ void load(const Labels& labels, const DTYPE* x, int index) {
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      const bool is_there = writes_losses() && !labels.is_ignored(r);
      of[r] = is_there ? to_float(x[offset_of(row_of(index, r), 0) + labels.of(r)]) : 0;
    }
  }
};

// Writes loss and lse of a tile, by one thread for each row.
__device__ inline void store_losses(int index, const ExponentialSum (&sums)[ROWS_PER_THREAD],
                                    const Labels& labels, const LabelLogits& logits, float* loss,
                                    float* lse) {
  if (!writes_losses()) return;
#pragma unroll
  for (int r = 0; r < ROWS_PER_THREAD; ++r) {
    const int row = row_of(index, r);
    if (!is_row(row)) continue;
    const float log_sum = log_of(sums[r]);
    lse[row] = log_sum;
    loss[row] = labels.is_ignored(r) ? 0.0f : log_sum - logits.of[r];
  }
}

// A whole kernel.
__device__ inline void loss_of_rows(const DTYPE* x, const long long* target, float* loss,
                                    float* lse, const RowExchange& exchange = {}) {
  using SumReducer = RowReducer<ExponentialSum>;
  __shared__ SumReducer::Storage storage;
  SumReducer reduce(storage);
  for_each_tile(x, [&](const auto& tile, int index) {
    const Labels labels(target, index, writes_losses());
    ExponentialSum sums[ROWS_PER_THREAD];
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
      sums[r] = own_exponentials(tile, row_of(index, r), r);
    }
    LabelLogits logits;
    logits.load(labels, x, index);
    reduce(sums, MergeExponentialSums());
    if (kThroughMemory && (threadIdx.x >= kWarpSize || !exchange.combine(index, sums[0]))) return;
    store_losses(index, sums, labels, logits, loss, lse);
  });
}
