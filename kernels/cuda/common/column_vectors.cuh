// Values that belong to the columns and are the same for every row, such as a weight.
#pragma once

#include "common/row_shape.cuh"

// When a thread loads its share: `late`, at each use, which costs no registers; `early`, before the
// reduction of each tile, so that the latency is hidden behind it; `once`, before the first tile.
//
// Rejected: keeping it in shared memory beside rows in pieces. 65536 and 131072 columns became 15 %
// to twice as slow, likely since a row then takes more blocks, which wait for each other.
enum class ColumnLoad { late, early, once };

constexpr ColumnLoad kColumnLoad = ColumnLoad::WEIGHT_LOAD;

class ColumnVectors {
 public:
  __device__ explicit ColumnVectors(const DTYPE* from) : from_(from) {
    if (kColumnLoad == ColumnLoad::once) hold();
  }
  // Before the reduction of a tile.
  __device__ void prepare() {
    if (kColumnLoad == ColumnLoad::early) hold();
  }
  __device__ RowVector read(int step) const {
    if constexpr (kColumnLoad == ColumnLoad::late) {
      return load(step);
    } else {
      return held_[step];
    }
  }

 private:
  __device__ RowVector load(int step) const {
    return RowVector::load<CacheHint::standard>(from_ + column_of(step));
  }
  __device__ void hold() {
    if constexpr (kColumnLoad != ColumnLoad::late) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        if (owns(step)) held_[step] = load(step);
      }
    }
  }

  const DTYPE* from_;
  RowVector held_[kColumnLoad == ColumnLoad::late ? 1 : kSteps];
};
