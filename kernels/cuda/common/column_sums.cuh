// Sums over the rows for each column, kSums of them side by side, without atomics: each block adds
// up its rows in registers and writes one row of partial sums; a second kernel adds those in a
// fixed order. The result is the same to the bit in every run of one configuration.
//
// Parameters besides those of row_shape.cuh:
//
//   FINISH_COLUMNS  columns of a block of the second kernel
//   FINISH_ROWS     threads of it that share a column
#pragma once

#include "common/row_shape.cuh"

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
      if (group_in_block() != 0) continue;
      for_each_step([&](int step) {
#pragma unroll
        for (int i = 0; i < kVector; i += kWidth) {
          Vector<float, kWidth> part;
#pragma unroll
          for (int j = 0; j < kWidth; ++j) part.elements[j] = sums_[sum][step][i + j];
          part.template store<CacheHint::standard>(to + sum * N + column_of(step) + i);
        }
      });
    }
  }

 private:
  static constexpr int kWidth = kVector < 4 ? kVector : 4;
  using Share = float[kSteps][kVector];

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

  template <class Visit>
  __device__ static void for_each_value(Visit visit, int slot) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kVector; ++i) {
        visit(step, i, ((slot * kSteps + step) * kVector + i) * THREADS_PER_ROW + thread_in_row());
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
