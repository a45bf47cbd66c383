// Values that belong to the columns and are the same for every row, such as a weight. WEIGHT_LOAD is
// when a thread loads its share, a ColumnLoad.
//
// Where rows are not aligned, columns of a row's vectors begin anywhere in the weight, and a vector of
// it is joined from two; with `once` only at the beginning, since all rows of a thread have one head
// then: it has one row of a tile, and the number of blocks is a multiple of kBlocksOfAHead.
//
// Rejected: keeping it in shared memory beside rows in pieces. 65536 and 131072 columns became 15 %
// to twice as slow, likely since a row then takes more blocks, which wait for each other.
#pragma once

#include "common/row_parts.cuh"

constexpr int kRowsOfAHead = kVector / common_divisor(N, kVector);  // from one to the next
constexpr int kBlocksOfAHead = kRowsOfAHead / common_divisor(kRowsOfAHead, kTileRows);
static_assert(kAligned || kColumnLoad != ColumnLoad::once || ROWS_PER_THREAD == 1);

// One of the thread's rows, where they are alike in their heads.
__device__ inline int any_row() { return row_of(blockIdx.x / CLUSTER, 0); }

constexpr int kWords = divide_up(VEC_BYTES, 4);  // of a vector

// kVector elements of `low` and `high`, which follow one another, from number `skipped` on.
__device__ inline RowVector joined(const RowVector& low, const RowVector& high, int skipped) {
  struct Both {
    RowVector vectors[2];
  };
  const Both both = {{low, high}};
  unsigned words[2 * kWords];
#pragma unroll
  for (int i = 0; i < 2 * kWords; ++i) words[i] = reinterpret_cast<const unsigned*>(&both)[i];
  const int bytes = skipped * static_cast<int>(sizeof(DTYPE));
#pragma unroll
  for (int distance = kWords / 2; distance > 0; distance /= 2) {
    const bool is_far = (bytes & 4 * distance) != 0;
#pragma unroll
    for (int i = 0; i < 2 * kWords - distance; ++i) {
      words[i] = is_far ? words[i + distance] : words[i];
    }
  }
  const unsigned halves = (bytes & 2) != 0 ? 0x5432 : 0x3210;  // of words i and i + 1
  RowVector vector;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    reinterpret_cast<unsigned*>(&vector)[i] = __byte_perm(words[i], words[i + 1], halves);
  }
  return vector;
}

class ColumnVectors {
 public:
  __device__ explicit ColumnVectors(const DTYPE* from) : from_(from) {
    if constexpr (kColumnLoad == ColumnLoad::once) {
      hold();
      if constexpr (!kAligned) hold_for_row(any_row());
    }
  }
  // Before the reduction of a tile.
  __device__ void prepare() {
    if constexpr (kColumnLoad == ColumnLoad::early) hold();
  }
  __device__ RowVector read(VectorPart part, int row) const {
    if constexpr (kColumnLoad == ColumnLoad::once || (kAligned && kColumnLoad == ColumnLoad::early)) {
      return low_[part.step];
    } else if constexpr (kColumnLoad == ColumnLoad::early) {
      return joined(low_[part.step], high_[part.step], head_of(row));
    } else {
      const int first = vector_of(part.step) * kVector;
      const RowVector low = load_vector(first);
      if constexpr (kAligned) return low;
      return joined(low, load_vector(first + kVector), head_of(row));
    }
  }
  __device__ Vector<DTYPE, 1> read(EdgePart part, int row) const {
    return kColumnLoad == ColumnLoad::once ? edge_ : load(part, row);
  }

 private:
  static constexpr int kHeldSteps = kColumnLoad == ColumnLoad::late ? 1 : kSteps;

  __device__ Vector<DTYPE, 1> load(EdgePart part, int row) const {
    return Vector<DTYPE, 1>::load<CacheHint::standard>(from_ + part.column(row));
  }
  // Of a vector that ends beyond the columns, what is before the end.
  __device__ RowVector load_vector(int column) const {
    if (kAligned || column + kVector <= N) {
      return RowVector::load<CacheHint::standard>(from_ + column);
    }
    RowVector vector = RowVector::zero();
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      if (column + i < N) vector.elements[i] = from_[column + i];
    }
    return vector;
  }
  __device__ void hold() {
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) {
      if (!owns(step)) continue;
      const int first = vector_of(step) * kVector;
      low_[step] = load_vector(first);
      if (!kAligned) high_[step] = load_vector(first + kVector);
    }
  }

  __device__ void hold_for_row(int row) {
#pragma unroll
    for (int step = 0; step < kHeldSteps; ++step) {
      low_[step] = joined(low_[step], high_[step], head_of(row));
    }
    if (EdgePart::may_be_owned() && EdgePart().is_owned(row)) edge_ = load(EdgePart(), row);
  }

  const DTYPE* from_;
  RowVector low_[kHeldSteps];
  RowVector high_[kHeldSteps];
  Vector<DTYPE, 1> edge_;
};
