// Reductions over the threads that share a row (see row_shape.cuh), in a fixed order: the result is
// the same to the bit in every run and in every thread of the row; with EXCHANGE=memory over those of this
// block.
#pragma once

#include "common/bulk_copy.cuh"
#include "common/row_shape.cuh"

constexpr int kWarpSize = 32;
constexpr int kRowWarps = divide_up(THREADS_PER_ROW, kWarpSize);
constexpr int kPartials = kRowWarps * kClustered;  // of one row, one per warp

struct Sum {
  template <class Value>
  __device__ Value operator()(Value a, Value b) const {
    return a + b;
  }
};

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Sums within a vector, which is then added to the sum of a share: the error of a float32 sum grows
// with the number of additions in a row.
template <int kCount>
__device__ inline float sum_of(const float (&values)[kCount]) {
  float sum = values[0];
#pragma unroll
  for (int i = 1; i < kCount; ++i) sum += values[i];
  return sum;
}
template <int kCount>
__device__ inline float sum_of_squares(const float (&values)[kCount]) {
  float sum = values[0] * values[0];
#pragma unroll
  for (int i = 1; i < kCount; ++i) sum += values[i] * values[i];
  return sum;
}

// Adds the squares to the sum of a share. One by one they cost an instruction each.
template <int kCount>
__device__ inline void add_squares(float& sum, const float (&values)[kCount]) {
#pragma unroll
  for (float value : values) sum += value * value;
}

// Of a row. A quotient to the last bit takes ten instructions.
__device__ inline float mean_of(float sum) { return sum * (1.0f / N); }

template <class Value>
__device__ inline Value shuffle_xor(const Value& value, int mask) {
  static_assert(sizeof(Value) % 4 == 0);
  Value other;
  const float* from = reinterpret_cast<const float*>(&value);
  float* to = reinterpret_cast<float*>(&other);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Value) / 4); ++i) {
    to[i] = __shfl_xor_sync(0xffffffffu, from[i], mask);
  }
  return other;
}

// Combines over kLanes neighbouring lanes, a power of two; each of them gets the result.
template <int kLanes, class Value, class Combine>
__device__ inline Value reduce_lanes(Value value, Combine combine) {
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2) value = combine(value, shuffle_xor(value, mask));
  return value;
}

// Reduces one Value per row and thread. Warps exchange partial results through shared memory, of
// this block or of all blocks of the cluster. Two buffers take turns, so one barrier per reduction
// is enough: who writes a buffer again has passed the barrier that follows its last reading, and in
// a cluster has what all warps sent after they had read it.
//
// Rejected: stores to the other blocks and a barrier of the cluster. Its release waits until all
// that was stored before is in memory.
template <class Value>
class RowReducer {
 public:
  struct Storage {
    Value partials[2][ROWS_PER_BLOCK][ROWS_PER_THREAD][kPartials];
    BulkBarrier arrived[2];  // of partials, where blocks share a row
  };

  __device__ explicit RowReducer(Storage& storage) : storage_(storage) {
    if constexpr (kClustered > 1) {
      if (threadIdx.x == 0) {
        for (BulkBarrier& arrived : storage.arrived) {
          arrived.initialise();
          arrived.expect(kSentBytes);
        }
      }
      cluster_arrive();
    }
  }

  // Replaces each value by the combination over its row. `combine` is associative and commutative.
  template <class Combine>
  __device__ void operator()(Value (&values)[ROWS_PER_THREAD], Combine combine) {
    constexpr int kLanes = THREADS_PER_ROW < kWarpSize ? THREADS_PER_ROW : kWarpSize;
#pragma unroll
    for (int r = 0; r < ROWS_PER_THREAD; ++r) values[r] = reduce_lanes<kLanes>(values[r], combine);
    if constexpr (kPartials > 1) {
      auto& partials = storage_.partials[turn_ & 1][group_in_block()];
      publish(values, partials);
      ++turn_;
#pragma unroll
      for (int r = 0; r < ROWS_PER_THREAD; ++r) values[r] = collect(partials[r], combine);
    }
  }

 private:
  using Partials = Value[ROWS_PER_THREAD][kPartials];
  static constexpr int kSentBytes = ROWS_PER_THREAD * kPartials * sizeof(Value);

  __device__ void publish(const Value (&values)[ROWS_PER_THREAD], Partials& partials) {
    const int lane = threadIdx.x % kWarpSize;
    const int warp = thread_in_row() / kWarpSize;
    if constexpr (kClustered > 1) {
      if (turn_ == 0) cluster_wait();  // every block runs, and its barriers are ready
      BulkBarrier& arrived = storage_.arrived[turn_ & 1];
      if (lane < kClustered) {
#pragma unroll
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
          Value* at = &partials[r][block_in_row() * kRowWarps + warp];
          send_to_block(at, values[r], arrived, static_cast<unsigned>(lane));
        }
      }
      arrived.wait(turn_ >> 1 & 1);
      if (threadIdx.x == 0) arrived.expect(kSentBytes);  // of the reduction after the next
    } else {
      if (lane == 0) {
#pragma unroll
        for (int r = 0; r < ROWS_PER_THREAD; ++r) partials[r][warp] = values[r];
      }
      synchronise_row();
    }
  }

  // The threads of one row, when others of the block work on other rows.
  __device__ static void synchronise_row() {
    if constexpr (ROWS_PER_BLOCK == 1) {
      __syncthreads();
    } else {
      static_assert(ROWS_PER_BLOCK < 16 || THREADS_PER_ROW <= kWarpSize, "a block has 16 barriers");
      asm volatile("bar.sync %0, %1;" ::"r"(group_in_block() + 1), "n"(THREADS_PER_ROW) : "memory");
    }
  }

  template <class Combine>
  __device__ static Value collect(const Value (&partials)[kPartials], Combine combine) {
    const int lane = threadIdx.x % kWarpSize;
    if constexpr (kPartials <= kWarpSize) {
      return reduce_lanes<kPartials>(partials[lane % kPartials], combine);
    } else {
      Value value = partials[lane];
#pragma unroll
      for (int i = kWarpSize; i < kPartials; i += kWarpSize) {
        value = combine(value, partials[lane + i]);
      }
      return reduce_lanes<kWarpSize>(value, combine);
    }
  }

  Storage& storage_;
  unsigned turn_ = 0;  // reductions so far
};
