// Sums over the rows for each column, kSums of them side by side, without atomics: each block adds
// up its rows in registers and writes one row of partial sums; a second kernel adds those in a
// fixed order. The result is the same to the bit in every run of one configuration.
//
// Parameters besides those of row_shape.cuh:
//
//   FINISH_COLUMNS  columns of a block of the second kernel
//   FINISH_ROWS     threads of it that share a column
//   FINISH_LAUNCH   `programmatic`: its blocks are there when the first kernel ends (dependent_launch.cuh)
//
// A thread adds up the same columns in every row, so where rows are not aligned all rows of a
// thread have one head, as column_vectors.cuh says. A row of partial sums then begins so far into its
// place that the vectors of floats of these rows are aligned there.
#pragma once

#include "common/column_vectors.cuh"
#include "common/dependent_launch.cuh"

enum class FinishLaunch { in_order, programmatic };
constexpr bool kOverlaps = FinishLaunch::FINISH_LAUNCH == FinishLaunch::programmatic;

static_assert(kAligned || kOneHead);

// Floats that one instruction moves, and columns of one sum in a row of partial sums.
constexpr int kFloats = kVector < 4 ? kVector : 4;
constexpr int kPartialColumns = kAligned ? N : divide_up(N + kFloats - 1, kFloats) * kFloats;

// Where in its place in row `number` of partial sums a sum begins: elements before the block's first row, as
// far as they count for alignment.
__device__ inline unsigned first_partial(int number) {
  constexpr unsigned kElements = kTileRows * N % kFloats;  // of a tile
  return static_cast<unsigned>(number) * kElements % kFloats;
}

template <int kSums>
class ColumnSums {
 public:
  __device__ ColumnSums() {
    if (kOverlaps) let_next_launch_begin();
  }

  template <class Part>
  __device__ void add(int sum, Part part, int i, float value) {
    sums_.at(sum, part).values[i] += value;
  }

  // Writes the block's sums to row blockIdx.x / CLUSTER of `partials`, which has kSums *
  // kPartialColumns columns.
  // `shared` holds ROWS_PER_BLOCK / 2 * kSteps * kVector * THREADS_PER_ROW floats, or N for each
  // two rows, and kVector * THREADS_PER_ROW at least.
  __device__ void store(float* partials, float* shared) {
    const int number = blockIdx.x / CLUSTER;
    float* to = partials + static_cast<long long>(number) * (kSums * kPartialColumns) +
                first_partial(number);
#pragma unroll
    for (int sum = 0; sum < kSums; ++sum) {
      combine_rows(sum, shared);
      if (ROWS_PER_BLOCK > 1) __syncthreads();  // the last round has been read
      if (group_in_block() == 0) store_share(sum, to + sum * kPartialColumns, shared);
    }
  }

 private:
  using Several = Vector<float, kFloats>;
  static constexpr int kLanes = THREADS_PER_ROW < 32 ? THREADS_PER_ROW : 32;  // of a row

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

  __device__ static void hand(const float (&values)[kVector], float* to) {
#pragma unroll
    for (int i = 0; i < kVector; i += kFloats) {
      Several several;
#pragma unroll
      for (int j = 0; j < kFloats; ++j) several.elements[j] = values[i + j];
      several.template store<CacheHint::standard>(to + i);
    }
  }

  // Lanes hand each other what they have of a step, so that an instruction stores neighbouring columns.
  // Stored by who has them, eight columns from one lane to the next, floats write eight times as many
  // sectors of the L2 cache as they fill.
  __device__ void store_share(int sum, float* to, float* shared) {
    constexpr unsigned kMask = kLanes == 32 ? 0xffffffffu : (1u << kLanes % 32) - 1;
    const int lane = thread_in_row() % kLanes;
    float* const handed = shared + (thread_in_row() - lane) * kVector;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const VectorPart part{step};
      const bool is_there = owns(step) && part.is_owned(any_row());
      if (is_there) hand(sums_.at(sum, part).values, handed + lane * kVector);
      // Vectors that are there come first.
      const int count = __popc(__ballot_sync(kMask, is_there)) * kVector;
      __syncwarp(kMask);
      float* const first = to + part.column(any_row()) - lane * kVector;
#pragma unroll
      for (int turn = 0; turn < kVector / kFloats; ++turn) {
        const int i = (turn * kLanes + lane) * kFloats;
        if (i < count) {
          Several::read_back(handed + i).template store<CacheHint::standard>(first + i);
        }
      }
      __syncwarp(kMask);
    }
    if constexpr (!kAligned) {
      const EdgePart edge;
      if (edge.may_be_owned() && edge.is_owned(any_row())) {
        to[edge.column(any_row())] = sums_.at(sum, edge).values[0];
      }
    }
  }

  Held<ZeroFloats, kSums> sums_;  // in registers, so steps are unrolled
};

// The sum number `column / N` of column `column % N`, from `rows` rows of partial sums, each of kSums. For
// blocks of FINISH_COLUMNS x FINISH_ROWS threads; the threads of row 0 get the result.
template <int kSums>
__device__ inline float sum_partials(const float* partials, int rows, int column) {
  __shared__ float shared[FINISH_ROWS][FINISH_COLUMNS];
  constexpr int kAtOnce = 8;  // loads of a thread that are under way
  const bool is_column = column < kSums * N;
  const int place = kSums == 1 ? column : column / N * kPartialColumns + column % N;
  if (kOverlaps) await_launch_before();
  float sum = 0;
  for (int first = threadIdx.y; first < rows; first += kAtOnce * FINISH_ROWS) {
    float parts[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int row = first + i * FINISH_ROWS;
      const long long at = static_cast<long long>(row) * (kSums * kPartialColumns) + place;
      // The compiler does not see that rows so far apart begin alike.
      const int alike = FINISH_ROWS % kFloats == 0 ? threadIdx.y : row;
      parts[i] = row < rows && is_column ? partials[at + first_partial(alike)] : 0;
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
