// Sums over the rows for each column, kSums of them side by side, without atomics: each block adds
// up its rows in registers and writes one row of partial sums; a second kernel adds those in a
// fixed order. The result is the same to the bit in every run of one configuration.
//
// Parameters besides those of row_shape.cuh:
//
//   FINISH_COLUMNS  columns of a block of the second kernel
//   FINISH_ROWS     threads of it that share a column
//
// A thread adds up the same columns in every row, so where rows are not aligned all rows of a thread
// have one lead: it has one row of a tile, and the number of blocks is a multiple of
// kBlocksOfALead.
#pragma once

#include "common/row_edges.cuh"

constexpr int kRowsOfALead = kVector / common_divisor(N, kVector);  // from one to the next
constexpr int kBlocksOfALead = kRowsOfALead / common_divisor(kRowsOfALead, kTileRows);
static_assert(kAligned || ROWS_PER_THREAD == 1);

template <int kSums>
class ColumnSums {
 public:
  __device__ void add(int sum, int step, int i, float value) { sums_[sum][step][i] += value; }

  // Writes the block's sums to row blockIdx.x / CLUSTER of `partials`, which has kSums * N columns.
  // `shared` holds ROWS_PER_BLOCK / 2 * kSteps * kVector * THREADS_PER_ROW floats.
  __device__ void store(float* partials, float* shared) {
    float* to = partials + static_cast<long long>(blockIdx.x / CLUSTER) * (kSums * N);
#pragma unroll
    for (int sum = 0; sum < kSums; ++sum) {
      combine_rows(sums_[sum], shared);
      if (group_in_block() == 0) store_share(sums_[sum], to + sum * N);
    }
  }

 private:
  static constexpr int kWidth = kVector < 4 ? kVector : 4;
  using Share = float[kSteps][kVector];

  __device__ static void store_share(const Share& share, float* to) {
    for_each_step([&](int step) {
      const int column = column_of(any_row(), step);
#pragma unroll
      for (int i = 0; i < kVector; i += kWidth) {
        if constexpr (kAligned) {
          Vector<float, kWidth> part;
#pragma unroll
          for (int j = 0; j < kWidth; ++j) part.elements[j] = share[step][i + j];
          part.template store<CacheHint::standard>(to + column + i);
        } else {
#pragma unroll
          for (int j = i; j < i + kWidth; ++j) {
            if (is_column(column + j)) to[column + j] = share[step][j];
          }
        }
      }
    });
  }

  // One of the thread's rows, which are alike in their leads.
  __device__ static int any_row() { return row_of(blockIdx.x / CLUSTER, 0); }

  // Adds the shares of the rows side by side, pairwise; group 0 has the result.
  __device__ static void combine_rows(Share& share, float* shared) {
#pragma unroll
    for (int half = ROWS_PER_BLOCK / 2; half > 0; half /= 2) {
      const int group = group_in_block();
      __syncthreads();  // the previous round has been read
      if (group >= half && group < 2 * half) {
        for_each_value([&](int step, int i, int at) { shared[at] = share[step][i]; }, group - half);
      }
      __syncthreads();
      if (group < half) {
        for_each_value([&](int step, int i, int at) { share[step][i] += shared[at]; }, group);
      }
    }
  }

  // visit(step, i, at) for each value: `at` is the same for a column in all groups of a slot.
  template <class Visit>
  __device__ static void for_each_value(Visit visit, int slot) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int first = column_of(any_row(), step);
#pragma unroll
      for (int i = 0; i < kVector; ++i) {
        if constexpr (kAligned) {
          visit(step, i, ((slot * kSteps + step) * kVector + i) * THREADS_PER_ROW + thread_in_row());
        } else if (is_column(first + i)) {
          visit(step, i, slot * N + first + i);
        }
      }
    }
  }

  float sums_[kSums][kSteps][kVector] = {};  // in registers, so steps are unrolled
};

// The sum of a column of `partials`: `rows` rows of `columns`. For blocks of FINISH_COLUMNS x
// FINISH_ROWS threads; the threads of row 0 get the result.
__device__ inline float sum_partials(const float* partials, int rows, int columns, int column) {
  __shared__ float shared[FINISH_ROWS][FINISH_COLUMNS];
  float sum = 0;
  if (column < columns) {
#pragma unroll 4
    for (int row = threadIdx.y; row < rows; row += FINISH_ROWS) {
      sum += partials[static_cast<long long>(row) * columns + column];
    }
  }
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int half = FINISH_ROWS / 2; half > 0; half /= 2) {
    if (threadIdx.y < half) {
      shared[threadIdx.y][threadIdx.x] += shared[threadIdx.y + half][threadIdx.x];
    }
    __syncthreads();
  }
  return shared[0][threadIdx.x];
}
