// Values that belong to the columns and are the same for every row, such as a weight.
#pragma once

#include "common/row_edges.cuh"

// When a thread loads its share: `late`, at each use, which costs no registers; `early`, before the
// reduction of each tile, so that the latency is hidden behind it; `once`, before the first tile.
//
// Rejected: keeping it in shared memory beside rows in pieces. 65536 and 131072 columns became 15 %
// to twice as slow, likely since a row then takes more blocks, which wait for each other.
enum class ColumnLoad { late, early, once };

constexpr ColumnLoad kColumnLoad = ColumnLoad::WEIGHT_LOAD;

// Values of as many columns as a vector has, and of those before them.
struct ColumnShare {
  RowVector before;  // where rows are not aligned
  RowVector at;

  // Those of the columns that the thread has in `row`.
  __device__ RowVector of_row(int row) const {
    if constexpr (kAligned) {
      return at;
    } else {
      return joined(before, at, lead_of(row));
    }
  }
};

class ColumnVectors {
 public:
  __device__ explicit ColumnVectors(const DTYPE* from) : from_(from) {
    if (kColumnLoad == ColumnLoad::once) hold();
  }
  // Before the reduction of a tile.
  __device__ void prepare() {
    if (kColumnLoad == ColumnLoad::early) hold();
  }
  __device__ ColumnShare read(int step) const {
    if constexpr (kColumnLoad == ColumnLoad::late) {
      return load(step);
    } else {
      return held_[step];
    }
  }

 private:
  __device__ ColumnShare load(int step) const {
    ColumnShare share;
    share.at = load_vector(vector_of(step) * kVector);
    if constexpr (!kAligned) share.before = load_vector((vector_of(step) - 1) * kVector);
    return share;
  }
  // What of the vector is no column is zero.
  __device__ RowVector load_vector(int column) const {
    if (kAligned || (column >= 0 && column + kVector <= N)) {
      return RowVector::load<CacheHint::standard>(from_ + column);
    }
    RowVector vector = RowVector::zero();
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      if (is_column(column + i)) vector.elements[i] = from_[column + i];
    }
    return vector;
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
  ColumnShare held_[kColumnLoad == ColumnLoad::late ? 1 : kSteps];
};
