// Sums over the rows for each column, kSums of them side by side, without atomics: each block adds
// up its rows in registers and writes one row of partial sums; a second kernel adds those in a
// fixed order. The result is the same to the bit in every run of one configuration.
//
// Parameters besides those of row_shape.cuh:
//
//   FINISH_COLUMNS  columns of a block of the second kernel
//   FINISH_ROWS     threads of it that share a column
//
// A thread adds up the same columns in every row, so where rows are not aligned all rows of a
// thread have one head, as column_vectors.cuh says.
#pragma once

#include "common/column_vectors.cuh"

static_assert(kAligned || kOneHead);

template <int kSums>
class ColumnSums {
 public:
  template <class Part>
  __device__ void add(int sum, Part part, int i, float value) {
    sums_.at(sum, part).values[i] += value;
  }

  // Writes the block's sums to row blockIdx.x / CLUSTER of `partials`, which has kSums * N columns.
  // `shared` holds ROWS_PER_BLOCK / 2 * kSteps * kVector * THREADS_PER_ROW floats, or N for each
  // two rows.
  __device__ void store(float* partials, float* shared) {
    float* to = partials + static_cast<long long>(blockIdx.x / CLUSTER) * (kSums * N);
#pragma unroll
    for (int sum = 0; sum < kSums; ++sum) {
      combine_rows(sum, shared);
      if (group_in_block() == 0) store_share(sum, to + sum * N);
    }
  }

 private:
  static constexpr int kWidth = kVector < 4 ? kVector : 4;

  // Adds the shares of the rows side by side, pairwise; group 0 has the result.
  __device__ void combine_rows(int sum, float* shared) {
#pragma unroll
    for (int half = ROWS_PER_BLOCK / 2; half > 0; half /= 2) {
      const int group = group_in_block();
      __syncthreads();  // the previous round has been read
      if (group >= half && group < 2 * half) {
        for_each_value(sum, group - half, [&](float& value, int at) { shared[at] = value; });
      }
      __syncthreads();
      if (group < half) {
        for_each_value(sum, group, [&](float& value, int at) { value += shared[at]; });
      }
    }
  }

  // visit(value, at): `at` is the same for a column in all groups of a slot. Neighbouring threads
  // have neighbouring places where rows are aligned.
  template <class Visit>
  __device__ void for_each_value(int sum, int slot, Visit visit) {
    for_each_part([&]<class Part>(Part part) {
      if (!kAligned && !part.is_owned(any_row())) return;
#pragma unroll
      for (int i = 0; i < Part::kWidth; ++i) {
        visit(sums_.at(sum, part).values[i], place_of(slot, part, i));
      }
    });
  }
  __device__ static int place_of(int slot, VectorPart part, int i) {
    if (!kAligned) return slot * N + part.column(any_row()) + i;
    return ((slot * kSteps + part.step) * kVector + i) * THREADS_PER_ROW + thread_in_row();
  }
  __device__ static int place_of(int slot, EdgePart part, int) {
    return slot * N + part.column(any_row());
  }

  __device__ void store_share(int sum, float* to) {
    for_each_part([&]<class Part>(Part part) {
      if (!kAligned && !part.is_owned(any_row())) return;
      const int column = part.column(any_row());
      constexpr int kStored = kAligned ? kWidth : 1;
#pragma unroll
      for (int i = 0; i < Part::kWidth; i += kStored) {
        Vector<float, kStored> stored;
#pragma unroll
        for (int j = 0; j < kStored; ++j) {
          if (i + j < Part::kWidth) stored.elements[j] = sums_.at(sum, part).values[i + j];
        }
        stored.template store<CacheHint::standard>(to + column + i);
      }
    });
  }

  Held<ZeroFloats, kSums> sums_;  // in registers, so steps are unrolled
};

// The sum of a column of `partials`: `rows` rows of `columns`. For blocks of FINISH_COLUMNS x
// FINISH_ROWS threads; the threads of row 0 get the result.
__device__ inline float sum_partials(const float* partials, int rows, int columns, int column) {
  __shared__ float shared[FINISH_ROWS][FINISH_COLUMNS];
  constexpr int kAtOnce = 8;  // loads of a thread that are under way
  float sum = 0;
  for (int first = threadIdx.y; first < rows; first += kAtOnce * FINISH_ROWS) {
    float parts[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int row = first + i * FINISH_ROWS;
      const bool is_there = row < rows && column < columns;
      parts[i] = is_there ? partials[static_cast<long long>(row) * columns + column] : 0;
    }
#pragma unroll
    for (float part : parts) sum += part;
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
